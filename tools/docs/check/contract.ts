import { downstreamPaths } from '@portico/adapters-http';
import { openApiDocument } from '@portico/adapters-koa';
import { problemTypes } from '@portico/core';
import { isThere, type Problem } from '../project.ts';
import { checkLines } from './facts.ts';

const contract = 'docs/contract.md';

/** Compares the routes, default paths and error codes that pages state with those of the code. Records describe the past. */
export const checkContract = (root: string, pages: readonly string[]): readonly Problem[] => {
  const routes = memberRoutes();
  const stated = new Set<string>();
  const problems = checkLines(root, pages, (text, file) => {
    const [, route, service = '', path = ''] = relayed.exec(text) ?? [];
    if (route === undefined) return codeErrors(text);
    if (file === contract) stated.add(route);
    return [...codeErrors(text), ...routeErrors(routes, route, service, path)];
  });
  if (!isThere(root, contract)) return problems;
  const missing = [...routes].filter((route) => !stated.has(route));
  return [...problems, ...missing.map((route) => ({ file: contract, line: 1, message: `${route} is missing` }))];
};

/** The routes that call one service: `GET /me` composes them. */
const memberRoutes = (): ReadonlySet<string> =>
  new Set(
    Object.entries(openApiDocument({}).paths)
      .filter(([path]) => path.startsWith('/me/'))
      .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)),
  );

/** A row of a table: route, service, and the request to it. */
const relayed = /^\| `([A-Z]+ \/me\/[^`]+)` *\| (\w+) *\| `[A-Z]+ ([^`]+)` *\|/;

const routeErrors = (routes: ReadonlySet<string>, route: string, service: string, path: string): readonly string[] => {
  const defaults: Readonly<Record<string, Readonly<Record<string, string>>>> = downstreamPaths;
  return [
    ...(routes.has(route) ? [] : [`no such route: ${route}`]),
    ...(Object.values(defaults[service] ?? {}).includes(path) ? [] : [`${path} is no default path of ${service}`]),
  ];
};

/** A status and its code: ``404 `not-found` ``, also in two columns of a table. */
const status = /\b([45]\d\d)(?: +\|)? +`([a-z]+(?:-[a-z]+)*)`/g;

const codeErrors = (text: string): readonly string[] =>
  Array.from(text.matchAll(status)).flatMap(([, stated, code = '']) => {
    const known: Readonly<Record<string, { readonly status: number }>> = problemTypes;
    if (known[code] === undefined) return [`no such error code: ${code}`];
    return known[code].status === Number(stated) ? [] : [`the status of ${code} is ${known[code].status}`];
  });

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import {
  declarationProblems,
  isObject,
  isRouteKey,
  type JsonObject,
  serviceNames,
  type TakenRoute,
  type UncheckedOperation,
} from '@portico/core';
import { isBuiltIn } from '../built-in-services.ts';
import { nearestName } from '../nearest-name.ts';
import { checkedBy, fieldsOf, nonEmptyString, oneOf, type Problem, section, unreadableFile } from '../setting-types.ts';

const schemaFile = checkedBy(nonEmptyString('must be the path of a file'), (path) => {
  try {
    return isObject(JSON.parse(readFileSync(path, 'utf8'))) ? undefined : 'must be a file with a JSON object';
  } catch (error) {
    return error instanceof SyntaxError ? 'must be a file with valid JSON' : unreadableFile;
  }
});

const route = section({
  path: nonEmptyString('must be a path').describe(
    'Path at the service: literal segments, each parameter of the route once, and `{partyLocator}` once',
  ),
  query: z
    .array(z.string('must be a name'), 'must be an array of names')
    .optional()
    .describe('Query parameters that are relayed; a request with another one gets 400'),
  type: nonEmptyString('must be a media type')
    .optional()
    .describe('Media type of the response; default: application/json. Any other type is streamed'),
  summary: nonEmptyString('must be a sentence').optional().describe('A sentence for the OpenAPI document'),
  schema: schemaFile
    .optional()
    .describe(
      'File with a JSON Schema of the response for the OpenAPI document, relative to the working directory, read at start',
    ),
});

/** The settings that only a service of your own has (contract, section 8). */
export const ownServiceShape = {
  memberFrom: oneOf(['path', 'token'])
    .default('path')
    .describe('Where the service reads the member: `{partyLocator}` in each path, or the token'),
  routes: z
    .record(z.string(), route, 'must be an object')
    .default({})
    .describe(
      'Required. Member routes of the service: a method, a space and a path below /me/, such as `GET /me/visits/{id}`',
    ),
};

/** The broken rules of services that are not built in. The settings may be invalid themselves. */
export const ownServiceProblems = (downstreams: unknown): readonly Problem[] => {
  const taken: TakenRoute[] = [];
  return Object.entries(fieldsOf(downstreams)).flatMap(([name, settings]) => {
    if (isBuiltIn(name)) return [];
    const messages = problemsOf(name, fieldsOf(settings), taken);
    return messages.map((message) => ({ message, path: ['downstreams', name] }));
  });
};

/** Adds the routes of the service to `taken`. */
const problemsOf = (name: string, { routes = {}, memberFrom }: JsonObject, taken: TakenRoute[]): readonly string[] => {
  if (!isObject(routes)) return [];
  const all = Object.entries(routes);
  const known = all.flatMap(([key, settings]) =>
    isOperation(settings) ? [[key, { ...settings, route: key }] as const] : [],
  );
  // The schema has reported the others.
  if (known.length < all.length) return [];
  const problems = declarationProblems(name, Object.fromEntries(known), {
    memberFrom: memberFrom === 'token' ? 'token' : 'path',
    taken: [...taken],
  });
  taken.push(...known.flatMap(([route, { type }]) => (isRouteKey(route) ? [{ route, type }] : [])));
  const nearest = all.length === 0 ? nearestName(name, serviceNames) : undefined;
  return nearest === undefined ? problems : problems.map((problem) => `${problem} Did you mean ${nearest}?`);
};

const isOperation = (value: unknown): value is Omit<UncheckedOperation, 'route'> =>
  isObject(value) &&
  typeof value['path'] === 'string' &&
  (value['query'] === undefined ||
    (Array.isArray(value['query']) && value['query'].every((name) => typeof name === 'string'))) &&
  (value['type'] === undefined || typeof value['type'] === 'string');

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { declarationProblems } from './declaration-problems.ts';
import { builtInRoutes, isParameter, type RouteKey } from './route.ts';

const segment = fc.constantFrom('a', 'b', 'claims', 'log', 'notifications', '{x}', '{y}', '{locator}', '..', '{x', 'A');
const route = fc
  .tuple(fc.constantFrom('GET', 'GET', 'PUT', 'DELETE'), fc.array(segment, { minLength: 1, maxLength: 3 }))
  .map(([method, segments]) => `${method} /me/${segments.join('/')}`);
const routes = fc.uniqueArray(route, { minLength: 1, maxLength: 4 });

/** A service with these routes. Each path is correct for its route, so only routes can break a rule. */
const operationsOf = (keys: readonly string[]) =>
  Object.fromEntries(
    keys.map((key) => [
      key,
      { route: key, path: `/{partyLocator}${key.slice(key.indexOf('/')).replaceAll('..', 'x')}` },
    ]),
  );

const splitRoute = (key: string) => {
  const [method = '', path = ''] = key.split(' ');
  return { method, path };
};

/** Whether a path matches a route's template. Written without the code under test. */
const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

/** Paths that a template could match: each parameter is a segment of another route, or a new one. */
const pathsOf = (template: string, others: readonly string[]): readonly string[] =>
  template
    .split('/')
    .reduce<readonly string[]>(
      (paths, part, at) =>
        paths.flatMap((path) =>
          (isParameter(part) ? ['new', ...others.map((other) => other.split('/')[at] ?? 'new')] : [part])
            .filter((value) => !value.startsWith('{'))
            .map((value) => (at === 0 ? value : `${path}/${value}`)),
        ),
      [''],
    );

it('no two routes of an accepted declaration, built-in ones included, match the same path unless it is their own path', () => {
  let accepted = 0;
  fc.assert(
    fc.property(routes, (keys) => {
      if (declarationProblems('own', operationsOf(keys)).length > 0) return;
      accepted++;
      const all = [...new Set([...keys, ...builtInRoutes])].map(splitRoute);
      for (const { path: template } of keys.map(splitRoute))
        for (const path of pathsOf(
          template,
          all.map((other) => other.path),
        )) {
          const templates = new Set(all.filter((other) => matches(other.path, path)).map((other) => other.path));
          expect([...templates]).toEqual([template]);
        }
    }),
    { numRuns: 1000 },
  );
  expect(accepted).toBeGreaterThan(50);
});

it('a declaration that collides with the routes of another service is refused in either order', () => {
  fc.assert(
    fc.property(route, route, (one, two) => {
      if (declarationProblems('one', operationsOf([one])).length > 0) return;
      if (declarationProblems('two', operationsOf([two])).length > 0) return;
      const refuses = (own: string, taken: string) =>
        declarationProblems('own', operationsOf([own]), { taken: [taken as RouteKey] }).length > 0;
      expect(refuses(one, two)).toBe(refuses(two, one));
      if (one === two) expect(refuses(one, two)).toBe(true);
    }),
  );
});

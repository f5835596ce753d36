import { describe, expect, it } from 'vitest';
import { checkCollisions, declarationProblems, type UncheckedOperation } from './declaration-problems.ts';
import { declareService } from './declare-service.ts';
import { routeProblem } from './route.ts';

const path = '/members/{partyLocator}/authorizations';

const read = (route: string, type?: string) => ({ route, path, ...(type !== undefined && { type }) });

/** The problems of a service with this one route, which is its operation's name, as in a settings file. */
const problemsOf = (route: string, more: Partial<UncheckedOperation> = {}, memberFrom: 'path' | 'token' = 'path') =>
  declarationProblems('authorizations', { [route]: { route, path, ...more } }, { memberFrom });

describe('declareService', () => {
  it('returns a frozen value with the defaults and the parts of each route', () => {
    const service = declareService('authorizations', {
      letter: {
        route: 'GET /me/authorizations/{locator}/letter',
        path: '/members/{partyLocator}/authorizations/{locator}/letter',
        type: 'application/pdf',
      },
      submit: { route: 'POST /me/authorizations', path },
    });
    expect(service).toEqual({
      name: 'authorizations',
      memberFrom: 'path',
      operations: {
        letter: {
          route: 'GET /me/authorizations/{locator}/letter',
          method: 'GET',
          memberPath: '/me/authorizations/{locator}/letter',
          parameters: ['locator'],
          path: '/members/{partyLocator}/authorizations/{locator}/letter',
          query: [],
          type: 'application/pdf',
        },
        submit: {
          route: 'POST /me/authorizations',
          method: 'POST',
          memberPath: '/me/authorizations',
          parameters: [],
          path,
          query: [],
          type: 'application/json',
        },
      },
    });
    expect([service, service.operations, service.operations.letter, service.operations.letter.query]).toSatisfy(
      (parts: readonly unknown[]) => parts.every((part) => Object.isFrozen(part)),
    );
  });

  it('keeps the declared query parameters and where the member comes from', () => {
    const operations = { list: { route: 'GET /me/authorizations', path: '/own', query: ['status'] } } as const;
    const service = declareService('authorizations', operations, { memberFrom: 'token' });
    expect(service.memberFrom).toBe('token');
    expect(service.operations.list.query).toEqual(['status']);
  });

  it.each([
    ['GET /me/a b', 'must be one of GET, POST, PUT, PATCH, DELETE, a space and a path.'],
    ['GET /me/../a', 'must not contain "..".'],
    [
      'GET /me/a/{id',
      'has the segment "{id"; a segment must be lower-case letters, digits and hyphens, or a {parameter}.',
    ],
    [
      'GET /me/a/id}',
      'has the segment "id}"; a segment must be lower-case letters, digits and hyphens, or a {parameter}.',
    ],
  ])('describes what is wrong with the route "%s"', (route, problem) => {
    expect(routeProblem(route)).toBe(`The route "${route}" ${problem}`);
  });

  it('throws a TypeError with the sentence of each broken rule', () => {
    const operations = { get: { route: 'GET /me/authorizations', path: '/authorizations' } } as const;
    expect(() => declareService('Claims 2', operations)).toThrow(TypeError);
    expect(() => declareService('Claims 2', operations)).toThrow(
      'The service name "Claims 2" must be 1 to 32 lower-case letters, digits and hyphens, and start with a letter. ' +
        'The path "/authorizations" of "GET /me/authorizations" must contain {partyLocator} exactly once, so that it leads to one member.',
    );
  });
});

describe('the name of a declared service', () => {
  it.each(['claims', 'identity', 'search', 'registry'])('must not be the built-in name %s', (name) => {
    expect(declarationProblems(name, { get: { route: 'GET /me/x', path: '/{partyLocator}' } })).toEqual([
      `The service name "${name}" is used by Portico itself; choose another one.`,
    ]);
  });

  it.each(['', 'A', '1a', 'a_b', 'x'.repeat(33), 'a b', '-a'])('must follow the grammar: "%s"', (name) => {
    expect(declarationProblems(name, { get: { route: 'GET /me/x', path: '/{partyLocator}' } })).toHaveLength(1);
  });

  it('needs routes when it is not built in', () => {
    for (const operations of [undefined, {}])
      expect(declarationProblems('authorization', operations)).toEqual([
        'The service "authorization" is not built in, so it needs routes.',
      ]);
  });
});

describe('the route of a declared operation', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('may have the method %s', (method) => {
    expect(problemsOf(`${method} /me/authorizations`)).toEqual([]);
  });

  it.each([
    ['/me/authorizations', 'a space and a path'],
    ['HEAD /me/authorizations', 'a space and a path'],
    ['get /me/authorizations', 'a space and a path'],
    ['GET  /me/authorizations', 'a space and a path'],
    ['GET', 'below /me/'],
    ['GET /authorizations', 'below /me/'],
    ['GET /me', 'below /me/'],
    ['GET /meow/x', 'below /me/'],
    ['GET /me/../x', '".."'],
    ['GET /me/', 'the segment ""'],
    ['GET /me/a//b', 'the segment ""'],
    ['GET /me/a/', 'the segment ""'],
    ['GET /me/A', 'the segment "A"'],
    ['GET /me/a%2fb', 'the segment "a%2fb"'],
    ['GET /me/:id', 'the segment ":id"'],
    ['GET /me/*all', 'the segment "*all"'],
    ['GET /me/x{id}', 'the segment "x{id}"'],
    ['GET /me/{}', 'the segment "{}"'],
    ['GET /me/{__proto__}', 'the segment "{__proto__}"'],
    ['GET /me/a?b=c', 'the segment "a?b=c"'],
    ['GET /me/a/{partyLocator}', 'the access token identifies the member'],
    ['GET /me/a/{memberLocator}', 'the access token identifies the member'],
    ['GET /me/a/{x}/{x}', 'each parameter only once'],
  ])('is refused by the rule it breaks: %s', (route, rule) => {
    expect(problemsOf(route)).toEqual([expect.stringContaining(rule)]);
  });

  it.each([
    ['GET /me/claims', 'collides with the built-in route of the same name'],
    ['GET /me/{any}', 'is ambiguous with the built-in route "GET /me/coverage"'],
    ['DELETE /me/{any}', 'is ambiguous with the built-in route "GET /me/coverage"'],
    ['PUT /me/claims/{id}', 'is ambiguous with the built-in route "GET /me/claims/{locator}"'],
    ['GET /me/claims/summary', 'is ambiguous with the built-in route "GET /me/claims/{locator}"'],
  ])('must not collide with a built-in route: %s', (route, rule) => {
    const parameter = /\{\w+\}/.exec(route)?.[0];
    expect(problemsOf(route, { path: parameter ? `${path}/${parameter}` : path })).toEqual([
      expect.stringContaining(rule),
    ]);
  });

  it('may be another method of a built-in path', () => {
    expect(problemsOf('DELETE /me/claims/{locator}', { path: `${path}/{locator}` })).toEqual([]);
  });

  it('must not collide with another route of its service or of another service', () => {
    const routes = {
      list: { route: 'GET /me/a/{x}', path: '/{partyLocator}/{x}' },
      get: { route: 'GET /me/a/b', path: '/{partyLocator}' },
    };
    expect(declarationProblems('a', routes)).toEqual([
      'The route "GET /me/a/b" is ambiguous with the route "GET /me/a/{x}": a path can match both.',
    ]);
    expect(declarationProblems('a', { list: routes.list }, { taken: ['POST /me/a/b'] })).toEqual([
      'The route "GET /me/a/{x}" is ambiguous with the route "POST /me/a/b": a path can match both.',
    ]);
  });

  it.each(['a b', 'x_y', '__proto__', '1'])('must have a name of letters and digits, not "%s"', (name) => {
    const operations = Object.fromEntries([[name, { route: 'GET /me/x', path: '/{partyLocator}' }]]);
    expect(declarationProblems('a', operations)).toEqual([
      `The operation name "${name}" must be letters and digits, or its route.`,
    ]);
  });

  it.each(['then', 'calls', 'failWith', 'failOnce'])('must not have the reserved name "%s"', (name) => {
    expect(declarationProblems('a', { [name]: { route: 'GET /me/x', path: '/{partyLocator}' } })).toEqual([
      `The operation name "${name}" is reserved; choose another one.`,
    ]);
  });
});

describe('the path of a declared operation', () => {
  const route = 'GET /me/authorizations/{locator}';
  const refused = (wrong: string, memberFrom?: 'path' | 'token') => problemsOf(route, { path: wrong }, memberFrom);

  it.each([
    ['/authorizations/{locator}', 'must contain {partyLocator} exactly once'],
    ['/{partyLocator}/{partyLocator}/{locator}', 'must contain {partyLocator} exactly once'],
    ['/members/{partyLocator}', 'must contain {locator} of the route exactly once'],
    ['/{partyLocator}/{locator}/{locator}', 'must contain {locator} of the route exactly once'],
    ['/{partyLocator}/{locator}/{other}', 'has the unknown parameter {other}'],
    ['/{partyLocator}/../{locator}', 'must not contain ".."'],
    ['/{partyLocator}/..;/{locator}', 'must not contain ".."'],
    ['/{partyLocator}/./{locator}', 'must be "/" and segments'],
    ['/{partyLocator}/%2e%2e/{locator}', 'must be "/" and segments'],
    ['/{partyLocator}//{locator}', 'must be "/" and segments'],
    ['/{partyLocator}/{locator}/', 'must be "/" and segments'],
    ['/x{partyLocator}/{locator}', 'must be "/" and segments'],
    ['{partyLocator}/{locator}', 'must be "/" and segments'],
    ['/{partyLocator}/a\\b/{locator}', 'must be "/" and segments'],
    ['//evil.example/{partyLocator}/{locator}', 'must be "/" and segments'],
    ['/{partyLocator}/{locator}?a=b', 'must have no query and no fragment'],
    ['/{partyLocator}/{locator}#a', 'must have no query and no fragment'],
  ])('is refused by the rule it breaks: %s', (wrong, rule) => {
    expect(refused(wrong)).toEqual([expect.stringContaining(rule)]);
  });

  it('has no member when the service reads it from the token', () => {
    expect(refused('/authorizations/{locator}', 'token')).toEqual([]);
    expect(refused('/members/{partyLocator}/authorizations/{locator}', 'token')).toEqual([
      expect.stringContaining('must not contain {partyLocator}'),
    ]);
  });

  it('must not be empty', () => {
    expect(problemsOf('GET /me/authorizations', { path: '' }, 'token')).toEqual([
      expect.stringContaining('must be "/" and segments'),
    ]);
  });

  it('may have any unreserved characters and sub-delimiters', () => {
    expect(refused("/R4/Claim/$all/a.b~c!d&e'f(g)h*i+j,k;l=m:n@o-p_q/{partyLocator}/{locator}")).toEqual([]);
  });
});

describe('the query and type of a declared operation', () => {
  it.each(['partyLocator', 'x-party-locator', 'member_locator'])('must not name a member: %s', (name) => {
    expect(problemsOf('GET /me/x', { query: [name] })).toEqual([expect.stringContaining('must not name a member')]);
  });

  it.each(['', 'a=b', 'a&b', 'a b', 'é', 'a%20b', 'a#'])('must have parameter names without encoding: "%s"', (name) => {
    expect(problemsOf('GET /me/x', { query: [name] })).toEqual([
      `The query parameter "${name}" of "GET /me/x" must be 1 to 64 letters, digits, "_", ".", "~" and "-".`,
    ]);
  });

  it.each(['_count', 'status', 'created.from', 'page-size'])('may have the parameter %s', (name) => {
    expect(problemsOf('GET /me/x', { query: [name] })).toEqual([]);
  });

  it.each(['pdf', 'Application/PDF', 'text/csv; charset=utf-8', '*/*', 'text/*', 'a/b\r\nc: d', ''])(
    'must have a media type without parameters, not "%s"',
    (type) => {
      expect(problemsOf('GET /me/x', { type })).toEqual([expect.stringContaining('must be a media type')]);
    },
  );

  describe('a part of GET /me', () => {
    it('must not have the name of a built-in part', () => {
      expect(declarationProblems('a', { list: read('GET /me/a/log') })).toEqual([
        'The routes "GET /me/a/log" and "GET /me/notifications/log" would both be the part "log" of GET /me; end their paths differently.',
      ]);
    });

    it('must not have the name of another part of the service, or of another service', () => {
      const one = { one: read('GET /me/a/summary'), two: read('GET /me/b/summary') };
      expect(declarationProblems('a', one)).toHaveLength(1);
      for (const taken of ['GET /me/b/summary', { route: 'GET /me/b/summary' }] as const)
        expect(declarationProblems('a', { one: one.one }, { taken: [taken] })).toHaveLength(1);
      const services = ['a', 'b'].map((name) =>
        declareService(name, { get: { route: `GET /me/${name}/summary`, path: '/{partyLocator}' } }),
      );
      expect(() => checkCollisions(services)).toThrow(/"GET \/me\/b\/summary" and "GET \/me\/a\/summary"/);
    });

    it('is only a JSON read without a parameter, so that other routes may end alike', () => {
      const others = {
        streamed: read('GET /me/a/preferences', 'text/csv'),
        written: read('POST /me/a/log'),
        one: { route: 'GET /me/a/{id}/claims', path: '/{partyLocator}/{id}' },
      };
      expect(declarationProblems('a', others)).toEqual([]);
      const taken = [{ route: 'GET /me/b/summary', type: 'text/csv' }] as const;
      expect(declarationProblems('a', { get: read('GET /me/a/summary') }, { taken })).toEqual([]);
    });
  });
});

import { describe, expect, it } from 'vitest';
import { documentIn, fileWith, portico } from '../program/binary.test.support.ts';
import { ownServices } from './own-services.ts';
import { problemsOf, settingsOf } from './settings-file.test.support.ts';

const identity = { issuer: 'https://identity.example/realms/portico' };
const path = '/members/{partyLocator}/authorizations';

/** The sample of the contract, section 8. */
const authorizations = {
  url: 'https://um.internal',
  routes: {
    'GET /me/authorizations': { path, query: ['status', 'page'] },
    'GET /me/authorizations/{locator}': { path: `${path}/{locator}` },
    'POST /me/authorizations': { path },
    'GET /me/authorizations/{locator}/letter': { path: `${path}/{locator}/letter`, type: 'application/pdf' },
  },
};

const withServices = (downstreams: object) => ({ values: { identity, downstreams } });
const withRoute = (route: string, declared: object = { path }) =>
  withServices({ authorizations: { url: 'https://um.internal', routes: { [route]: declared } } });

describe('a service of your own in the settings', () => {
  it('is declared with its routes, and has the defaults of a built-in service', () => {
    const { settings } = settingsOf(withServices({ authorizations }));
    const [own, ...others] = ownServices(settings);
    expect(others).toEqual([]);
    expect(own).toMatchObject({
      declaration: {
        name: 'authorizations',
        memberFrom: 'path',
        operations: {
          'GET /me/authorizations': { method: 'GET', path, query: ['status', 'page'], type: 'application/json' },
          'GET /me/authorizations/{locator}/letter': { type: 'application/pdf' },
        },
      },
      settings: { url: 'https://um.internal', timeoutMs: 5000, maxInFlight: 1024, credentials: 'member-token' },
    });
  });

  it('has the timeout for all services, and its own limits', () => {
    const downstreams = { authorizations: { ...authorizations, maxWaiting: 7 } };
    const { settings } = settingsOf({ values: { identity, downstreams }, env: { DOWNSTREAM_TIMEOUT_MS: '1234' } });
    expect(ownServices(settings)[0]?.settings).toMatchObject({ timeoutMs: 1234, maxWaiting: 7 });
  });

  it('may read the member from the token', () => {
    const routes = { 'GET /me/visits': { path: '/visits' } };
    const { settings } = settingsOf(
      withServices({ visits: { url: 'https://a.example', memberFrom: 'token', routes } }),
    );
    expect(ownServices(settings)[0]?.declaration.memberFrom).toBe('token');
  });

  it('has the summary and the JSON Schema of a file', (test) => {
    const schema = { type: 'object', required: ['authorizations'] };
    const file = fileWith(test, JSON.stringify(schema));
    const declared = { path, summary: 'List authorizations', schema: file };
    const { settings } = settingsOf(withRoute('GET /me/authorizations', declared));
    expect(ownServices(settings)[0]?.declaration.operations['GET /me/authorizations']).toMatchObject({
      summary: 'List authorizations',
      schema,
    });
  });

  it.for([
    ['{"type":', 'must be a file with valid JSON'],
    ['[]', 'must be a file with a JSON object'],
    [undefined, 'must be the path of a readable file, relative to the working directory'],
  ] as const)('must have a readable schema file: %j', ([content, message], test) => {
    const schema = content === undefined ? '/nowhere/schema.json' : fileWith(test, content);
    const [problem, ...others] = problemsOf(withRoute('GET /me/authorizations', { path, schema }));
    expect(others).toEqual([]);
    expect(problem).toEqual({
      setting: 'downstreams.authorizations.routes.GET /me/authorizations.schema',
      source: 'settings',
      message,
    });
  });

  it('must not collide with another service of your own', () => {
    const one = { url: 'https://a.example', routes: { 'GET /me/plans/{id}': { path: '/{partyLocator}/{id}' } } };
    const two = { url: 'https://b.example', routes: { 'GET /me/plans/x': { path: '/{partyLocator}' } } };
    expect(problemsOf(withServices({ one, two }))).toEqual([
      {
        setting: 'downstreams.two',
        source: 'settings',
        message: 'The route "GET /me/plans/x" is ambiguous with the route "GET /me/plans/{id}": a path can match both.',
      },
    ]);
  });

  it('must have settings of the right types', () => {
    const routes = { 'GET /me/x': { path: 5 }, 'GET /me/y': { path: '/{partyLocator}', query: 'status', other: 1 } };
    const problems = problemsOf(withServices({ visits: { url: 'x', memberFrom: 'both', routes, paths: {} } }));
    expect(problems.map(({ setting, message }) => `${setting}: ${message}`)).toEqual([
      'downstreams.visits.url: must be an http or https URL',
      'downstreams.visits.memberFrom: must be one of path, token',
      'downstreams.visits.routes.GET /me/x.path: must be a path',
      'downstreams.visits.routes.GET /me/y.query: must be an array of names',
      expect.stringMatching(/^downstreams\.visits\.routes\.GET \/me\/y\.other: unknown setting/),
      expect.stringMatching(/^downstreams\.visits\.paths: unknown setting/),
    ]);
  });

  it('must have the member in its paths when it gets no token of the member', () => {
    const visits = {
      url: 'https://a.example',
      memberFrom: 'token',
      credentials: 'none',
      routes: { 'GET /me/visits': { path: '/visits' } },
    };
    expect(problemsOf(withServices({ visits }))).toEqual([
      expect.objectContaining({ message: expect.stringContaining('requires {partyLocator} in every path') }),
    ]);
  });
});

const checked = (test: Parameters<typeof fileWith>[0], { values }: { readonly values: object }, more = '') =>
  portico(test, `config check --config ${fileWith(test, JSON.stringify(values))} ${more}`.trim());

describe.concurrent('portico config check', () => {
  it('lists the routes of services of your own after the built-in ones', async (test) => {
    const settings = withServices({ authorizations, consent: { url: 'https://consent.internal' } });
    const { exitCode, stdout } = await checked(test, settings);
    expect({ exitCode, lines: stdout.trimEnd().split('\n') }).toEqual({
      exitCode: 0,
      lines: [
        'Configuration is valid. Enabled: member API.',
        '  GET /me',
        '  GET /me/consent',
        '  PUT /me/consent',
        ...Object.keys(authorizations.routes).map((route) => `  ${route}`),
      ],
    });
  });

  it.for([
    ['no member in the path', withRoute('GET /me/a', { path: '/a' }), 'must contain {partyLocator} exactly once'],
    ['a route that is not below /me/', withRoute('GET /authorizations'), 'must have a path below /me/'],
    [
      'an unknown parameter',
      withRoute('GET /me/a', { path: `${path}/{locator}` }),
      'has the unknown parameter {locator}',
    ],
    ['".." in the path', withRoute('GET /me/a', { path: '/{partyLocator}/../x' }), 'must not contain ".."'],
    ['a collision', withRoute('GET /me/claims/summary'), 'is ambiguous with the built-in route'],
    [
      'an unknown name without routes',
      withServices({ claim: { url: 'https://claims.internal' } }),
      'The service "claim" is not built in, so it needs routes. Did you mean claims?',
    ],
  ] as const)('exits with 2 and names the rule: %s', async ([, settings, rule], test) => {
    const ended = await checked(test, settings, '--json');
    expect(ended.exitCode).toBe(2);
    const { problems } = documentIn(ended) as { readonly problems: readonly { readonly message: string }[] };
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(rule)]);
    expect(ended.stderr).toContain(rule);
  });
});

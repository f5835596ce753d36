import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signInProvider } from './sections/identity-schema.ts';
import type { SettingSources } from './load.ts';
import { contractSample, memberApi, problemsOf, settingsFile, settingsOf } from './settings-file.test.support.ts';

const inFile = (content: unknown, more: SettingSources = {}) => ({
  ...more,
  flags: { '--config': settingsFile(content), ...more.flags },
});
const withDownstream = (name: keyof typeof memberApi.downstreams, more: object) => ({
  ...memberApi,
  downstreams: { ...memberApi.downstreams, [name]: { ...memberApi.downstreams[name], ...more } },
});

describe('a variable that Kubernetes sets for a Service of the namespace', () => {
  it.each(['tcp://10.0.0.1:9100', 'udp://10.0.0.1:9100', 'sctp://[fd00::1]:9100'])(
    'ignores a variable that Kubernetes sets for a Service: %s',
    (link) => {
      const env = { METRICS_PORT: link, METRICS_PORT_9100_TCP: link, PORTICO_PORT: link };

      expect(settingsOf({ env }).settings.metrics.port).toBeUndefined();
      const inAFile = settingsOf(inFile({ metrics: { port: 9001 } }, { env }));
      expect([inAFile.settings.metrics.port, inAFile.sourceOf('metrics.port')]).toEqual([
        9001,
        expect.stringMatching('json'),
      ]);
    },
  );

  it.each<SettingSources>([
    { env: { PORT: 'tcp://10.0.0.1:80' } },
    { env: { METRICS_PORT: 'tcp' } },
    { env: { METRICS_PORT: 'http://10.0.0.1:9100' } },
    { flags: { '--metrics-port': 'tcp://10.0.0.1:9100' } },
  ])('reports any other value that is not a port: %j', (sources) => {
    expect(problemsOf(sources)).toMatchObject([{ message: 'must be an integer from 0 to 65535' }]);
  });
});

describe('sources of settings', () => {
  const cases = [
    {
      setting: 'listen.port',
      file: { listen: { port: 1001 } },
      env: { PORT: '1002' },
      flags: { '--port': '1003' },
      values: [8080, 1001, 1002, 1003],
    },
    {
      setting: 'log.level',
      file: { log: { level: 'warn' } },
      env: { LOG_LEVEL: 'error' },
      flags: { '--log-level': 'silent' },
      values: ['info', 'warn', 'error', 'silent'],
    },
    {
      setting: 'metrics.port',
      file: { metrics: { port: 9001 } },
      env: { METRICS_PORT: '9002' },
      flags: { '--metrics-port': '9003' },
      values: [undefined, 9001, 9002, 9003],
    },
    {
      setting: 'search.timeoutMs',
      file: { search: { timeoutMs: 1 } },
      env: { SEARCH_TIMEOUT_MS: '2' },
      flags: { '--search-timeout-ms': '3' },
      values: [10_000, 1, 2, 3],
    },
    {
      setting: 'identity.locatorClaim',
      file: { identity: { ...memberApi.identity, locatorClaim: 'a' } },
      env: { LOCATOR_CLAIM: 'b' },
      flags: { '--locator-claim': 'c' },
      values: ['auto', 'a', 'b', 'c'],
    },
    {
      setting: 'identity.audience',
      file: { identity: { ...memberApi.identity, audience: ['a'] } },
      env: { IDENTITY_AUDIENCE: 'b' },
      flags: { '--identity-audience': 'c' },
      values: [['portico'], ['a'], ['b'], ['c']],
    },
    {
      setting: 'downstreams.claims.timeoutMs',
      file: withDownstream('claims', { timeoutMs: 1 }),
      env: { DOWNSTREAM_TIMEOUT_MS: '2' },
      flags: { '--downstream-timeout-ms': '3' },
      values: [5000, 1, 2, 3],
    },
  ] as const;

  it.each(cases)('takes $setting from a flag before a variable, the file and the default', (sample) => {
    const { setting, env, flags, values } = sample;
    const path = settingsFile({ ...memberApi, ...sample.file });
    const config = { '--config': path };
    const found = [
      settingsOf(inFile(memberApi)),
      settingsOf({ flags: config }),
      settingsOf({ flags: config, env }),
      settingsOf({ flags: { ...config, ...flags }, env }),
    ];

    expect(found.map(({ settings }) => at(settings, setting))).toEqual(values);
    expect(found.slice(1).map(({ sourceOf }) => sourceOf(setting))).toEqual([
      path,
      Object.keys(env)[0],
      Object.keys(flags)[0],
    ]);
  });

  it('reports the source of a missing setting as default', () => {
    expect(settingsOf({}).sourceOf('listen.port')).toBe('default');
    expect(settingsOf(inFile({ listen: { host: '::1' } })).sourceOf('listen.port')).toBe('default');
  });

  it('applies DOWNSTREAM_TIMEOUT_MS to every service, over the file', () => {
    const { settings } = settingsOf(
      inFile(withDownstream('claims', { timeoutMs: 9000 }), { env: { DOWNSTREAM_TIMEOUT_MS: '1234' } }),
    );

    expect(Object.values(settings.downstreams ?? {}).map((service) => service?.timeoutMs)).toEqual(
      Array.from({ length: 6 }, () => 1234),
    );
  });

  it('prefers --config over PORTICO_CONFIG', () => {
    const flagged = settingsFile({ listen: { port: 1 } });
    const env = { PORTICO_CONFIG: settingsFile({ listen: { port: 2 } }) };

    expect(settingsOf({ env }).settings.listen.port).toBe(2);
    expect(settingsOf({ env, flags: { '--config': flagged } }).settings.listen.port).toBe(1);
  });

  it.each(['PORT', 'PORTICO_CONFIG', 'CLAIMS_URL', 'DOWNSTREAM_TIMEOUT_MS', 'REDIS_URL'])(
    'treats an empty %s as not set',
    (name) => {
      expect(settingsOf({ env: { [name]: '' } }).settings).toEqual(settingsOf({}).settings);
      const fromFile = settingsOf(inFile(memberApi, { env: { [name]: '' } }));
      expect(fromFile.settings).toEqual(settingsOf(inFile(memberApi)).settings);
    },
  );

  it('falls back from an empty flag to the variable', () => {
    const { settings, sourceOf } = settingsOf({ flags: { '--port': '' }, env: { PORT: '9090' } });

    expect([settings.listen.port, sourceOf('listen.port')]).toEqual([9090, 'PORT']);
  });

  it('reads comma-separated audiences, with or without spaces', () => {
    const env = { IDENTITY_AUDIENCE: 'portal, app ,, admin' };

    expect(signInProvider(settingsOf(inFile(memberApi, { env })).settings)?.audience).toEqual([
      'portal',
      'app',
      'admin',
    ]);
  });

  it('reads every URL from the environment', () => {
    const { identity, downstreams, redis } = settingsOf({
      env: {
        IDENTITY_ISSUER: 'https://identity.example',
        IDENTITY_JWKS_URL: 'https://identity.example/keys',
        IDENTITY_TOKEN_URL: 'https://identity.example/token',
        ELIGIBILITY_URL: 'https://eligibility.example',
        CLAIMS_URL: 'https://claims.example',
        DOCUMENTS_URL: 'https://documents.example',
        POLICY_URL: 'https://policy.example',
        NOTIFICATIONS_URL: 'https://notifications.example',
        CONSENT_URL: 'https://consent.example',
        REDIS_URL: 'redis://redis.example',
      },
    }).settings;

    expect(identity).toMatchObject({
      issuer: 'https://identity.example',
      jwksUrl: 'https://identity.example/keys',
      tokenUrl: 'https://identity.example/token',
    });
    expect(Object.entries(downstreams ?? {}).map(([name, service]) => [name, service?.url])).toEqual(
      Object.keys(memberApi.downstreams).map((name) => [name, `https://${name}.example`]),
    );
    expect(redis.url).toBe('redis://redis.example');
  });
});

describe('problems with settings', () => {
  it('reports all problems at once, each with its setting, source and valid values', () => {
    const path = settingsFile({
      ...withDownstream('policy', { url: 'policy.example' }),
      limits: { maxRequestBytes: 0 },
      listne: {},
    });
    const { issuer: _, ...identity } = memberApi.identity;
    const broken = settingsFile({ ...memberApi, identity });

    expect(
      problemsOf({
        flags: { '--config': path, '--port': '70000' },
        env: { LOG_LEVEL: 'loud', DOWNSTREAM_TIMEOUT_MS: 'soon' },
      }),
    ).toEqual([
      { setting: 'listen.port', source: '--port', message: 'must be an integer from 0 to 65535' },
      ...['eligibility', 'claims', 'documents'].map(slow),
      { setting: 'downstreams.policy.url', source: path, message: 'must be an http or https URL' },
      ...['policy', 'notifications', 'consent'].map(slow),
      { setting: 'limits.maxRequestBytes', source: path, message: 'must be an integer from 1 to 104857600' },
      { setting: 'log.level', source: 'LOG_LEVEL', message: 'must be one of error, warn, info, silent' },
      {
        setting: 'listne',
        source: path,
        message:
          'unknown setting; did you mean listen? Expected one of: listen, roles, identity, downstreams, proxy, limits, connections, search, session, pages, cors, redis, metrics, log, $schema',
      },
    ]);
    expect(problemsOf({ flags: { '--config': broken } })).toEqual([
      { setting: 'identity.issuer', source: 'not set', message: 'required; must be an http or https URL' },
    ]);
  });

  it.each([
    [{ listen: { prot: 1 } }, 'listen.prot'],
    [{ ...memberApi, identity: { ...memberApi.identity, issuerUrl: 'x' } }, 'identity.issuerUrl'],
    [withDownstream('claims', { paths: { lst: '/x' } }), 'downstreams.claims.paths.lst'],
    [withDownstream('consent', { routes: {} }), 'downstreams.consent.routes'],
    [{ search: { legs: { moa: { ...contractSample.search.legs.moa, gateway: 'x' } } } }, 'search.legs.moa.gateway'],
    ['{"__proto__": {"port": 1}}', '__proto__'],
  ])('reports an unknown setting at any depth: %#', (content, setting) => {
    expect(problemsOf(inFile(content))).toEqual([
      {
        setting,
        source: expect.any(String),
        message: expect.stringMatching(/^unknown setting; .*[Ee]xpected one of: /),
      },
    ]);
  });

  it.each(['-1', '65536', '80.5', '0x50', 'http', '1e3'])('reports the port %s', (port) => {
    expect(problemsOf({ env: { PORT: port } })).toEqual([
      { setting: 'listen.port', source: 'PORT', message: 'must be an integer from 0 to 65535' },
    ]);
  });

  it.each(['0', '65535'])('accepts the port %s', (port) => {
    expect(settingsOf({ env: { PORT: port } }).settings.listen.port).toBe(Number(port));
  });

  it('reports a number that is a string in the file', () => {
    expect(problemsOf(inFile({ listen: { port: '8080' } })).map(({ setting }) => setting)).toEqual(['listen.port']);
  });

  it('reports an audience of nothing but commas', () => {
    expect(problemsOf(inFile(memberApi, { env: { IDENTITY_AUDIENCE: ' , ' } }))).toEqual([
      { setting: 'identity.audience', source: 'IDENTITY_AUDIENCE', message: 'must be a non-empty array of strings' },
    ]);
  });

  it('names the item of an array and the file', () => {
    const path = settingsFile({ ...memberApi, identity: { ...memberApi.identity, audience: ['portico', 5] } });

    expect(problemsOf({ flags: { '--config': path } })).toEqual([
      { setting: 'identity.audience.1', source: path, message: 'must be a string' },
    ]);
  });

  it('reports a symmetric algorithm', () => {
    const [problem, ...others] = problemsOf(
      inFile({ ...memberApi, identity: { ...memberApi.identity, algorithms: ['HS256'] } }),
    );

    expect(problem?.setting).toBe('identity.algorithms.0');
    expect(problem?.message).toMatch(/^must be one of RS256, /);
    expect(others).toEqual([]);
  });

  it('reports a section that is not an object, even when a variable sets a setting in it', () => {
    const path = settingsFile({ listen: 'everywhere' });

    expect(problemsOf({ flags: { '--config': path }, env: { PORT: '9090' } })).toEqual([
      { setting: 'listen', source: path, message: 'must be an object' },
    ]);
  });

  it.each(['ftp://claims.example', 'claims.example', '//claims.example', 'http://'])(
    'reports the service URL %s',
    (url) => {
      expect(problemsOf(inFile(memberApi, { env: { CLAIMS_URL: url } }))).toMatchObject([
        { setting: 'downstreams.claims.url', source: 'CLAIMS_URL', message: 'must be an http or https URL' },
      ]);
    },
  );

  const names = [...Object.keys(contractSample), 'roles', 'session', 'pages'];

  it.each(names)('reports %s of a wrong type, whatever it is compared with', (name) => {
    for (const value of [5, null, [null], { another: 5 }])
      expect(problemsOf(inFile({ ...contractSample, session: { keys: [] }, [name]: value }))).toEqual(
        expect.arrayContaining([expect.objectContaining({ setting: expect.stringMatching(new RegExp(`^${name}`)) })]),
      );
  });

  it('reports a base URL with a query', () => {
    expect(problemsOf(inFile(memberApi, { env: { CLAIMS_URL: 'https://claims.example/?key=1' } }))).toEqual([
      {
        setting: 'downstreams.claims.url',
        source: 'CLAIMS_URL',
        message: 'must be a base URL, without query and fragment',
      },
    ]);
  });

  it('reports a URL with a password without printing it', () => {
    const problems = problemsOf(
      inFile(memberApi, {
        env: { CLAIMS_URL: 'https://user:hunter2@claims.example', IDENTITY_JWKS_URL: 'https://hunter2@keys.example' },
      }),
    );

    expect(problems).toEqual([
      { setting: 'identity.jwksUrl', source: 'IDENTITY_JWKS_URL', message: 'must be a URL without user and password' },
      { setting: 'downstreams.claims.url', source: 'CLAIMS_URL', message: 'must be a URL without user and password' },
    ]);
  });

  it('does not print invalid values', () => {
    const canary = 'hunter2';
    const problems = problemsOf(
      inFile(
        {
          ...withDownstream('claims', { url: canary, timeoutMs: canary, paths: { list: canary } }),
          identity: { ...memberApi.identity, algorithms: [canary], locatorClaim: [canary] },
          redis: { url: canary },
        },
        { env: { PORT: canary, LOG_LEVEL: canary } },
      ),
    );

    expect(problems).toHaveLength(8);
    expect(JSON.stringify(problems)).not.toContain(canary);
  });
});

describe('a path template', () => {
  it.each(['/v2/{partyLocator}/claims', '/v2/claims', '/v2/claims?for={partyLocator}'])(
    'accepts the path template %s',
    (list) => {
      expect(pathProblems('claims', { list })).toEqual([]);
    },
  );

  it.each(['claims', '/claims/{member}', '/claims/../{partyLocator}', '//claims', '/claims#x', '/cla ims', '/{', ''])(
    'rejects the path template %j',
    (list) => {
      expect(pathProblems('claims', { list })).toEqual([
        expect.stringMatching(/^downstreams\.claims\.paths\.list .*\{partyLocator\} and \{locator\}$/),
      ]);
    },
  );

  it('requires {locator} only in paths of a single resource', () => {
    expect(pathProblems('documents', { get: '/documents/{partyLocator}', list: '/documents/{locator}' })).toEqual([
      expect.stringMatching(/^downstreams\.documents\.paths\.list must not .*\{locator\}$/),
      expect.stringMatching(/^downstreams\.documents\.paths\.get must (?!not).*\{locator\}$/),
    ]);
  });
});

describe('the member API and the search API', () => {
  it('does not enable the member API for a timeout of all services', () => {
    expect(settingsOf({ env: { DOWNSTREAM_TIMEOUT_MS: '100' } }).settings.downstreams).toBeUndefined();
  });

  it('requires a service when an identity provider is set, except for portico token', () => {
    const env = { IDENTITY_ISSUER: 'https://identity.example' };
    const problem = {
      setting: 'downstreams',
      source: 'not set',
      message: 'required with identity; set the URL of at least one service',
    };

    expect(problemsOf({ env })).toEqual([problem]);
    expect(problemsOf(inFile({ identity: memberApi.identity, downstreams: {} }))).toEqual([problem]);
    expect(settingsOf({ env, onlyIdentity: true }).settings.downstreams).toBeUndefined();
  });

  it('names the issuer when only a service is set', () => {
    expect(problemsOf({ flags: { '--claims-url': 'https://claims.example' } })).toEqual([missing('identity.issuer')]);
  });

  it('accepts any of the services', () => {
    const { identity, downstreams } = memberApi;
    for (const [name, service] of Object.entries(downstreams))
      expect(
        Object.keys(settingsOf(inFile({ identity, downstreams: { [name]: service } })).settings.downstreams!),
      ).toEqual([name]);
  });

  it('does not enable other services by a timeout for all of them', () => {
    const { settings } = settingsOf({
      env: { IDENTITY_ISSUER: 'https://identity.example', CLAIMS_URL: 'https://c.example', DOWNSTREAM_TIMEOUT_MS: '7' },
    });
    expect(Object.entries(settings.downstreams ?? {}).map(([name, service]) => [name, service?.timeoutMs])).toEqual([
      ['claims', 7],
    ]);
  });

  it('names the missing URL of a service that only has a timeout', () => {
    const { url: _, ...claims } = memberApi.downstreams.claims;

    expect(problemsOf(inFile({ ...memberApi, downstreams: { ...memberApi.downstreams, claims } }))).toEqual([
      missing('downstreams.claims.url'),
    ]);
  });
});

describe('the roles', () => {
  const redis = { REDIS_URL: 'redis://redis.example' };
  const needsRedis = 'requires redis.url when search and callbacks run on different instances';

  it('an instance has all roles by default', () => {
    const { settings, sourceOf } = settingsOf({});

    expect(settings.roles).toEqual(['member', 'search', 'callbacks']);
    expect(sourceOf('roles')).toBe('default');
  });

  it('reads comma-separated roles from a variable before the file', () => {
    const { settings, sourceOf } = settingsOf(
      inFile({ roles: ['search', 'callbacks'] }, { env: { ROLES: ' member,' } }),
    );

    expect([settings.roles, sourceOf('roles')]).toEqual([['member'], 'ROLES']);
    expect(settingsOf(inFile({ roles: ['search', 'callbacks'] })).settings.roles).toEqual(['search', 'callbacks']);
  });

  it('rejects unknown roles', () => {
    const path = settingsFile({ roles: ['member', 'everything'] });

    expect(problemsOf({ flags: { '--config': path } })).toEqual([
      { setting: 'roles.1', source: path, message: 'must be one of member, search, callbacks' },
    ]);
    expect(problemsOf({ env: { ROLES: 'members' } })).toEqual([
      { setting: 'roles.0', source: 'ROLES', message: 'must be one of member, search, callbacks' },
    ]);
  });

  it.each([{ roles: [] }, { roles: 'member' }, { roles: null }])('rejects %j as roles', (content) => {
    expect(problemsOf(inFile(content))).toMatchObject([
      { setting: 'roles', message: 'must be a non-empty array of roles' },
    ]);
  });

  it.each(['member,search', 'search', 'callbacks', 'callbacks,member'])(
    'requires Redis for the roles %s, which separate search and callbacks',
    (ROLES) => {
      const search = { search: contractSample.search };

      expect(problemsOf(inFile(search, { env: { ROLES } }))).toEqual([
        { setting: 'roles', source: 'ROLES', message: needsRedis },
      ]);
      expect(settingsOf(inFile(search, { env: { ROLES, ...redis } })).settings.roles).toEqual(ROLES.split(','));
      expect(settingsOf({ env: { ROLES } }).settings.roles).toEqual(ROLES.split(','));
    },
  );

  it.each(['member', 'search,callbacks', 'member,search,callbacks'])('requires no Redis for the roles %s', (ROLES) => {
    const { roles } = settingsOf(inFile({ search: contractSample.search }, { env: { ROLES } })).settings;

    expect(roles).toEqual(ROLES.split(','));
  });
});

describe('a shared port', () => {
  const listen = { reusePort: true };
  const withSearch = { listen, search: contractSample.search };

  it('shares no port by default', () => {
    expect(settingsOf({}).settings.listen.reusePort).toBe(false);
    expect(settingsOf(inFile({ listen })).settings.listen.reusePort).toBe(true);
  });

  it('requires Redis for searches, because a callback may reach another process', () => {
    expect(problemsOf(inFile(withSearch))).toMatchObject([
      { setting: 'listen.reusePort', message: 'requires redis.url: a callback may reach another process' },
    ]);
    const env = { REDIS_URL: 'redis://redis.example' };
    expect(settingsOf(inFile(withSearch, { env })).settings.listen.reusePort).toBe(true);
  });

  it('requires no Redis of an instance that serves no search', () => {
    expect(settingsOf(inFile({ ...withSearch, roles: ['member'] })).settings.listen.reusePort).toBe(true);
  });
});

describe('the pages', () => {
  const signIn = { clientId: 'portico-web', scope: 'openid profile email', authorizeParameters: {}, brand: {} };

  it('serves no pages by default, and has a default client id', () => {
    expect(settingsOf({}).settings.pages).toEqual(signIn);
    expect(settingsOf(inFile({ pages: { directory: null } })).settings.pages).toEqual(signIn);
  });

  it('accepts any directory and client id for the pages', () => {
    const pages = { ...signIn, directory: 'dist/pages', clientId: 'a-portal' };
    const { settings, sourceOf } = settingsOf(inFile({ ...memberApi, pages: { directory: 'dist/pages' } }));

    expect(settings.pages).toEqual({ ...pages, clientId: 'portico-web' });
    expect([sourceOf('pages.directory'), sourceOf('pages.clientId')]).toEqual([
      expect.stringMatching(/portico\.json$/),
      'default',
    ]);
    expect(settingsOf(inFile({ ...memberApi, pages })).settings.pages).toEqual(pages);
  });

  it('accepts scopes and authorize parameters of the identity provider', () => {
    const pages = {
      directory: 'dist/pages',
      scope: 'openid api://portal/access',
      authorizeParameters: { audience: 'https://portal.example/api', prompt: 'login' },
    };

    expect(settingsOf(inFile({ ...memberApi, pages })).settings.pages).toEqual({ ...signIn, ...pages });
  });

  it('accepts the name, logo and colours of a brand', () => {
    const pages = {
      directory: 'dist/pages',
      brand: { name: 'Lakeside Health', logo: '/brand/logo.svg', headerColor: '#0B3C5D' },
    };

    expect(settingsOf(inFile({ ...memberApi, pages })).settings.pages.brand).toEqual(pages.brand);
  });

  it.each([
    ['name', ''],
    ['logo', 'https://cdn.example/logo.svg'],
    ['logo', '//cdn.example/logo.svg'],
    ['logo', '/../secret.svg'],
    ['logo', '/logo.svg?version=2'],
    ['headerColor', 'navy'],
    ['headerColor', '#fff'],
    ['accentColor', '#0b3c5d; background: url(https://else.example)'],
  ])('refuses a brand whose %s is %j', (name, value) => {
    const sources = inFile({ ...memberApi, pages: { directory: 'dist/pages', brand: { [name]: value } } });

    expect(problemsOf(sources).map(({ setting }) => setting)).toEqual([`pages.brand.${name}`]);
  });

  it('requires identity for the pages', () => {
    const path = settingsFile({ search: contractSample.search, pages: { directory: 'dist' } });

    expect(problemsOf({ flags: { '--config': path } })).toEqual([
      { setting: 'pages.directory', source: path, message: 'requires identity, where members sign in' },
    ]);
  });

  it('accepts pages with an issuer from the environment', () => {
    const { downstreams } = memberApi;
    const env = { IDENTITY_ISSUER: 'https://identity.example' };

    expect(settingsOf(inFile({ downstreams, pages: { directory: 'dist' } }, { env })).settings.pages.directory).toBe(
      'dist',
    );
  });

  it('reports a problem with the pages together with other problems', () => {
    const sources = inFile({ pages: { directory: 'dist', clientId: 5 }, search: { timeoutMs: 0 }, log: 'loud' });

    expect(
      problemsOf(sources)
        .map(({ setting }) => setting)
        .toSorted(),
    ).toEqual(['log', 'pages.clientId', 'pages.directory', 'search.timeoutMs']);
  });

  it.each([
    [{ directory: '' }, 'pages.directory', 'must be a directory, or null'],
    [{ directory: 5 }, 'pages.directory', 'must be a directory, or null'],
    [{ clientId: '' }, 'pages.clientId', 'must be a string'],
    [{ clientId: null }, 'pages.clientId', 'must be a string'],
    [
      { folder: 'dist' },
      'pages.folder',
      'unknown setting; expected one of: directory, clientId, scope, authorizeParameters, brand',
    ],
    [{ scope: 'profile' }, 'pages.scope', expect.stringContaining('one of them openid')],
    [{ scope: 'openid\nprofile' }, 'pages.scope', expect.stringContaining('one of them openid')],
    [{ authorizeParameters: null }, 'pages.authorizeParameters', 'must be an object'],
    [{ authorizeParameters: { audience: 5 } }, 'pages.authorizeParameters.audience', 'must be a string'],
    [
      { authorizeParameters: { client_id: 'other' } },
      'pages.authorizeParameters.client_id',
      'must not be set here: the pages send it themselves',
    ],
    ['dist', 'pages', 'must be an object'],
    [null, 'pages', 'must be an object'],
  ])('rejects the pages %j', (pages, setting, message) => {
    expect(problemsOf(inFile({ ...memberApi, pages }))).toEqual([{ setting, source: expect.any(String), message }]);
  });
});

describe('CORS origins', () => {
  it('allows no other origins by default', () => {
    expect(settingsOf({}).settings.cors).toEqual({ origins: [] });
    expect(settingsOf(inFile({ cors: {} })).settings.cors).toEqual({ origins: [] });
  });

  it.each([
    'https://portal.example',
    'http://localhost:5173',
    'https://portal.example:8443',
    'http://192.0.2.1',
    'http://[2001:db8::1]:8080',
    'https://xn--bcher-kva.example',
  ])('accepts the origin %s', (origin) => {
    expect(settingsOf(inFile({ cors: { origins: [origin, origin] } })).settings.cors.origins).toEqual([origin, origin]);
  });

  it.each([
    'https://portal.example/',
    'https://portal.example/app',
    'https://portal.example?x',
    'https://portal.example#x',
    'https://user@portal.example',
    'https://portal.example:443',
    'http://portal.example:80',
    'https://PORTAL.example',
    'HTTPS://portal.example',
    'https://bücher.example',
    'https://*.portal.example',
    'https://portal.example https://else.example',
    'https:portal.example',
    ' https://portal.example',
    'ftp://portal.example',
    'file:///portal',
    'chrome-extension://portal',
    'portal.example',
    '//portal.example',
    'https://',
    'null',
    '*',
    '',
    5,
    null,
  ])('rejects %j, which no browser sends as an origin', (origin) => {
    const path = settingsFile({ cors: { origins: ['https://portal.example', origin] } });

    expect(problemsOf({ flags: { '--config': path } })).toEqual([
      {
        setting: 'cors.origins.1',
        source: path,
        message: 'must be an origin (scheme, host and port, without a path)',
      },
    ]);
  });

  it.each(['https://portal.example', '*', true, null, { 0: 'https://portal.example' }])(
    'rejects %j instead of an array of origins',
    (origins) => {
      expect(problemsOf(inFile({ cors: { origins } }))).toMatchObject([
        { setting: 'cors.origins', message: 'must be an array of origins' },
      ]);
    },
  );
});

describe('settings of the identity provider alone', () => {
  const onlyIdentity = true;

  it('ignores the settings of services, valid or not', () => {
    const env = { CLAIMS_URL: 'claims', DOWNSTREAM_TIMEOUT_MS: 'soon' };
    const flags = { '--policy-url': 'policy' };
    for (const downstreams of [memberApi.downstreams, { billing: {} }, { claims: { url: 5 } }, 'none', null]) {
      const { identity } = memberApi;
      const { settings } = settingsOf(inFile({ identity, downstreams }, { env, flags, onlyIdentity }));

      expect([settings.identity, settings.downstreams]).toEqual([identity, undefined]);
    }
  });

  it('does not require an identity provider because of a service', () => {
    expect(settingsOf({ env: { CLAIMS_URL: 'https://claims.example' }, onlyIdentity }).settings.identity).toBe(
      undefined,
    );
  });

  it('reads the settings of the identity provider from the same sources', () => {
    const { settings, sourceOf } = settingsOf(
      inFile(memberApi, {
        env: { IDENTITY_ISSUER: 'https://b.example', IDENTITY_TOKEN_URL: 'https://b.example/token' },
        flags: { '--identity-issuer': 'https://c.example' },
        onlyIdentity,
      }),
    );

    expect(settings.identity).toEqual({
      ...memberApi.identity,
      issuer: 'https://c.example',
      tokenUrl: 'https://b.example/token',
    });
    expect(['identity.issuer', 'identity.tokenUrl'].map(sourceOf)).toEqual(['--identity-issuer', 'IDENTITY_TOKEN_URL']);
  });

  it('reports problems with all other settings', () => {
    const env = { IDENTITY_TOKEN_URL: 'token', CLAIMS_URL: 'claims', PORT: 'http' };
    const sources = inFile({ search: { timeoutMs: 0 } }, { env, onlyIdentity });

    expect(problemsOf(sources).map(({ setting, source }) => [setting, source])).toEqual([
      ['listen.port', 'PORT'],
      ['identity.issuer', 'not set'],
      ['identity.tokenUrl', 'IDENTITY_TOKEN_URL'],
      ['search.timeoutMs', sources.flags['--config']],
    ]);
  });

  it('reports a missing file', () => {
    const env = { CLAIMS_URL: 'claims', PORTICO_CONFIG: '/nowhere/portico.json' };

    expect(problemsOf({ env, onlyIdentity })).toEqual([
      {
        setting: '(file)',
        source: '/nowhere/portico.json',
        message: 'file not found (ENOENT); check --config and PORTICO_CONFIG',
      },
    ]);
  });
});

describe('the settings file', () => {
  it('reports other problems too when the file cannot be read', () => {
    const sources = { flags: { '--config': '/nowhere/portico.json' }, env: { PORT: 'abc', CLAIMS_URL: 'claims' } };
    expect(problemsOf(sources).map(({ setting, source }) => [setting, source])).toEqual([
      ['(file)', '/nowhere/portico.json'],
      ['listen.port', 'PORT'],
      ['downstreams.claims.url', 'CLAIMS_URL'],
    ]);
  });

  it('reads a setting that is null as one that is not set, and shows it as null', () => {
    const issuer = 'https://identity.example';
    const ofNull = settingsOf(inFile({ ...memberApi, identity: { issuer, jwksUrl: null, tokenUrl: null } }));
    const ofNone = settingsOf(inFile({ ...memberApi, identity: { issuer } }));

    expect(ofNull.settings).toEqual(ofNone.settings);
    expect(JSON.stringify(ofNull.settings)).not.toContain('null');
    expect(ofNull.shown).toEqual(ofNone.shown);
    expect(ofNull.shown.identity).toMatchObject({ jwksUrl: null, tokenUrl: null });
  });

  it('rejects null elsewhere', () => {
    expect(problemsOf(inFile({ listen: { port: null } }))).toMatchObject([
      { setting: 'listen.port', message: 'must be an integer from 0 to 65535' },
    ]);
  });

  it('ignores a byte order mark', () => {
    expect(settingsOf(inFile('\uFEFF{"listen":{"port":1}}')).settings.listen.port).toBe(1);
  });

  it('names a directory in place of a file', () => {
    const path = dirname(settingsFile(''));

    expect(problemsOf({ env: { PORTICO_CONFIG: path } })).toEqual([
      { setting: '(file)', source: path, message: 'cannot be read (EISDIR)' },
    ]);
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'names a file without read permission (skipped for root)',
    () => {
      const path = settingsFile({});
      chmodSync(path, 0);

      expect(problemsOf({ flags: { '--config': path } })).toEqual([
        { setting: '(file)', source: path, message: 'cannot be read (EACCES)' },
      ]);
    },
  );

  it.each<[string, readonly string[]]>([
    ['{"listen": {"port": 1, "port": 2}}', ['listen.port']],
    ['{"listen": {"port": 1}, "log": {}, "listen": {"port": 2}}', ['listen']],
    ['{"listen": {"port": 1, "p\\u006frt": 2}}', ['listen.port']],
    ['{"redis": {"url": "redis://r/{\\"a\\":1,\\"a\\":2}"}, "redis": {}}', ['redis']],
    [
      '{"search": {"legs": {"moa": {}, "mh": {"ttl": "", "ttl": "PT1S"}, "moa": {}}}}',
      ['search.legs.mh.ttl', 'search.legs.moa'],
    ],
    ['{"roles": [{"a": 1}, {"b": 1, "b": 2, "b": 3}]}', ['roles.1.b']],
  ])('reports a name that is set twice: %s', (content, settings) => {
    const repeated = problemsOf(inFile(content)).filter(({ message }) => message === 'is set more than once');

    expect(repeated.map(({ setting }) => setting)).toEqual(settings);
  });

  it('accepts the same name in several objects, and as a value', () => {
    const content =
      '{"listen": {"host": "host"}, "metrics": {"host": "host", "port": 1}, "roles": ["member", "search", "callbacks"]}';

    expect(problemsOf(inFile(content))).toEqual([]);
  });

  it.each<[string, string]>([
    ['{"__proto__": 1}', '__proto__'],
    ['{"listen": {"__proto__": {}}}', 'listen.__proto__'],
    ['{"search": {"legs": {"__proto__": {}}}}', 'search.legs.__proto__'],
    ['{"search": {"legs": {"moa": {"extraContext": {"__proto__": {}}}}}}', 'search.legs.moa.extraContext.__proto__'],
    [
      '{"search": {"legs": {"moa": {"extraContext": {"a": [{"__proto__": 1}]}}}}}',
      'search.legs.moa.extraContext.a.0.__proto__',
    ],
  ])('reports __proto__ as a name once: %s', (content, setting) => {
    const problems = problemsOf(inFile(content)).filter((problem) => problem.setting.endsWith('__proto__'));

    expect(problems.map((problem) => problem.setting)).toEqual([setting]);
  });

  it.each(['[]', 'null', '"hunter2"', '42'])('rejects a file that contains %s', (content) => {
    expect(problemsOf(inFile(content))).toMatchObject([{ setting: '(file)', message: 'must contain a JSON object' }]);
  });

  it('reports the position of a JSON syntax error', () => {
    expect(problemsOf(inFile('{\n  "redis": "hunter2"\n  "listen": {}\n}'))).toMatchObject([
      { setting: '(file)', message: 'is not valid JSON (line 3 column 3)' },
    ]);
  });

  it.each(['hunter2', '{"password": hunter2}', '{"password": "hunter2', '{"a": "hunter2",}', ''])(
    'does not quote an invalid file: %j',
    (content) => {
      const problems = problemsOf(inFile(content));

      expect(problems).toMatchObject([{ setting: '(file)', message: expect.stringMatching(/^is not valid JSON/) }]);
      expect(JSON.stringify(problems)).not.toContain('hunter2');
    },
  );
});

const pathProblems = (name: keyof typeof memberApi.downstreams, paths: object) =>
  problemsOf(inFile(withDownstream(name, { paths }))).map(({ setting, message }) => `${setting} ${message}`);

const slow = (name: string) => ({
  setting: `downstreams.${name}.timeoutMs`,
  source: 'DOWNSTREAM_TIMEOUT_MS',
  message: 'must be an integer from 1 to 600000',
});

const missing = (setting: string) => ({
  setting,
  source: 'not set',
  message: 'required; must be an http or https URL',
});

const at = (settings: unknown, setting: string): unknown =>
  setting.split('.').reduce((value, name) => (value as Record<string, unknown>)[name], settings);

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
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
  it.each(['tcp://10.0.0.1:9100', 'udp://10.0.0.1:9100', 'sctp://[fd00::1]:9100'])('is no setting: %s', (link) => {
    const env = { METRICS_PORT: link, METRICS_PORT_9100_TCP: link, PORTICO_PORT: link };

    expect(settingsOf({ env }).settings.metrics.port).toBeNull();
    const inAFile = settingsOf(inFile({ metrics: { port: 9001 } }, { env }));
    expect([inAFile.settings.metrics.port, inAFile.sourceOf('metrics.port')]).toEqual([
      9001,
      expect.stringMatching('json'),
    ]);
  });

  it.each<SettingSources>([
    { env: { PORT: 'tcp://10.0.0.1:80' } },
    { env: { METRICS_PORT: 'tcp' } },
    { env: { METRICS_PORT: 'http://10.0.0.1:9100' } },
    { flags: { '--metrics-port': 'tcp://10.0.0.1:9100' } },
  ])('is not anything else that is no port: %j', (sources) => {
    expect(problemsOf(sources)).toMatchObject([{ message: 'must be a whole number from 0 to 65535' }]);
  });
});

describe('where a setting comes from', () => {
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
      values: [null, 9001, 9002, 9003],
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

  it('says of what nobody set that it is the default', () => {
    expect(settingsOf({}).sourceOf('listen.port')).toBe('default');
    expect(settingsOf(inFile({ listen: { host: '::1' } })).sourceOf('listen.port')).toBe('default');
  });

  it('gives every service the deadline of DOWNSTREAM_TIMEOUT_MS, over what the file says of one', () => {
    const { settings } = settingsOf(
      inFile(withDownstream('claims', { timeoutMs: 9000 }), { env: { DOWNSTREAM_TIMEOUT_MS: '1234' } }),
    );

    expect(Object.values(settings.downstreams ?? {}).map(({ timeoutMs }) => timeoutMs)).toEqual(
      Array.from({ length: 6 }, () => 1234),
    );
  });

  it('keeps a deadline of one service when all others have the default', () => {
    const { downstreams } = settingsOf(inFile(withDownstream('claims', { timeoutMs: 9000 }))).settings;

    expect([downstreams?.claims.timeoutMs, downstreams?.consent.timeoutMs]).toEqual([9000, 5000]);
  });

  it('finds the file by --config before PORTICO_CONFIG', () => {
    const flagged = settingsFile({ listen: { port: 1 } });
    const env = { PORTICO_CONFIG: settingsFile({ listen: { port: 2 } }) };

    expect(settingsOf({ env }).settings.listen.port).toBe(2);
    expect(settingsOf({ env, flags: { '--config': flagged } }).settings.listen.port).toBe(1);
  });

  it.each(['PORT', 'PORTICO_CONFIG', 'CLAIMS_URL', 'DOWNSTREAM_TIMEOUT_MS', 'REDIS_URL'])(
    'counts an empty %s as not set',
    (name) => {
      expect(settingsOf({ env: { [name]: '' } }).settings).toEqual(settingsOf({}).settings);
    },
  );

  it('falls back from an empty flag to the variable', () => {
    const { settings, sourceOf } = settingsOf({ flags: { '--port': '' }, env: { PORT: '9090' } });

    expect([settings.listen.port, sourceOf('listen.port')]).toEqual([9090, 'PORT']);
  });

  it('reads audiences separated by commas, with or without blanks', () => {
    const env = { IDENTITY_AUDIENCE: 'portal, app ,, admin' };

    expect(settingsOf(inFile(memberApi, { env })).settings.identity?.audience).toEqual(['portal', 'app', 'admin']);
  });

  it('takes every address from the environment alone', () => {
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
    expect(Object.entries(downstreams ?? {}).map(([name, { url }]) => [name, url])).toEqual(
      Object.keys(memberApi.downstreams).map((name) => [name, `https://${name}.example`]),
    );
    expect(redis.url).toBe('redis://redis.example');
  });
});

describe('what is wrong', () => {
  it('is said all at once, each with its setting, where it was set and what would be right', () => {
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
      { setting: 'listen.port', source: '--port', message: 'must be a whole number from 0 to 65535' },
      ...['eligibility', 'claims', 'documents'].map(slow),
      { setting: 'downstreams.policy.url', source: path, message: 'must be an http or https URL' },
      ...['policy', 'notifications', 'consent'].map(slow),
      { setting: 'limits.maxRequestBytes', source: path, message: 'must be a whole number from 1 to 104857600' },
      { setting: 'log.level', source: 'LOG_LEVEL', message: 'must be one of error, warn, info, silent' },
      {
        setting: 'listne',
        source: path,
        message:
          'is not a setting; known here: listen, roles, identity, downstreams, limits, connections, search, pages, cors, redis, metrics, log',
      },
    ]);
    expect(problemsOf({ flags: { '--config': broken } })).toEqual([
      { setting: 'identity.issuer', source: 'not set', message: 'must be an http or https URL' },
    ]);
  });

  it.each([
    [{ listen: { prot: 1 } }, 'listen.prot'],
    [{ ...memberApi, identity: { ...memberApi.identity, issuerUrl: 'x' } }, 'identity.issuerUrl'],
    [withDownstream('claims', { paths: { lst: '/x' } }), 'downstreams.claims.paths.lst'],
    [{ ...memberApi, downstreams: { ...memberApi.downstreams, billing: {} } }, 'downstreams.billing'],
    [{ search: { legs: { moa: { ...contractSample.search.legs.moa, gateway: 'x' } } } }, 'search.legs.moa.gateway'],
    ['{"__proto__": {"port": 1}}', '__proto__'],
  ])('includes a key that is not a setting, however deep: %#', (content, setting) => {
    expect(problemsOf(inFile(content))).toEqual([
      { setting, source: expect.any(String), message: expect.stringMatching(/^is not a setting; known here: /) },
    ]);
  });

  it.each(['-1', '65536', '80.5', '0x50', 'http', '1e3'])('includes the port %s', (port) => {
    expect(problemsOf({ env: { PORT: port } })).toEqual([
      { setting: 'listen.port', source: 'PORT', message: 'must be a whole number from 0 to 65535' },
    ]);
  });

  it.each(['0', '65535'])('does not include the port %s', (port) => {
    expect(settingsOf({ env: { PORT: port } }).settings.listen.port).toBe(Number(port));
  });

  it('includes a number written as a text in the file', () => {
    expect(problemsOf(inFile({ listen: { port: '8080' } })).map(({ setting }) => setting)).toEqual(['listen.port']);
  });

  it('includes an audience of nothing but commas', () => {
    expect(problemsOf(inFile(memberApi, { env: { IDENTITY_AUDIENCE: ' , ' } }))).toEqual([
      { setting: 'identity.audience', source: 'IDENTITY_AUDIENCE', message: 'must be a list of at least one text' },
    ]);
  });

  it('names the item of a list, and the file it is in', () => {
    const path = settingsFile({ ...memberApi, identity: { ...memberApi.identity, audience: ['portico', 5] } });

    expect(problemsOf({ flags: { '--config': path } })).toEqual([
      { setting: 'identity.audience.1', source: path, message: 'must be a text' },
    ]);
  });

  it('includes a symmetric algorithm', () => {
    const [problem, ...others] = problemsOf(
      inFile({ ...memberApi, identity: { ...memberApi.identity, algorithms: ['HS256'] } }),
    );

    expect(problem?.setting).toBe('identity.algorithms.0');
    expect(problem?.message).toMatch(/^must be one of RS256, /);
    expect(others).toEqual([]);
  });

  it('includes a section of the file that is not an object, even when a variable sets something in it', () => {
    const path = settingsFile({ listen: 'everywhere' });

    expect(problemsOf({ flags: { '--config': path }, env: { PORT: '9090' } })).toEqual([
      { setting: 'listen', source: path, message: 'must be an object' },
    ]);
  });

  it.each(['ftp://claims.example', 'claims.example', '//claims.example', 'http://'])(
    'includes %s for a service',
    (url) => {
      expect(problemsOf(inFile(memberApi, { env: { CLAIMS_URL: url } }))).toMatchObject([
        { setting: 'downstreams.claims.url', source: 'CLAIMS_URL', message: 'must be an http or https URL' },
      ]);
    },
  );

  it('includes a base address with a query, which the paths would be lost behind', () => {
    expect(problemsOf(inFile(memberApi, { env: { CLAIMS_URL: 'https://claims.example/?key=1' } }))).toEqual([
      {
        setting: 'downstreams.claims.url',
        source: 'CLAIMS_URL',
        message: 'must be a base URL, without query and fragment',
      },
    ]);
  });

  it('includes an address with a password, which could never be asked, and does not repeat it', () => {
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

  it('includes a leg whose id could not stand in an answer', () => {
    expect(problemsOf(inFile({ search: { legs: { 'a leg': contractSample.search.legs.moa } } }))).toMatchObject([
      {
        setting: 'search.legs.a leg',
        message: 'is not an id for a leg: 1 to 32 letters, digits, _ and -, not elapsed_ms, errors or traces',
      },
    ]);
  });

  it('says nothing of what was in a wrong value', () => {
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
  it.each(['/v2/{partyLocator}/claims', '/v2/claims', '/v2/claims?for={partyLocator}'])('may be %s', (list) => {
    expect(pathProblems('claims', { list })).toEqual([]);
  });

  it.each(['claims', '/claims/{member}', '/claims/../{partyLocator}', '//claims', '/claims#x', '/cla ims', '/{', ''])(
    'may not be %j',
    (list) => {
      expect(pathProblems('claims', { list })).toEqual([
        'downstreams.claims.paths.list must be a path that begins with "/" and knows only {partyLocator} and {locator}',
      ]);
    },
  );

  it('must hold {locator} where one thing is asked for, and nowhere else', () => {
    expect(pathProblems('documents', { get: '/documents/{partyLocator}', list: '/documents/{locator}' })).toEqual([
      'downstreams.documents.paths.list must not hold {locator}',
      'downstreams.documents.paths.get must hold {locator}',
    ]);
  });
});

describe('the halves', () => {
  const urls = Object.keys(memberApi.downstreams).map((name) => `downstreams.${name}.url`);

  it('are both optional', () => {
    const { identity, downstreams, search } = settingsOf({}).settings;

    expect([identity, downstreams, search.legs]).toEqual([undefined, undefined, undefined]);
  });

  it('accept the search half alone', () => {
    const { identity, search } = settingsOf(inFile({ search: contractSample.search })).settings;

    expect([identity, Object.keys(search.legs ?? {})]).toEqual([undefined, ['moa', 'mh']]);
  });

  it('do not begin with a deadline for all services', () => {
    expect(settingsOf({ env: { DOWNSTREAM_TIMEOUT_MS: '100' } }).settings.downstreams).toBeUndefined();
  });

  it('name every missing service when only the identity provider is set', () => {
    expect(problemsOf({ env: { IDENTITY_ISSUER: 'https://identity.example' } })).toEqual(urls.map(missing));
  });

  it('name the issuer and the other services when only one service is set', () => {
    expect(problemsOf({ flags: { '--claims-url': 'https://claims.example' } })).toEqual(
      ['identity.issuer', ...urls.filter((url) => url !== 'downstreams.claims.url')].map(missing),
    );
  });

  it('name the address of a service of which only a deadline is set', () => {
    const { url: _, ...claims } = memberApi.downstreams.claims;

    expect(problemsOf(inFile({ ...memberApi, downstreams: { ...memberApi.downstreams, claims } }))).toEqual([
      missing('downstreams.claims.url'),
    ]);
  });
});

describe('the roles', () => {
  const redis = { REDIS_URL: 'redis://redis.example' };
  const apart = 'search and callbacks apart find each other by Redis: set redis.url';

  it('are all of them, unless told', () => {
    const { settings, sourceOf } = settingsOf({});

    expect(settings.roles).toEqual(['member', 'search', 'callbacks']);
    expect(sourceOf('roles')).toBe('default');
  });

  it('are taken from a variable before the file, separated by commas', () => {
    const { settings, sourceOf } = settingsOf(
      inFile({ roles: ['search', 'callbacks'] }, { env: { ROLES: ' member,' } }),
    );

    expect([settings.roles, sourceOf('roles')]).toEqual([['member'], 'ROLES']);
    expect(settingsOf(inFile({ roles: ['search', 'callbacks'] })).settings.roles).toEqual(['search', 'callbacks']);
  });

  it('are known by name, each of them', () => {
    const path = settingsFile({ roles: ['member', 'everything'] });

    expect(problemsOf({ flags: { '--config': path } })).toEqual([
      { setting: 'roles.1', source: path, message: 'must be one of member, search, callbacks' },
    ]);
    expect(problemsOf({ env: { ROLES: 'members' } })).toEqual([
      { setting: 'roles.0', source: 'ROLES', message: 'must be one of member, search, callbacks' },
    ]);
  });

  it.each([{ roles: [] }, { roles: 'member' }, { roles: null }])(
    'are a list with something in it, unlike %j',
    (content) => {
      expect(problemsOf(inFile(content))).toMatchObject([
        { setting: 'roles', message: 'must be a list of at least one role' },
      ]);
    },
  );

  it.each(['member,search', 'search', 'callbacks', 'callbacks,member'])(
    'need a Redis to find each other by in %s, where search and callbacks are apart',
    (ROLES) => {
      const search = { search: contractSample.search };

      expect(problemsOf(inFile(search, { env: { ROLES } }))).toEqual([
        { setting: 'roles', source: 'ROLES', message: apart },
      ]);
      expect(settingsOf(inFile(search, { env: { ROLES, ...redis } })).settings.roles).toEqual(ROLES.split(','));
      expect(settingsOf({ env: { ROLES } }).settings.roles).toEqual(ROLES.split(','));
    },
  );

  it.each(['member', 'search,callbacks', 'member,search,callbacks'])('need no Redis in %s', (ROLES) => {
    const { roles } = settingsOf(inFile({ search: contractSample.search }, { env: { ROLES } })).settings;

    expect(roles).toEqual(ROLES.split(','));
  });
});

describe('the pages', () => {
  it('are none, and have an id of their own, unless told', () => {
    expect(settingsOf({}).settings.pages).toEqual({ directory: null, clientId: 'portico-web' });
    expect(settingsOf(inFile({ pages: { directory: null } })).settings.pages.directory).toBeNull();
  });

  it('may be anywhere, and known to the identity provider by any id', () => {
    const pages = { directory: 'dist/pages', clientId: 'a-portal' };
    const { settings, sourceOf } = settingsOf(inFile({ ...memberApi, pages: { directory: 'dist/pages' } }));

    expect(settings.pages).toEqual({ ...pages, clientId: 'portico-web' });
    expect([sourceOf('pages.directory'), sourceOf('pages.clientId')]).toEqual([
      expect.stringMatching(/portico\.json$/),
      'default',
    ]);
    expect(settingsOf(inFile({ ...memberApi, pages })).settings.pages).toEqual(pages);
  });

  it('need somewhere to sign in', () => {
    const path = settingsFile({ search: contractSample.search, pages: { directory: 'dist' } });

    expect(problemsOf({ flags: { '--config': path } })).toEqual([
      { setting: 'pages.directory', source: path, message: 'needs identity, where members sign in' },
    ]);
  });

  it('may sign in where the environment says', () => {
    const { downstreams } = memberApi;
    const env = { IDENTITY_ISSUER: 'https://identity.example' };

    expect(settingsOf(inFile({ downstreams, pages: { directory: 'dist' } }, { env })).settings.pages.directory).toBe(
      'dist',
    );
  });

  it('do not keep what else is wrong from being said', () => {
    const sources = inFile({ pages: { directory: 'dist', clientId: 5 }, search: { timeoutMs: 0 }, log: 'loud' });

    expect(
      problemsOf(sources)
        .map(({ setting }) => setting)
        .toSorted(),
    ).toEqual(['log', 'pages.clientId', 'pages.directory', 'search.timeoutMs']);
  });

  it.each([
    [{ directory: '' }, 'pages.directory', 'must be a folder, or null'],
    [{ directory: 5 }, 'pages.directory', 'must be a folder, or null'],
    [{ clientId: '' }, 'pages.clientId', 'must be a text'],
    [{ clientId: null }, 'pages.clientId', 'must be a text'],
    [{ folder: 'dist' }, 'pages.folder', 'is not a setting; known here: directory, clientId'],
    ['dist', 'pages', 'must be an object'],
    [null, 'pages', 'must be an object'],
  ])('may not be %j', (pages, setting, message) => {
    expect(problemsOf(inFile({ ...memberApi, pages }))).toEqual([{ setting, source: expect.any(String), message }]);
  });
});

describe('other origins', () => {
  it('are none unless told', () => {
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
  ])('may be %s', (origin) => {
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
  ])('may not be %j, which no browser would send', (origin) => {
    const path = settingsFile({ cors: { origins: ['https://portal.example', origin] } });

    expect(problemsOf({ flags: { '--config': path } })).toEqual([
      {
        setting: 'cors.origins.1',
        source: path,
        message: 'must be an origin: scheme, host and port, without a path',
      },
    ]);
  });

  it.each(['https://portal.example', '*', true, null, { 0: 'https://portal.example' }])(
    'are a list, not %j',
    (origins) => {
      expect(problemsOf(inFile({ cors: { origins } }))).toMatchObject([
        { setting: 'cors.origins', message: 'must be a list of origins' },
      ]);
    },
  );
});

describe('when only the identity provider is wanted', () => {
  const issuer = 'https://identity.example';
  const onlyIdentity = true;

  it('no service is needed', () => {
    const { identity, downstreams } = settingsOf({ env: { IDENTITY_ISSUER: issuer }, onlyIdentity }).settings;

    expect([identity?.issuer, downstreams]).toEqual([issuer, undefined]);
  });

  it('what is said of the services is not looked at, right or wrong', () => {
    const env = { CLAIMS_URL: 'claims', DOWNSTREAM_TIMEOUT_MS: 'soon' };
    const flags = { '--policy-url': 'policy' };
    for (const downstreams of [memberApi.downstreams, { billing: {} }, { claims: { url: 5 } }, 'none', null]) {
      const { identity } = memberApi;
      const { settings } = settingsOf(inFile({ identity, downstreams }, { env, flags, onlyIdentity }));

      expect([settings.identity, settings.downstreams]).toEqual([identity, undefined]);
    }
  });

  it('a service does not ask for an identity provider', () => {
    expect(settingsOf({ env: { CLAIMS_URL: 'https://claims.example' }, onlyIdentity }).settings.identity).toBe(
      undefined,
    );
  });

  it('its settings come from the same places', () => {
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

  it('everything else that is wrong is said all the same', () => {
    const env = { IDENTITY_TOKEN_URL: 'token', CLAIMS_URL: 'claims', PORT: 'http' };
    const sources = inFile({ search: { timeoutMs: 0 } }, { env, onlyIdentity });

    expect(problemsOf(sources).map(({ setting, source }) => [setting, source])).toEqual([
      ['listen.port', 'PORT'],
      ['identity.issuer', 'not set'],
      ['identity.tokenUrl', 'IDENTITY_TOKEN_URL'],
      ['search.timeoutMs', sources.flags['--config']],
    ]);
  });

  it('a file that cannot be read is still a problem', () => {
    const env = { CLAIMS_URL: 'claims', PORTICO_CONFIG: '/nowhere/portico.json' };

    expect(problemsOf({ env, onlyIdentity })).toEqual([
      { setting: '(file)', source: '/nowhere/portico.json', message: 'cannot be read (ENOENT)' },
    ]);
  });
});

describe('the file', () => {
  it('that cannot be read does not hide what else is wrong', () => {
    const sources = { flags: { '--config': '/nowhere/portico.json' }, env: { PORT: 'abc', CLAIMS_URL: 'claims' } };
    expect(problemsOf(sources).map(({ setting, source }) => [setting, source])).toEqual([
      ['(file)', '/nowhere/portico.json'],
      ['listen.port', 'PORT'],
      ['downstreams.claims.url', 'CLAIMS_URL'],
    ]);
  });

  it('may be the whole sample of the contract', () => {
    const { log: _, ...settings } = settingsOf(inFile(contractSample)).settings;

    expect(settings).toMatchObject(contractSample);
  });

  it('may say null where the sample does, and leave out what has a default', () => {
    const { jwksUrl, tokenUrl, audience } = settingsOf(
      inFile({ ...memberApi, identity: { issuer: 'https://identity.example', jwksUrl: null, tokenUrl: null } }),
    ).settings.identity!;

    expect([jwksUrl, tokenUrl, audience]).toEqual([null, null, ['portico']]);
  });

  it('may not say null elsewhere', () => {
    expect(problemsOf(inFile({ listen: { port: null } }))).toMatchObject([
      { setting: 'listen.port', message: 'must be a whole number from 0 to 65535' },
    ]);
  });

  it('may begin with a byte order mark, as some editors write one', () => {
    expect(settingsOf(inFile('\uFEFF{"listen":{"port":1}}')).settings.listen.port).toBe(1);
  });

  it('that does not exist is named', () => {
    const path = join(dirname(settingsFile('')), 'nowhere.json');

    expect(problemsOf({ flags: { '--config': path } })).toEqual([
      { setting: '(file)', source: path, message: 'cannot be read (ENOENT)' },
    ]);
  });

  it('that is a directory is named', () => {
    const path = mkdtempSync(join(tmpdir(), 'portico-settings-'));
    onTestFinished(() => rmSync(path, { recursive: true }));

    expect(problemsOf({ env: { PORTICO_CONFIG: path } })).toEqual([
      { setting: '(file)', source: path, message: 'cannot be read (EISDIR)' },
    ]);
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'that may not be read is named (skipped for root, who may read anything)',
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
  ])('that gives a name twice has a problem that names it: %s', (content, settings) => {
    const repeated = problemsOf(inFile(content)).filter(({ message }) => message === 'is given more than once');

    expect(repeated.map(({ setting }) => setting)).toEqual(settings);
  });

  it('may give one name in several objects, and as a value', () => {
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
  ])('that uses __proto__ as a name has one problem that names it: %s', (content, setting) => {
    const problems = problemsOf(inFile(content)).filter((problem) => problem.setting.endsWith('__proto__'));

    expect(problems.map((problem) => problem.setting)).toEqual([setting]);
  });

  it.each(['[]', 'null', '"hunter2"', '42'])('that holds %s is no settings file', (content) => {
    expect(problemsOf(inFile(content))).toMatchObject([{ setting: '(file)', message: 'must hold a JSON object' }]);
  });

  it('that is not JSON is named with the place of the mistake', () => {
    expect(problemsOf(inFile('{\n  "redis": "hunter2"\n  "listen": {}\n}'))).toMatchObject([
      { setting: '(file)', message: 'is not valid JSON (line 3 column 3)' },
    ]);
  });

  it.each(['hunter2', '{"password": hunter2}', '{"password": "hunter2', '{"a": "hunter2",}', ''])(
    'that is not JSON is never quoted: %j',
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
  message: 'must be a whole number from 1 to 600000',
});

const missing = (setting: string) => ({ setting, source: 'not set', message: 'must be an http or https URL' });

const at = (settings: unknown, setting: string): unknown =>
  setting.split('.').reduce((value, name) => (value as Record<string, unknown>)[name], settings);

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeClock } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { directory, documentIn, fileWith, portico, type Test } from '../program/binary.test.support.ts';
import {
  closedPort,
  freePort,
  identityProvider,
  legAt,
  memberEnvironment,
  sendJson,
  webServer,
} from '../program/outside-world.test.support.ts';
import { settingsOf } from '../settings/settings-file.test.support.ts';
import { checkRunner } from './check.ts';
import { examine } from './doctor.ts';
import type { Report } from './report.ts';

/** No test reaches this deadline. */
const patient = '--timeout 600000';

const never = new AbortController().signal;

/** A provider and a server that is every service. */
const world = async (test: Test) => {
  const identity = await identityProvider(test);
  const service = await webServer(test, (response) => response.writeHead(404).end());
  return { identity, service, env: memberEnvironment(identity.issuer, service.url) };
};

const lines = ({ checks }: Report) => Object.fromEntries(checks.map(({ name, outcome }) => [name, outcome]));
const rulesOf = ({ token = [] }: Report) => Object.fromEntries(token.map(({ rule, outcome }) => [rule, outcome]));
const lineOf = (name: string, { checks }: Report) => checks.find((line) => line.name === name);

const doctorFinds = async (test: Test, env: Readonly<Record<string, string>>, args = 'doctor --json') => {
  const ended = await portico(test, `${args} ${patient}`, { env });
  return { ...ended, report: documentIn(ended) as Report };
};

describe('portico doctor, when all is well', () => {
  it('prints a line for each outside system and exits 0 when all is well', async (test) => {
    const { env } = await world(test);
    const { exitCode, report, stderr } = await doctorFinds(test, env);

    expect([exitCode, stderr, report.ok]).toEqual([0, '', true]);
    expect(lines(report)).toEqual({
      issuer: 'ok',
      'key set': 'ok',
      "provider's clock": 'ok',
      'eligibility service': 'ok',
      'claims service': 'ok',
      'documents service': 'ok',
      'policy service': 'ok',
      'notifications service': 'ok',
      'consent service': 'ok',
    });
  });

  it('shows people a mark, the milliseconds and the result of each check, and a summary', async (test) => {
    const { env } = await world(test);
    const { exitCode, stdout } = await portico(test, `doctor ${patient}`, { env });

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^ {3}Check +ms {2}Result\n✔ {2}issuer +\d+ {2}the discovery document names the same issuer\n/,
    );
    expect(stdout).toMatch(/\n✔ {2}claims service +\d+ {2}HTTP 404\n/);
    expect(stdout).toMatch(/\n9 passed, 0 failed, 0 not tested\.\n$/);
  });

  it('sends only discovery, key set and HEAD requests, without credentials', async (test) => {
    const authorizations: (string | undefined)[] = [];
    const { identity } = await world(test);
    const service = await webServer(test, (response, { headers }) => {
      authorizations.push(headers.authorization);
      response.end();
    });
    const env = { ...memberEnvironment(identity.issuer, service.url), PORTICO_TOKEN: identity.token() };
    await portico(test, `doctor ${patient}`, { env });

    expect(identity.received.toSorted()).toEqual(['GET /.well-known/openid-configuration', 'GET /keys']);
    expect(service.received.map((line) => line.split('/')[0])).toEqual(Array.from({ length: 6 }, () => 'HEAD '));
    expect(authorizations.every((value) => value === undefined)).toBe(true);
  });
});

describe('portico doctor, with credentials of services', () => {
  const downstreams = {
    claims: { credentials: { kind: 'client-credentials' } },
    policy: { credentials: { kind: 'token-exchange' } },
  };

  /** Runs doctor with a token endpoint that responds with this status and body. */
  const found = async (test: Test, status: number, body: object) => {
    const { env } = await world(test);
    const tokens = await webServer(test, (response) => {
      response.statusCode = status;
      sendJson(response, body);
    });
    const config = fileWith(
      test,
      JSON.stringify({ identity: { client: { id: 'portico', secret: 'canary' } }, downstreams }),
    );
    const ended = await doctorFinds(
      test,
      { ...env, IDENTITY_TOKEN_URL: tokens.url },
      `doctor --json --config ${config}`,
    );
    expect(tokens.received).toEqual(['POST /']);
    expect(ended.stdout + ended.stderr).not.toContain('canary');
    return ended;
  };

  it('requests a token without a member, and does not test a token exchange', async (test) => {
    const { exitCode, report } = await found(test, 200, { access_token: 'canary', expires_in: 300 });

    expect(exitCode).toBe(0);
    expect(lineOf('claims credentials', report)).toMatchObject({
      outcome: 'ok',
      detail: 'the identity provider issued a token for 300 s',
    });
    expect(lineOf('policy credentials', report)?.outcome).toBe('not-tested');
  });

  it('reports a client that the identity provider refuses', async (test) => {
    const { exitCode, report } = await found(test, 401, { error: 'invalid_client', error_description: 'canary' });

    expect(exitCode).toBe(4);
    expect(lineOf('claims credentials', report)).toMatchObject({
      outcome: 'failed',
      detail: 'the token endpoint responds with HTTP 401',
    });
  });
});

describe('portico doctor names what is wrong, what to do, and exits 4', () => {
  it('reports a service at whose URL nothing listens', async (test) => {
    const { env } = await world(test);
    const { exitCode, report, stdout } = await doctorFinds(test, {
      ...env,
      CLAIMS_URL: `http://127.0.0.1:${closedPort}/canary`,
    });

    expect([exitCode, report.ok]).toEqual([4, false]);
    expect(lineOf('claims service', report)).toMatchObject({
      outcome: 'failed',
      detail: 'connection refused (ECONNREFUSED)',
      advice: 'Start the server, or check the port in downstreams.claims.url.',
    });
    expect(stdout).not.toMatch(/canary|127\.0\.0\.1/);
  });

  it('reports a refused connection when every URL has a port that fetch refuses', async (test) => {
    const { exitCode, report } = await doctorFinds(test, memberEnvironment('http://127.0.0.1:1', 'http://127.0.0.1:1'));

    expect(exitCode).toBe(4);
    expect(report.checks.filter(({ detail }) => detail === 'connection refused (ECONNREFUSED)')).toHaveLength(7);
  });

  it('reports a failed TLS handshake when https is set for a server without TLS', async (test) => {
    const { env, service } = await world(test);
    const { report } = await doctorFinds(test, { ...env, CLAIMS_URL: service.url.replace('http:', 'https:') });

    expect(lineOf('claims service', report)?.detail).toMatch(/^TLS: the handshake failed/);
  });

  it('reports a discovery document that names another issuer', async (test) => {
    const other = 'https://id.example/realms/other';
    const provider = await webServer(test, (response) =>
      sendJson(response, { issuer: other, jwks_uri: `${provider.url}/keys` }),
    );
    const { report } = await doctorFinds(test, memberEnvironment(provider.url, provider.url));

    expect(lineOf('issuer', report)).toMatchObject({
      outcome: 'failed',
      detail: `the discovery document names another issuer: ${other}`,
    });
    expect(lineOf('key set', report)).toMatchObject({ outcome: 'not-tested' });
  });

  it('reports an issuer that has no discovery document', async (test) => {
    const provider = await webServer(test, (response) => response.writeHead(404).end());
    const { report } = await doctorFinds(test, memberEnvironment(provider.url, provider.url));

    expect(lineOf('issuer', report)).toMatchObject({
      outcome: 'failed',
      advice: 'Check identity.issuer, or set identity.jwksUrl.',
    });
  });

  it('reports a key set in which no key fits the algorithms', async (test) => {
    const { env } = await world(test);
    const config = fileWith(
      test,
      '{"identity":{"issuer":"https://id.example","algorithms":["RS256"]},"downstreams":{}}',
    );
    const { exitCode, report } = await doctorFinds(test, { ...env, PORTICO_CONFIG: config });

    expect(exitCode).toBe(4);
    expect(lineOf('key set', report)).toMatchObject({
      outcome: 'failed',
      detail: 'no key fits identity.algorithms (RS256)',
      advice: 'Add the algorithm of your tokens to identity.algorithms; the keys are for ES256.',
    });
  });

  it.for([
    [-120, 'behind'],
    [120, 'ahead of'],
  ] as const)('reports a provider whose clock is off by %i seconds', async ([seconds, where], test) => {
    const provider = await webServer(test, (response) => {
      response.setHeader('Date', new Date(Date.now() + seconds * 1000).toUTCString());
      sendJson(response, { issuer: provider.url, jwks_uri: `${provider.url}/keys` });
    });
    const { report } = await doctorFinds(test, memberEnvironment(provider.url, provider.url));

    expect(lineOf("provider's clock", report)).toMatchObject({
      outcome: 'failed',
      detail: expect.stringMatching(
        new RegExp(`^1\\d\\d s ${where} this machine; identity.clockToleranceSeconds is 5$`),
      ),
    });
  });

  it('but a cache in front of the provider does not make its clock wrong', async (test) => {
    const provider = await webServer(test, (response) => {
      response.setHeader('Date', new Date(Date.now() - 600_000).toUTCString());
      response.setHeader('Age', '600');
      sendJson(response, { issuer: provider.url, jwks_uri: `${provider.url}/keys` });
    });
    const { report } = await doctorFinds(test, memberEnvironment(provider.url, provider.url));

    expect(lineOf("provider's clock", report)).toMatchObject({ outcome: 'ok' });
  });

  it('reports a Redis server that refuses the connection', async (test) => {
    const { env } = await world(test);
    const { report, stdout } = await doctorFinds(test, {
      ...env,
      REDIS_URL: `redis://user:canary@127.0.0.1:${closedPort}`,
    });

    expect(lineOf('Redis', report)).toMatchObject({ outcome: 'failed', detail: 'connection refused (ECONNREFUSED)' });
    expect(stdout).not.toContain('canary');
  });

  it('reports a gateway and a registry that cannot be reached', async (test) => {
    const down = `http://127.0.0.1:${closedPort}`;
    const leg = legAt(down, { verifyCallbacks: true });
    const search = fileWith(
      test,
      JSON.stringify({ search: { legs: { moa: leg }, registryUrl: down }, listen: { port: 0 } }),
    );
    const { exitCode, report } = await doctorFinds(test, { PORTICO_CONFIG: search });

    expect(exitCode).toBe(4);
    expect(lines(report)).toEqual({
      'gateway of leg moa': 'failed',
      registry: 'failed',
      'callback URL of leg moa': 'not-tested',
    });
  });
});

it('a server that never responds fails its own check at the deadline, and no other', async (test) => {
  const { env } = await world(test);
  const { url, firstRequest } = await webServer(test, () => {});
  const clock = fakeClock(Date.now());
  const examined = examine(
    settingsOf({ env: { ...env, CLAIMS_URL: url } }),
    undefined,
    clock,
    checkRunner(clock, never, 5000),
  );
  await firstRequest;
  await expect.poll(() => clock.scheduled, { interval: 1 }).toBe(1);
  clock.advance(5000);
  const report = await examined;

  expect(report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([
    {
      name: 'claims service',
      outcome: 'failed',
      elapsedMs: 5000,
      detail: 'no response within 5000 ms',
      advice: expect.stringContaining('firewall'),
    },
  ]);
});

/** The line about the callback URL of a leg with this bapUri, for an instance that listens on this port. */
const findCallbackUrl = async (test: Test, bapUri: string, port: number, leg: object = {}) => {
  const gateway = await webServer(test, (response) => response.end());
  const search = { legs: { moa: legAt(gateway.url, { bapUri, ...leg }) } };
  const config = fileWith(test, JSON.stringify({ search, listen: { port } }));
  const { report } = await doctorFinds(test, { PORTICO_CONFIG: config });
  return lineOf('callback URL of leg moa', report);
};

it('a response that never ends fails its own check at the deadline', async (test) => {
  const { service } = await world(test);
  const begun = Promise.withResolvers<void>();
  const provider = await webServer(test, (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"issuer":', () => begun.resolve());
  });
  const clock = fakeClock(Date.now());
  const settings = settingsOf({ env: memberEnvironment(provider.url, service.url) });
  const examined = examine(settings, undefined, clock, checkRunner(clock, never, 5000));
  await begun.promise;
  await expect.poll(() => clock.scheduled, { interval: 1 }).toBe(1);
  clock.advance(5000);

  expect(lineOf('issuer', await examined)).toMatchObject({ outcome: 'failed', detail: 'no response within 5000 ms' });
});

describe('the callback URL of a leg', () => {
  it.for(['', '/', '/on_search', '/on_search/'])(
    'is ok when it leads to listen: bapUri ends with %j',
    async (end, test) => {
      const port = await freePort();

      expect(await findCallbackUrl(test, `http://127.0.0.1:${port}${end}`, port)).toMatchObject({
        outcome: 'ok',
        detail: 'leads to this machine',
      });
    },
  );

  it('fails when it leads to listen with a path that is not served', async (test) => {
    const port = await freePort();

    expect(await findCallbackUrl(test, `http://127.0.0.1:${port}/shop`, port)).toMatchObject({
      outcome: 'failed',
      detail: 'leads to this machine, but not to /on_search',
    });
  });

  it('fails when another server responds', async (test) => {
    const other = await webServer(test, (response) => response.end('welcome'));

    expect(await findCallbackUrl(test, `${other.url}/base`, await freePort())).toMatchObject({
      outcome: 'failed',
      detail: 'HTTP 200 from another server',
    });
    expect(other.received).toEqual(['GET /base/on_search']);
  });

  it('is the path of the profile', async (test) => {
    const other = await webServer(test, (response) => response.end('welcome'));
    for (const end of ['', '/on_discover'])
      await findCallbackUrl(test, `${other.url}/base${end}`, await freePort(), { profile: 'beckn-2.0' });

    expect(other.received).toEqual(['GET /base/on_discover', 'GET /base/on_discover']);
  });

  it('fails when nothing listens there', async (test) => {
    const [port, other] = [await freePort(), await freePort()];

    expect(await findCallbackUrl(test, `http://127.0.0.1:${other}`, port)).toMatchObject({
      outcome: 'failed',
      detail: 'connection refused (ECONNREFUSED)',
    });
  });

  it('the callback URL of a leg is not tested while the port is in use', async (test) => {
    const { url } = await webServer(test, () => {});

    expect(await findCallbackUrl(test, url, Number(new URL(url).port))).toMatchObject({
      outcome: 'not-tested',
      detail: expect.stringContaining('already in use'),
      advice: 'To test it, stop the portico that listens there and run doctor again.',
    });
  });
});

describe('portico doctor with a token', () => {
  it('shows that each rule holds', async (test) => {
    const { env, identity } = await world(test);
    const { exitCode, report } = await doctorFinds(test, { ...env, PORTICO_TOKEN: identity.token() });

    expect(exitCode).toBe(0);
    expect(rulesOf(report)).toEqual({
      form: 'ok',
      algorithm: 'ok',
      type: 'ok',
      key: 'ok',
      signature: 'ok',
      issuer: 'ok',
      audience: 'ok',
      lifetime: 'ok',
      binding: 'ok',
      program: 'ok',
      client: 'ok',
      locator: 'ok',
    });
  });

  it('shows the expected and the found audience when they differ, and exits 4', async (test) => {
    const { env, identity } = await world(test);
    const file = fileWith(test, identity.token({ aud: 'not-portico', partyLocator: 'PTY-canary' }));
    const { exitCode, report, stdout } = await doctorFinds(test, env, `doctor --json --token-file ${file}`);

    expect(exitCode).toBe(4);
    expect(report.token?.filter(({ outcome }) => outcome === 'failed')).toEqual([
      { rule: 'audience', outcome: 'failed', expected: 'portico', found: 'not-portico' },
    ]);
    expect(stdout).not.toContain('canary');
  });

  it('shows people the rules as a table, without control characters of the token', async (test) => {
    const { env, identity } = await world(test);
    const token = identity.token({ aud: 'not-\u001b[31mportico' });
    const { exitCode, stdout } = await portico(test, `doctor --token-stdin ${patient}`, { env, input: token });

    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/\n {3}Token +Expected +Found\n✔ {2}form /);
    expect(stdout).toMatch(/\n✖ {2}audience +portico +not-portico\n/);
    expect(stdout).not.toContain('\u001b');
  });

  it('never prints the token', async (test) => {
    const { env, identity } = await world(test);
    const token = identity.token();
    const { stdout, stderr } = await portico(test, `doctor --verbose ${patient}`, {
      env: { ...env, PORTICO_TOKEN: token },
    });
    const [, claims = '', signature = ''] = token.split('.');

    expect(stderr).toMatch(/^portico: HEAD claims: 404 in \d+ ms, request id none$/m);
    expect(stdout + stderr).not.toContain(claims);
    expect(stdout + stderr).not.toContain(signature);
  });
});

it('portico doctor finds out whether there are pages to serve', async (test) => {
  const [pages, provider] = [directory(test), await webServer(test, (response) => response.writeHead(404).end())];
  const config = fileWith(test, JSON.stringify({ pages: { directory: pages, clientId: 'pages' } }));
  const env = { ...memberEnvironment(provider.url, provider.url), IDENTITY_AUDIENCE: 'portico' };
  const line = async () => {
    const { stdout } = await portico(test, `doctor --json --config ${config}`, { env });
    const { checks } = JSON.parse(stdout) as { checks: readonly { name: string; outcome: string; detail: string }[] };
    const { outcome, detail } = checks.find(({ name }) => name === 'pages')!;
    return [outcome, detail];
  };

  expect(await line()).toEqual(['not-tested', 'pages.directory must contain an index.html; build the pages first']);
  writeFileSync(join(pages, 'index.html'), '<!doctype html>');
  expect(await line()).toEqual(['ok', 'the folder has an index.html']);
});

it('portico doctor refuses settings that enable no API', async (test) => {
  const { exitCode, stdout } = await portico(test, 'doctor --json');

  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toEqual({
    ok: false,
    code: 'invalid-request',
    detail: 'These settings enable no API.',
  });
});

it.each(['0', '-1', '1.5', 'soon'])('portico doctor refuses the deadline %s', async (timeout) => {
  const test = { onTestFinished: () => {} };

  const { exitCode, stderr } = await portico(test, `doctor --timeout ${timeout}`);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(`option '--timeout <ms>' argument '${timeout}' is invalid`),
  ]);
});

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { compileCache, nodeArguments } from '../program/binary.test.support.ts';
import {
  bearer,
  becknNetwork,
  identityProvider,
  legAt,
  memberEnvironment,
  searchFor,
  sendJson,
  webServer,
} from '../program/outside-world.test.support.ts';

type Test = Pick<TestContext, 'onTestFinished'>;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Starts `portico serve`, and kills it at the end of the test. */
const startPortico = (test: Test, env: Readonly<Record<string, string>>, args: readonly string[] = ['--port', '0']) => {
  const child = spawn(process.execPath, [...nodeArguments, 'serve', ...args], {
    env: { NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[exitCode: number | null, signal: string | null]>;
  test.onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const output = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const check of listeners) check();
    });
  const until = (name: keyof typeof output, pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const check = () => void (pattern.test(output[name]) && resolve());
      listeners.add(check);
      check();
      void ended.then(() => reject(new Error(`ended without printing ${pattern} on ${name}: ${output.stderr}`)));
    });
  return { child, ended, output, until, kill: (signal: NodeJS.Signals) => child.kill(signal) };
};

/** Starts `portico serve` and waits for its URL. */
const servingPortico = async (test: Test, env: Readonly<Record<string, string>> = {}) => {
  const portico = startPortico(test, env);
  await portico.until('stdout', /\n/);
  const [url = ''] = /http:\S+/.exec(portico.output.stdout) ?? [];
  return { ...portico, url };
};

/** Parses the lines of a log. */
const linesOf = (stderr: string) =>
  stderr
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

const messagesBesideRequests = (stderr: string) =>
  linesOf(stderr).flatMap(({ message }) => (message === 'request' ? [] : [message]));

/** Creates a settings file that is removed after the test. */
const settingsFile = (test: Test, content: object): string => {
  const path = join(emptyDirectory(test), 'portico.json');
  writeFileSync(path, JSON.stringify(content));
  return path;
};

/** Creates a directory that is removed after the test. */
const emptyDirectory = (test: Test): string => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-serve-'));
  test.onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
};

/** Starts `portico serve` with the search API only. */
const searchingPortico = (test: Test, search: object, redisUrl = '') =>
  servingPortico(test, { PORTICO_CONFIG: settingsFile(test, { search }), REDIS_URL: redisUrl });

/** Sends the callback of a seller for this transaction. */
const callBackTo = async (url: string, transactionId: string) => {
  const response = await fetch(`${url}/on_search`, {
    method: 'POST',
    body: JSON.stringify({ context: { action: 'on_search', transaction_id: transactionId }, message: {} }),
  });
  return [response.status, await response.json()] as const;
};

/** Starts `portico serve` with a pending request for coverage. `respond` sends the response of the service. */
const busyPortico = async (test: Test, env: Readonly<Record<string, string>> = {}) => {
  const identity = await identityProvider(test);
  let pending: ServerResponse | undefined;
  const slow = await webServer(test, (response) => {
    pending = response;
  });
  const portico = await servingPortico(test, {
    ...memberEnvironment(identity.issuer, slow.url),
    DOWNSTREAM_TIMEOUT_MS: '60000',
    ...env,
  });
  const response = fetch(`${portico.url}/me/coverage`, bearer(identity.token()));
  response.catch(() => {});
  await slow.firstRequest;
  return { ...portico, response, respond: (body: unknown) => sendJson(pending!, body) };
};

/** Returns a URL without a listener. */
const unusedUrl = async (): Promise<string> => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
};

const causeCode = async (failing: Promise<unknown>) =>
  failing.then(
    () => 'none',
    (error: unknown) => ((error as Error).cause as NodeJS.ErrnoException).code,
  );

describe.concurrent('portico serve', () => {
  it('prints its URL on stdout, and serves the member API', async (test) => {
    const identity = await identityProvider(test);
    const service = await webServer(test, (response) => sendJson(response, { plan: 'Gold' }));
    const env = { ...memberEnvironment(identity.issuer, service.url), LOG_LEVEL: 'warn' };
    const { url, output } = await servingPortico(test, env);

    const response = await fetch(`${url}/me/coverage`, bearer(identity.token()));
    expect([response.status, await response.json()]).toEqual([200, { plan: 'Gold' }]);
    expect((await fetch(`${url}/me/coverage`)).status).toBe(401);
    expect((await fetch(`${url}/me/nothing`, bearer(identity.token()))).status).toBe(404);
    expect(output).toEqual({ stdout: `portico listens on ${url}\n`, stderr: '' });
    expect(service.received).toEqual(['GET /eligibility/members/PTY-1/coverage']);
  });

  it('prints its URL and APIs as one document with --json', async (test) => {
    const { issuer } = await identityProvider(test);
    const portico = startPortico(test, memberEnvironment(issuer, issuer), ['--port', '0', '--json']);
    await portico.until('stdout', /\n/);
    portico.kill('SIGTERM');

    expect(await portico.ended).toEqual([0, null]);
    expect(JSON.parse(portico.output.stdout)).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      serves: ['member portal'],
    });
  });

  it('runs a search and receives the callback of the seller', async (test) => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise, 'Dental cover');
    const { url, kill, ended, output } = await searchingPortico(test, { legs: { moa: legAt(network.url) } });
    publicBase.resolve(`${url}/on_search`);

    expect(await (await fetch(`${url}/health`)).json()).toEqual({
      status: 'ok',
      version,
      uptime_s: expect.any(Number),
      pending: 0,
      callbacks: { delivered: 0, duplicate: 0, late: 0, unknown: 0, rejected: 0, mismatched: 0 },
    });
    expect(await (await fetch(`${url}/api/legs`)).json()).toEqual({
      legs: [
        {
          id: 'moa',
          label: 'A network',
          domain: 'schemes:health',
          version: '1.1.0',
          city: 'std:080',
          category_code: 'HEALTH',
          bap_id: 'bap.example',
          bap_uri: 'https://bap.example',
          gateway_url: network.url,
          gateway_path: '/search',
          ttl: 'PT10M',
        },
      ],
    });

    const result = (await (await searchFor(url, 'dental')).json()) as Readonly<Record<string, unknown>>;
    const [sent] = network.requests;
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      context: {
        domain: 'schemes:health',
        action: 'search',
        version: '1.1.0',
        bap_id: 'bap.example',
        bap_uri: 'https://bap.example',
        transaction_id: expect.stringMatching(uuid),
        message_id: expect.stringMatching(uuid),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        ttl: 'PT10M',
        city: 'std:080',
      },
      message: {
        intent: { category: { descriptor: { code: 'HEALTH' } }, item: { descriptor: { name: 'dental' } } },
      },
    });
    expect(result).toEqual({
      elapsed_ms: expect.any(Number),
      moa: {
        context: { ...sent?.context, action: 'on_search', bpp_id: 'bpp.example' },
        message: { catalog: { providers: [{ descriptor: { name: 'Dental cover' }, items: [] }] } },
      },
      traces: {
        moa: { transaction_id: sent?.context['transaction_id'], elapsed_ms: expect.any(Number), label: 'A network' },
      },
    });
    expect(await Promise.all(network.responses)).toEqual([[200, { message: { ack: { status: 'ACK' } } }]]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ pending: 0, callbacks: { delivered: 1 } });

    kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(output.stdout).toBe(`portico listens on ${url}\n`);
    expect(messagesBesideRequests(output.stderr)).toEqual(['draining', 'stopped']);
  });

  it('rejects requests and callbacks above the configured sizes', async (test) => {
    const identity = await identityProvider(test);
    const { url } = await servingPortico(test, {
      ...memberEnvironment(identity.issuer, identity.issuer),
      PORTICO_CONFIG: settingsFile(test, {
        search: { legs: { moa: legAt('http://127.0.0.1:9') } },
        limits: { maxRequestBytes: 10, maxCallbackBytes: 20 },
      }),
    });
    const { headers } = bearer(identity.token());
    const statusOf = async (path: string, body: string) =>
      (
        await fetch(`${url}${path}`, {
          method: 'POST',
          body,
          headers: { ...headers, 'content-type': 'application/json' },
        })
      ).status;

    expect(await statusOf('/me/claims', '{}'.padEnd(11))).toBe(413);
    expect(await statusOf('/me/claims', '{}'.padEnd(10))).toBe(400);
    expect(await statusOf('/api/search', '{}'.padEnd(11))).toBe(413);
    expect(await statusOf('/api/search', '{}'.padEnd(10))).toBe(400);
    expect(await statusOf('/on_search', '{}'.padEnd(21))).toBe(413);
    expect(await statusOf('/on_search', '{}'.padEnd(20))).toBe(400);
  });

  it('serves only the member API with the role member', async (test) => {
    const identity = await identityProvider(test);
    const service = await webServer(test, (response) => sendJson(response, { plan: 'Gold' }));
    const { url } = await servingPortico(test, {
      ...memberEnvironment(identity.issuer, service.url),
      PORTICO_CONFIG: settingsFile(test, { search: { legs: { moa: legAt('http://127.0.0.1:9') } } }),
      ROLES: 'member',
    });
    const { headers } = bearer(identity.token());

    expect(await (await fetch(`${url}/me/coverage`, { headers })).json()).toEqual({ plan: 'Gold' });
    expect((await searchFor(url)).status).toBe(404);
    expect((await fetch(`${url}/api/legs`, { headers })).status).toBe(404);
    expect((await fetch(`${url}/on_search`, { method: 'POST', body: '{}', headers })).status).toBe(404);
  });

  it('serves only the search API with the roles search and callbacks', async (test) => {
    const { issuer } = await identityProvider(test);
    const env = {
      ...memberEnvironment(issuer, issuer),
      PORTICO_CONFIG: settingsFile(test, { search: { legs: { moa: legAt('http://127.0.0.1:9') } } }),
      ROLES: 'search,callbacks',
    };
    const { until, output } = startPortico(test, env, ['--port', '0', '--json']);
    await until('stdout', /\n/);
    const { url, serves } = JSON.parse(output.stdout) as { readonly url: string; readonly serves: unknown };

    expect(serves).toEqual(['federated search']);
    expect((await fetch(`${url}/me/coverage`)).status).toBe(404);
    expect((await fetch(`${url}/api/legs`)).status).toBe(200);
  });

  it('runs searches while Redis is unreachable, reports it in /health, and hides the password', async (test) => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise);
    const redisUrl = (await unusedUrl()).replace('http://', 'redis://:hunter2@');
    const { url, kill, ended, output } = await searchingPortico(test, { legs: { moa: legAt(network.url) } }, redisUrl);
    publicBase.resolve(`${url}/on_search`);
    const health = await (await fetch(`${url}/health`)).json();

    expect(health).toMatchObject({
      status: 'degraded',
      reasons: [expect.stringContaining('Redis')],
      pending: 0,
    });
    expect(await (await searchFor(url)).json()).toMatchObject({ moa: { context: { action: 'on_search' } } });
    expect(await Promise.all(network.responses)).toEqual([[200, { message: { ack: { status: 'ACK' } } }]]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ pending: 0, callbacks: { delivered: 1 } });

    expect(await callBackTo(url, randomUUID())).toMatchObject([503, { message: { ack: { status: 'NACK' } } }]);
    kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(`${output.stdout}${output.stderr}${JSON.stringify(health)}`).not.toContain('hunter2');
  });

  it('serves the pages and their config.json', async (test) => {
    const { issuer } = await identityProvider(test);
    const directory = emptyDirectory(test);
    writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Portico</title>');
    const { url } = await servingPortico(test, {
      ...memberEnvironment(`${issuer}/realms/portico`, issuer),
      PORTICO_CONFIG: settingsFile(test, {
        pages: { directory, clientId: 'a-portal', scope: 'openid', authorizeParameters: { audience: 'portico' } },
        search: { legs: { moa: legAt('http://127.0.0.1:9') }, personas: ['member'] },
      }),
    });
    const document = { headers: { accept: 'text/html' } };

    const page = await fetch(`${url}/account`, document);
    expect([page.status, await page.text()]).toEqual([200, '<!doctype html><title>Portico</title>']);
    expect(page.headers.get('content-security-policy')).toContain(`; connect-src 'self' ${issuer}; `);
    expect(await (await fetch(`${url}/config.json`)).json()).toEqual({
      issuer: `${issuer}/realms/portico`,
      clientId: 'a-portal',
      scope: 'openid',
      authorizeParameters: { audience: 'portico' },
      personas: ['member'],
      services: ['eligibility', 'claims', 'documents', 'policy', 'notifications', 'consent'],
    });
    expect((await fetch(`${url}/me/coverage`, document)).status).toBe(401);
    expect((await fetch(`${url}/health`, document)).headers.get('content-type')).toMatch(/^application\/json/);
    expect((await fetch(url)).headers.has('access-control-allow-origin')).toBe(false);
  });

  it.for([
    ['is empty', () => {}],
    ['does not exist', (directory: string) => rmSync(directory, { recursive: true })],
    ['has a directory in place of index.html', (directory: string) => mkdirSync(join(directory, 'index.html'))],
  ] as const)('does not start when the directory of the pages %s', async ([, prepare], test) => {
    const { issuer } = await identityProvider(test);
    const directory = join(emptyDirectory(test), 'pages');
    mkdirSync(directory);
    prepare(directory);
    const PORTICO_CONFIG = settingsFile(test, { pages: { directory } });
    const env = { ...memberEnvironment(issuer, issuer), PORTICO_CONFIG };
    const { ended, output } = startPortico(test, env, ['--port', '0', '--json']);
    const problem = {
      setting: 'pages.directory',
      source: PORTICO_CONFIG,
      message: expect.stringContaining('index.html'),
    };

    expect(await ended).toEqual([2, null]);
    expect(JSON.parse(output.stdout)).toMatchObject({ ok: false, problems: [problem] });
    expect(output.stderr).toMatch(/^portico: Cannot serve the pages\.\n {2}pages\.directory \(.*\): .*index\.html/);
  });

  it('allows cross-origin requests only from the configured origins', async (test) => {
    const { issuer } = await identityProvider(test);
    const origin = 'https://portal.example';
    const { url } = await servingPortico(test, {
      ...memberEnvironment(issuer, issuer),
      PORTICO_CONFIG: settingsFile(test, { cors: { origins: [origin] } }),
    });
    const allowed = async (headers: Readonly<Record<string, string>>, method = 'GET') => {
      const { status, headers: received } = await fetch(`${url}/me/coverage`, { method, headers });
      return [status, received.get('access-control-allow-origin')];
    };

    expect(await allowed({ origin })).toEqual([401, origin]);
    expect(await allowed({ origin: 'https://else.example' })).toEqual([401, null]);
    expect(await allowed({ origin, 'access-control-request-method': 'GET' }, 'OPTIONS')).toEqual([204, origin]);
  });

  it('accepts the callback of a running search after SIGTERM', async (test) => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise);
    const { url, kill, until, ended } = await searchingPortico(test, { legs: { moa: legAt(network.url) } });
    const result = searchFor(url);
    await expect.poll(() => network.requests.length, { interval: 5 }).toBe(1);
    kill('SIGTERM');
    await until('stderr', /"message":"draining"/);
    expect((await searchFor(url)).status).toBe(503);
    publicBase.resolve(`${url}/on_search`);

    expect(await (await result).json()).toMatchObject({ moa: { context: { action: 'on_search' } } });
    expect(await Promise.all(network.responses)).toEqual([[200, { message: { ack: { status: 'ACK' } } }]]);
    expect(await ended).toEqual([0, null]);
  });

  it('logs a warning when no API is enabled', async (test) => {
    const { url, until } = await servingPortico(test);

    await until('stderr', /"level":"warn".*"message":"no API is enabled: set identity and downstreams/);
    expect((await fetch(`${url}/me/coverage`)).status).toBe(404);
  });

  it.for([
    ['on stderr', []],
    ['also as one document', ['--json']],
  ] as const)('reports a port in use and how to choose another one, %s', async ([, json], test) => {
    const other = await webServer(test, () => {});
    const { port } = new URL(other.url);
    const { ended, output } = startPortico(test, {}, ['--port', port, ...json]);
    const message = `port ${port} on 127.0.0.1 is already in use; choose another one with --port, PORT or listen.port`;

    expect(await ended).toEqual([2, null]);
    expect(output.stderr).toBe(`portico: Cannot start the server.\n  listen.port (--port): ${message}\n`);
    expect(output.stdout).toBe(
      json.length === 0
        ? ''
        : `${JSON.stringify({ ok: false, code: 'invalid-request', detail: 'Cannot start the server.', problems: [{ setting: 'listen.port', source: '--port', message }] })}\n`,
    );
  });

  it('reports a host that it cannot bind to', async (test) => {
    // An address for documentation, which no machine has (RFC 5737).
    const { ended, output } = startPortico(test, { HOST: '192.0.2.1', PORT: '0' }, []);

    expect(await ended).toEqual([2, null]);
    expect(output).toEqual({
      stdout: '',
      stderr: expect.stringMatching(
        /^portico: Cannot start the server.\n {2}listen\.host \(HOST\): cannot bind to 192\.0\.2\.1 /,
      ),
    });
  });

  it('serves while the identity provider is down, and logs a warning without secrets', async (test) => {
    const { token } = await identityProvider(test);
    const deadUrl = await unusedUrl();
    const { url, until, output } = await servingPortico(test, {
      ...memberEnvironment(deadUrl, deadUrl),
      IDENTITY_JWKS_URL: `${deadUrl}/keys?key=hunter2`,
    });

    await until('stderr', /\n/);
    expect(JSON.parse(output.stderr)).toEqual({
      time: expect.any(String),
      level: 'warn',
      message: 'no keys from the identity provider yet; member requests get 502 until then',
      failure: { kind: 'upstream', service: 'identity', reason: 'unreachable' },
    });
    const response = await fetch(`${url}/me/coverage`, bearer(token()));
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { service: 'identity', reason: 'unreachable' },
    ]);
    expect((await fetch(`${url}/me/coverage`)).status).toBe(401);
    expect(output.stderr).not.toContain('hunter2');
  });

  it('serves while the identity provider does not respond, and does not wait for it at shutdown', async (test) => {
    const silentProvider = await webServer(test, () => {});
    const { url, kill, ended, output } = await servingPortico(
      test,
      memberEnvironment(silentProvider.url, silentProvider.url),
    );
    await silentProvider.firstRequest;

    expect((await fetch(`${url}/me/coverage`)).status).toBe(401);
    kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    // A request for keys that timed out would be logged.
    expect(output.stderr).not.toContain('no keys');
  });

  it('portico serve is ready as soon as it has keys, and requests them until then', async (test) => {
    let isDown = true;
    const provider = await identityProvider(test);
    const keyServer = await webServer(test, (response) => {
      if (isDown) response.writeHead(503).end();
      else void fetch(provider.jwksUrl).then(async (keys) => sendJson(response, await keys.json()));
    });
    const { url } = await servingPortico(test, {
      ...memberEnvironment(provider.issuer, keyServer.url),
      IDENTITY_JWKS_URL: keyServer.url,
    });
    const ready = async () => (await fetch(`${url}/readyz`)).status;
    expect(await ready()).toBe(503);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    isDown = false;
    await expect.poll(ready).toBe(200);
  });

  it('responds with 429 to a member above the rate limit, and serves other members', async (test) => {
    const identity = await identityProvider(test);
    const services = await webServer(test, (response) => sendJson(response, { plan: 'gold' }));
    const limits = { memberRequests: { requests: 2, seconds: 60 } };
    const { url } = await servingPortico(test, {
      ...memberEnvironment(identity.issuer, services.url),
      PORTICO_CONFIG: settingsFile(test, { limits }),
    });
    const statusFor = async (sub: string) =>
      (await fetch(`${url}/me/coverage`, bearer(identity.token({ sub })))).status;
    expect([await statusFor('PTY-1'), await statusFor('PTY-1'), await statusFor('PTY-1')]).toEqual([200, 200, 429]);
    expect(await statusFor('PTY-2')).toBe(200);
    expect(services.received).toHaveLength(3);
  });

  it('rejects headers above the configured size', async (test) => {
    const connections = { maxHeaderBytes: 1024 };
    const { url } = await servingPortico(test, { PORTICO_CONFIG: settingsFile(test, { connections }) });
    const statusOf = async (bytes: number) =>
      (await fetch(`${url}/livez`, { headers: { 'x-long': 'x'.repeat(bytes) } })).status;
    expect([await statusOf(100), await statusOf(1100)]).toEqual([200, 431]);
  });

  it('forwards the trace context of each request to the services', async (test) => {
    const identity = await identityProvider(test);
    const traces = new Map<string, unknown>();
    const services = await webServer(test, (response, { url = '', headers }) => {
      traces.set(url, headers.traceparent);
      sendJson(response, {});
    });
    const { url } = await servingPortico(test, memberEnvironment(identity.issuer, services.url));
    const request = (path: string, traceparent?: string) =>
      fetch(url + path, {
        headers: { ...bearer(identity.token()).headers, ...(traceparent !== undefined && { traceparent }) },
      });
    const [one, other] = ['1', '2'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
    await Promise.all([request('/me/coverage', one), request('/me/claims', other), request('/me/profile')]);
    expect(Object.fromEntries(traces)).toEqual({
      '/eligibility/members/PTY-1/coverage': one,
      '/claims/members/PTY-1/claims': other,
      '/policy/parties/PTY-1': undefined,
    });
  });

  it('logs one line per request, without private data', async (test) => {
    const identity = await identityProvider(test);
    const service = await webServer(test, (response) => sendJson(response, { plan: 'hunter2' }));
    const { url, until, output } = await servingPortico(test, memberEnvironment(identity.issuer, service.url));
    const token = identity.token({ sub: 'PTY-hunter2' });
    const response = await fetch(`${url}/me/claims/CLM-hunter2?name=hunter2`, bearer(token));
    expect([response.status, await response.json()]).toEqual([200, { plan: 'hunter2' }]);
    await until('stderr', /\n/);

    expect(linesOf(output.stderr)).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: 'info',
        message: 'request',
        requestId: response.headers.get('x-request-id'),
        method: 'GET',
        route: '/me/claims/:locator',
        status: 200,
        outcome: 'sent',
        durationMs: expect.any(Number),
        authenticationMs: expect.any(Number),
        useCaseMs: expect.any(Number),
        sendingMs: expect.any(Number),
      },
    ]);
    for (const secret of ['hunter2', token, service.url]) expect(output.stderr).not.toContain(secret);
  });

  it('serves metrics on a separate port, also while it drains', async (test) => {
    const { url, response, respond, kill, until, ended, output } = await busyPortico(test, { METRICS_PORT: '0' });
    await until('stderr', /"serving metrics"/);
    const metricsUrl = String(linesOf(output.stderr)[0]?.['url']);
    kill('SIGTERM');
    await until('stderr', /"message":"draining"/);

    expect(await causeCode(fetch(`${url}/me/coverage`))).toBe('ECONNREFUSED');
    expect(await (await fetch(metricsUrl)).text()).toContain('\nportico_http_requests_in_flight 1\n');
    respond({ plan: 'Gold' });
    expect((await response).status).toBe(200);
    expect(await ended).toEqual([0, null]);
    expect(await causeCode(fetch(metricsUrl))).toBe('ECONNREFUSED');
  });

  it('does not start when the port of the metrics is in use', async (test) => {
    const other = await webServer(test, () => {});
    const { port } = new URL(other.url);
    const { ended, output } = startPortico(test, { METRICS_PORT: port });

    expect(await ended).toEqual([2, null]);
    expect(output).toEqual({
      stdout: '',
      stderr:
        `portico: Cannot start the server.\n  metrics.port (METRICS_PORT): port ${port} on 127.0.0.1 is already in use; ` +
        'choose another one with --metrics-port, METRICS_PORT or metrics.port\n',
    });
  });

  it('stops the metrics listener when its own port is in use', async (test) => {
    const other = await webServer(test, () => {});
    const { ended } = startPortico(test, { METRICS_PORT: '0' }, ['--port', new URL(other.url).port]);

    expect(await ended).toEqual([2, null]);
  });

  it('keeps serving when stderr is closed', async (test) => {
    const { child, url, kill, ended } = await servingPortico(test);
    child.stderr.destroy();
    await once(child.stderr, 'close');

    expect((await fetch(url)).status).toBe(404);
    kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});

describe.concurrent('the shutdown of portico serve', () => {
  it.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'finishes the requests in flight on %s, then exits',
    async (signal, test) => {
      const { url, response, respond, kill, until, ended, output } = await busyPortico(test);
      kill(signal);
      await until('stderr', /"message":"draining"/);

      expect(await causeCode(fetch(`${url}/me/coverage`))).toBe('ECONNREFUSED');
      respond({ plan: 'Gold' });
      expect(await (await response).json()).toEqual({ plan: 'Gold' });
      expect(await ended).toEqual([0, null]);
      expect(messagesBesideRequests(output.stderr)).toEqual(['draining', 'stopped']);
    },
  );

  it('exits immediately when all connections are idle', async (test) => {
    const { url, kill, ended } = await servingPortico(test);
    expect((await fetch(url)).status).toBe(404);
    kill('SIGTERM');

    expect(await ended).toEqual([0, null]);
  });

  it('exits after ten seconds at the latest', async (test) => {
    const { response, kill, ended } = await busyPortico(test, { DOWNSTREAM_TIMEOUT_MS: '600000' });
    const startedAt = performance.now();
    kill('SIGTERM');

    expect(await ended).toEqual([0, null]);
    expect(performance.now() - startedAt).toBeGreaterThan(9000);
    expect(await causeCode(response)).toBe('UND_ERR_SOCKET');
  });

  it('finishes the requests in flight when the terminal is closed, together with stdout and stderr', async (test) => {
    const { url, response, respond, kill, ended, child } = await busyPortico(test);
    child.stdout.destroy();
    child.stderr.destroy();
    kill('SIGHUP');
    kill('SIGHUP');
    await expect.poll(() => causeCode(fetch(`${url}/livez`)), { interval: 10 }).toBe('ECONNREFUSED');
    respond({ plan: 'Gold' });

    expect(await (await response).json()).toEqual({ plan: 'Gold' });
    expect(await ended).toEqual([0, null]);
  });

  it('treats two signals in short succession, from the terminal and from npm, as one', async (test) => {
    const { response, respond, kill, until, ended } = await busyPortico(test);
    kill('SIGINT');
    kill('SIGTERM');
    await until('stderr', /"message":"draining"/);
    respond({ plan: 'Gold' });

    expect(await (await response).json()).toEqual({ plan: 'Gold' });
    expect(await ended).toEqual([0, null]);
  });

  it.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('exits immediately when %s is repeated', async ([signal, exitCode], test) => {
    const { response, kill, ended, output } = await busyPortico(test);
    const repeated = setInterval(() => kill(signal), 50);
    test.onTestFinished(() => clearInterval(repeated));

    expect(await ended).toEqual([exitCode, null]);
    expect(await causeCode(response)).toBe('UND_ERR_SOCKET');
    expect(output.stderr).not.toContain('stopped');
  });
});

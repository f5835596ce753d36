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

/** `portico serve` as a user would run it, dead by the end of the test whatever happens. */
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
  const said = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
      for (const look of listeners) look();
    });
  const until = (name: keyof typeof said, pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => void (pattern.test(said[name]) && resolve());
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`ended without saying ${pattern} on ${name}: ${said.stderr}`)));
    });
  return { child, ended, said, until, kill: (signal: NodeJS.Signals) => child.kill(signal) };
};

/** One that has said where it listens. */
const servingPortico = async (test: Test, env: Readonly<Record<string, string>> = {}) => {
  const portico = startPortico(test, env);
  await portico.until('stdout', /\n/);
  const [url = ''] = /http:\S+/.exec(portico.said.stdout) ?? [];
  return { ...portico, url };
};

/** What a log holds. */
const linesOf = (stderr: string) =>
  stderr
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

const messagesBesideRequests = (stderr: string) =>
  linesOf(stderr).flatMap(({ message }) => (message === 'request' ? [] : [message]));

/** A settings file that lives as long as the test. */
const settingsFile = (test: Test, content: object): string => {
  const path = join(emptyFolder(test), 'portico.json');
  writeFileSync(path, JSON.stringify(content));
  return path;
};

/** A folder that lives as long as the test. */
const emptyFolder = (test: Test): string => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-serve-'));
  test.onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
};

/** One that only searches. */
const searchingPortico = (test: Test, search: object, redisUrl = '') =>
  servingPortico(test, { PORTICO_CONFIG: settingsFile(test, { search }), REDIS_URL: redisUrl });

/** A seller's callback to this transaction. */
const callBackTo = async (url: string, transactionId: string) => {
  const response = await fetch(`${url}/on_search`, {
    method: 'POST',
    body: JSON.stringify({ context: { action: 'on_search', transaction_id: transactionId }, message: {} }),
  });
  return [response.status, await response.json()] as const;
};

/** One with a member who has asked for coverage, and a service that has not answered yet. */
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
  await slow.asked;
  return { ...portico, response, answer: (body: unknown) => sendJson(pending!, body) };
};

/** An address where nobody listens. */
const closedAddress = async (): Promise<string> => {
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
  it('says on stdout where it listens, and serves the member', async (test) => {
    const identity = await identityProvider(test);
    const service = await webServer(test, (response) => sendJson(response, { plan: 'Gold' }));
    const env = { ...memberEnvironment(identity.issuer, service.url), LOG_LEVEL: 'warn' };
    const { url, said } = await servingPortico(test, env);

    const answer = await fetch(`${url}/me/coverage`, bearer(identity.token()));
    expect([answer.status, await answer.json()]).toEqual([200, { plan: 'Gold' }]);
    expect((await fetch(`${url}/me/coverage`)).status).toBe(401);
    expect((await fetch(`${url}/me/nothing`, bearer(identity.token()))).status).toBe(404);
    expect(said).toEqual({ stdout: `portico listens on ${url}\n`, stderr: '' });
    expect(service.heard).toEqual(['GET /eligibility/members/PTY-1/coverage']);
  });

  it('says it as one document with --json', async (test) => {
    const { issuer } = await identityProvider(test);
    const portico = startPortico(test, memberEnvironment(issuer, issuer), ['--port', '0', '--json']);
    await portico.until('stdout', /\n/);
    portico.kill('SIGTERM');

    expect(await portico.ended).toEqual([0, null]);
    expect(JSON.parse(portico.said.stdout)).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      serves: ['member portal'],
    });
  });

  it('searches on its own, for a seller that calls back', async (test) => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise, 'Dental cover');
    const { url, kill, ended, said } = await searchingPortico(test, { legs: { moa: legAt(network.url) } });
    publicBase.resolve(`${url}/on_search`);

    expect(await (await fetch(`${url}/health`)).json()).toEqual({
      status: 'ok',
      version,
      uptime_s: expect.any(Number),
      pending: 0,
      callbacks: { delivered: 0, duplicate: 0, late: 0, unknown: 0, rejected: 0 },
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

    const answer = (await (await searchFor(url, 'dental')).json()) as Readonly<Record<string, unknown>>;
    const [asked] = network.asked;
    expect(JSON.parse(asked?.body ?? '')).toEqual({
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
    expect(answer).toEqual({
      elapsed_ms: expect.any(Number),
      moa: {
        context: { ...asked?.context, action: 'on_search', bpp_id: 'bpp.example' },
        message: { catalog: { providers: [{ descriptor: { name: 'Dental cover' }, items: [] }] } },
      },
      traces: {
        moa: { transaction_id: asked?.context['transaction_id'], elapsed_ms: expect.any(Number), label: 'A network' },
      },
    });
    expect(await Promise.all(network.answers)).toEqual([[200, { message: { ack: { status: 'ACK' } } }]]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ pending: 0, callbacks: { delivered: 1 } });

    kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(said.stdout).toBe(`portico listens on ${url}\n`);
    expect(messagesBesideRequests(said.stderr)).toEqual(['draining', 'stopped']);
  });

  it('takes no larger request and no larger callback than is set', async (test) => {
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

  it('serves the member only, when that is its role', async (test) => {
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

  it('says which of its halves it serves', async (test) => {
    const { issuer } = await identityProvider(test);
    const env = {
      ...memberEnvironment(issuer, issuer),
      PORTICO_CONFIG: settingsFile(test, { search: { legs: { moa: legAt('http://127.0.0.1:9') } } }),
      ROLES: 'search,callbacks',
    };
    const { until, said } = startPortico(test, env, ['--port', '0', '--json']);
    await until('stdout', /\n/);
    const { url, serves } = JSON.parse(said.stdout) as { readonly url: string; readonly serves: unknown };

    expect(serves).toEqual(['federated search']);
    expect((await fetch(`${url}/me/coverage`)).status).toBe(404);
    expect((await fetch(`${url}/api/legs`)).status).toBe(200);
  });

  it('searches on while Redis is not there, says so, and keeps its password to itself', async (test) => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise);
    const nowhere = (await closedAddress()).replace('http://', 'redis://:hunter2@');
    const { url, kill, ended, said } = await searchingPortico(test, { legs: { moa: legAt(network.url) } }, nowhere);
    publicBase.resolve(`${url}/on_search`);
    const health = await (await fetch(`${url}/health`)).json();

    expect(health).toMatchObject({
      status: 'degraded',
      reasons: ['Redis cannot be reached: a callback reaches its search only on the instance where the search waits'],
      pending: 0,
    });
    expect(await (await searchFor(url)).json()).toMatchObject({ moa: { context: { action: 'on_search' } } });
    expect(await Promise.all(network.answers)).toEqual([[200, { message: { ack: { status: 'ACK' } } }]]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ pending: 0, callbacks: { delivered: 1 } });

    expect(await callBackTo(url, randomUUID())).toMatchObject([503, { message: { ack: { status: 'NACK' } } }]);
    kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(`${said.stdout}${said.stderr}${JSON.stringify(health)}`).not.toContain('hunter2');
  });

  it('serves the pages, and tells them where to sign in and who may search', async (test) => {
    const { issuer } = await identityProvider(test);
    const directory = emptyFolder(test);
    writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Portico</title>');
    const { url } = await servingPortico(test, {
      ...memberEnvironment(`${issuer}/realms/portico`, issuer),
      PORTICO_CONFIG: settingsFile(test, {
        pages: { directory, clientId: 'a-portal' },
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
      personas: ['member'],
    });
    expect((await fetch(`${url}/me/coverage`, document)).status).toBe(401);
    expect((await fetch(`${url}/health`, document)).headers.get('content-type')).toMatch(/^application\/json/);
    expect((await fetch(url)).headers.has('access-control-allow-origin')).toBe(false);
  });

  it.for([
    ['is empty', () => {}],
    ['is not there', (directory: string) => rmSync(directory, { recursive: true })],
    ['has a folder in place of the index', (directory: string) => mkdirSync(join(directory, 'index.html'))],
  ] as const)('does not begin with pages whose folder %s', async ([, prepare], test) => {
    const { issuer } = await identityProvider(test);
    const directory = join(emptyFolder(test), 'pages');
    mkdirSync(directory);
    prepare(directory);
    const PORTICO_CONFIG = settingsFile(test, { pages: { directory } });
    const env = { ...memberEnvironment(issuer, issuer), PORTICO_CONFIG };
    const { ended, said } = startPortico(test, env, ['--port', '0', '--json']);
    const problem = {
      setting: 'pages.directory',
      source: PORTICO_CONFIG,
      message: 'must hold an index.html; build the pages',
    };

    expect(await ended).toEqual([2, null]);
    expect(JSON.parse(said.stdout)).toMatchObject({ ok: false, problems: [problem] });
    expect(said.stderr).toBe(
      `portico: there are no pages to serve\n  pages.directory (${PORTICO_CONFIG}): ${problem.message}\n`,
    );
  });

  it('lets pages of the origins that are set call from elsewhere, and no others', async (test) => {
    const { issuer } = await identityProvider(test);
    const origin = 'https://portal.example';
    const { url } = await servingPortico(test, {
      ...memberEnvironment(issuer, issuer),
      PORTICO_CONFIG: settingsFile(test, { cors: { origins: [origin] } }),
    });
    const allowed = async (headers: Readonly<Record<string, string>>, method = 'GET') => {
      const { status, headers: answered } = await fetch(`${url}/me/coverage`, { method, headers });
      return [status, answered.get('access-control-allow-origin')];
    };

    expect(await allowed({ origin })).toEqual([401, origin]);
    expect(await allowed({ origin: 'https://else.example' })).toEqual([401, null]);
    expect(await allowed({ origin, 'access-control-request-method': 'GET' }, 'OPTIONS')).toEqual([204, origin]);
  });

  it('still takes the callback of a search under way when it is told to end', async (test) => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise);
    const { url, kill, until, ended } = await searchingPortico(test, { legs: { moa: legAt(network.url) } });
    const answer = searchFor(url);
    await expect.poll(() => network.asked.length, { interval: 5 }).toBe(1);
    kill('SIGTERM');
    await until('stderr', /"message":"draining"/);
    expect((await searchFor(url)).status).toBe(503);
    publicBase.resolve(`${url}/on_search`);

    expect(await (await answer).json()).toMatchObject({ moa: { context: { action: 'on_search' } } });
    expect(await Promise.all(network.answers)).toEqual([[200, { message: { ack: { status: 'ACK' } } }]]);
    expect(await ended).toEqual([0, null]);
  });

  it('warns when there is nothing to serve', async (test) => {
    const { url, until } = await servingPortico(test);

    await until('stderr', /"level":"warn".*"message":"nothing to serve: set identity and downstreams/);
    expect((await fetch(`${url}/me/coverage`)).status).toBe(404);
  });

  it.for([
    ['people', []],
    ['programs', ['--json']],
  ] as const)('says to %s that the port is in use, and how to choose another', async ([, json], test) => {
    const other = await webServer(test, () => {});
    const { port } = new URL(other.url);
    const { ended, said } = startPortico(test, {}, ['--port', port, ...json]);
    const message = `port ${port} on 127.0.0.1 is already in use; choose another one with --port, PORT or listen.port`;

    expect(await ended).toEqual([2, null]);
    expect(said.stderr).toBe(`portico: cannot listen\n  listen.port (--port): ${message}\n`);
    expect(said.stdout).toBe(
      json.length === 0
        ? ''
        : `${JSON.stringify({ ok: false, code: 'invalid-request', detail: 'cannot listen', problems: [{ setting: 'listen.port', source: '--port', message }] })}\n`,
    );
  });

  it('says that the host is not one of this machine', async (test) => {
    // RFC 5737: an address for documentation, which nobody has.
    const { ended, said } = startPortico(test, { HOST: '192.0.2.1', PORT: '0' }, []);

    expect(await ended).toEqual([2, null]);
    expect(said).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^portico: cannot listen\n {2}listen\.host \(HOST\): 192\.0\.2\.1 cannot be/),
    });
  });

  it('serves while the identity provider is down, and warns without a secret', async (test) => {
    const { token } = await identityProvider(test);
    const nowhere = await closedAddress();
    const { url, until, said } = await servingPortico(test, {
      ...memberEnvironment(nowhere, nowhere),
      IDENTITY_JWKS_URL: `${nowhere}/keys?key=hunter2`,
    });

    await until('stderr', /\n/);
    expect(JSON.parse(said.stderr)).toEqual({
      time: expect.any(String),
      level: 'warn',
      message: 'the identity provider gave no keys yet; members get 502 until it does',
      failure: { kind: 'upstream', service: 'identity', reason: 'unreachable' },
    });
    const answer = await fetch(`${url}/me/coverage`, bearer(token()));
    expect([answer.status, await answer.json()]).toMatchObject([502, { service: 'identity', reason: 'unreachable' }]);
    expect((await fetch(`${url}/me/coverage`)).status).toBe(401);
    expect(said.stderr).not.toContain('hunter2');
  });

  it('serves while the identity provider is silent, and does not wait for it in the end', async (test) => {
    const blackHole = await webServer(test, () => {});
    const { url, kill, ended, said } = await servingPortico(test, memberEnvironment(blackHole.url, blackHole.url));
    await blackHole.asked;

    expect((await fetch(`${url}/me/coverage`)).status).toBe(401);
    kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    // The deadline of the request for keys would have said so.
    expect(said.stderr).not.toContain('gave no keys');
  });

  it('is ready when there are keys to check tokens with, and asks for them until then', async (test) => {
    let isDown = true;
    const provider = await identityProvider(test);
    const fickle = await webServer(test, (response) => {
      if (isDown) response.writeHead(503).end();
      else void fetch(provider.jwksUrl).then(async (keys) => sendJson(response, await keys.json()));
    });
    const { url } = await servingPortico(test, {
      ...memberEnvironment(provider.issuer, fickle.url),
      IDENTITY_JWKS_URL: fickle.url,
    });
    const ready = async () => (await fetch(`${url}/readyz`)).status;
    expect(await ready()).toBe(503);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    isDown = false;
    await expect.poll(ready).toBe(200);
  });

  it('turns a member away who asks more often than is set, and serves the others', async (test) => {
    const identity = await identityProvider(test);
    const services = await webServer(test, (response) => sendJson(response, { plan: 'gold' }));
    const limits = { memberRequests: { requests: 2, seconds: 60 } };
    const { url } = await servingPortico(test, {
      ...memberEnvironment(identity.issuer, services.url),
      PORTICO_CONFIG: settingsFile(test, { limits }),
    });
    const ask = async (sub: string) => (await fetch(`${url}/me/coverage`, bearer(identity.token({ sub })))).status;
    expect([await ask('PTY-1'), await ask('PTY-1'), await ask('PTY-1')]).toEqual([200, 200, 429]);
    expect(await ask('PTY-2')).toBe(200);
    expect(services.heard).toHaveLength(3);
  });

  it('takes no larger header than is set', async (test) => {
    const connections = { maxHeaderBytes: 1024 };
    const { url } = await servingPortico(test, { PORTICO_CONFIG: settingsFile(test, { connections }) });
    const ask = async (bytes: number) =>
      (await fetch(`${url}/livez`, { headers: { 'x-long': 'x'.repeat(bytes) } })).status;
    expect([await ask(100), await ask(1100)]).toEqual([200, 431]);
  });

  it('passes the trace of its caller on to the services, each its own', async (test) => {
    const identity = await identityProvider(test);
    const traces = new Map<string, unknown>();
    const services = await webServer(test, (response, { url = '', headers }) => {
      traces.set(url, headers.traceparent);
      sendJson(response, {});
    });
    const { url } = await servingPortico(test, memberEnvironment(identity.issuer, services.url));
    const ask = (path: string, traceparent?: string) =>
      fetch(url + path, {
        headers: { ...bearer(identity.token()).headers, ...(traceparent !== undefined && { traceparent }) },
      });
    const [one, other] = ['1', '2'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
    await Promise.all([ask('/me/coverage', one), ask('/me/claims', other), ask('/me/profile')]);
    expect(Object.fromEntries(traces)).toEqual({
      '/eligibility/members/PTY-1/coverage': one,
      '/claims/members/PTY-1/claims': other,
      '/policy/parties/PTY-1': undefined,
    });
  });

  it('says of each request what became of it, and nothing that is private', async (test) => {
    const identity = await identityProvider(test);
    const service = await webServer(test, (response) => sendJson(response, { plan: 'hunter2' }));
    const { url, until, said } = await servingPortico(test, memberEnvironment(identity.issuer, service.url));
    const token = identity.token({ sub: 'PTY-hunter2' });
    const answer = await fetch(`${url}/me/claims/CLM-hunter2?name=hunter2`, bearer(token));
    expect([answer.status, await answer.json()]).toEqual([200, { plan: 'hunter2' }]);
    await until('stderr', /\n/);

    expect(linesOf(said.stderr)).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: 'info',
        message: 'request',
        requestId: answer.headers.get('x-request-id'),
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
    for (const secret of ['hunter2', token, service.url]) expect(said.stderr).not.toContain(secret);
  });

  it('serves its metrics apart, also while it drains', async (test) => {
    const { url, response, answer, kill, until, ended, said } = await busyPortico(test, { METRICS_PORT: '0' });
    await until('stderr', /"metrics are served"/);
    const metricsUrl = String(linesOf(said.stderr)[0]?.['url']);
    kill('SIGTERM');
    await until('stderr', /"message":"draining"/);

    expect(await causeCode(fetch(`${url}/me/coverage`))).toBe('ECONNREFUSED');
    expect(await (await fetch(metricsUrl)).text()).toContain('\nportico_http_requests_in_flight 1\n');
    answer({ plan: 'Gold' });
    expect((await response).status).toBe(200);
    expect(await ended).toEqual([0, null]);
    expect(await causeCode(fetch(metricsUrl))).toBe('ECONNREFUSED');
  });

  it('says that the port of its metrics is in use, and serves nothing', async (test) => {
    const other = await webServer(test, () => {});
    const { port } = new URL(other.url);
    const { ended, said } = startPortico(test, { METRICS_PORT: port });

    expect(await ended).toEqual([2, null]);
    expect(said).toEqual({
      stdout: '',
      stderr:
        `portico: cannot listen\n  metrics.port (METRICS_PORT): port ${port} on 127.0.0.1 is already in use; ` +
        'choose another one with --metrics-port, METRICS_PORT or metrics.port\n',
    });
  });

  it('does not stay for its metrics when its own port is in use', async (test) => {
    const other = await webServer(test, () => {});
    const { ended } = startPortico(test, { METRICS_PORT: '0' }, ['--port', new URL(other.url).port]);

    expect(await ended).toEqual([2, null]);
  });

  it('goes on when nobody reads its log any more', async (test) => {
    const { child, url, kill, ended } = await servingPortico(test);
    child.stderr.destroy();
    await once(child.stderr, 'close');

    expect((await fetch(url)).status).toBe(404);
    kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});

describe.concurrent('the end of portico serve', () => {
  it.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'on %s comes when what is in flight is answered',
    async (signal, test) => {
      const { url, response, answer, kill, until, ended, said } = await busyPortico(test);
      kill(signal);
      await until('stderr', /"message":"draining"/);

      expect(await causeCode(fetch(`${url}/me/coverage`))).toBe('ECONNREFUSED');
      answer({ plan: 'Gold' });
      expect(await (await response).json()).toEqual({ plan: 'Gold' });
      expect(await ended).toEqual([0, null]);
      expect(messagesBesideRequests(said.stderr)).toEqual(['draining', 'stopped']);
    },
  );

  it('comes at once when clients only hold their connections', async (test) => {
    const { url, kill, ended } = await servingPortico(test);
    expect((await fetch(url)).status).toBe(404);
    kill('SIGTERM');

    expect(await ended).toEqual([0, null]);
  });

  it('comes at the latest after ten seconds', async (test) => {
    const { response, kill, ended } = await busyPortico(test, { DOWNSTREAM_TIMEOUT_MS: '600000' });
    const startedAt = performance.now();
    kill('SIGTERM');

    expect(await ended).toEqual([0, null]);
    expect(performance.now() - startedAt).toBeGreaterThan(9000);
    expect(await causeCode(response)).toBe('UND_ERR_SOCKET');
  });

  it('waits for what is in flight when the terminal is closed, which also takes stdout and stderr away', async (test) => {
    const { url, response, answer, kill, ended, child } = await busyPortico(test);
    child.stdout.destroy();
    child.stderr.destroy();
    kill('SIGHUP');
    kill('SIGHUP');
    await expect.poll(() => causeCode(fetch(`${url}/livez`)), { interval: 10 }).toBe('ECONNREFUSED');
    answer({ plan: 'Gold' });

    expect(await (await response).json()).toEqual({ plan: 'Gold' });
    expect(await ended).toEqual([0, null]);
  });

  it('is not hastened by a Ctrl-C that comes twice, from the terminal and through npm', async (test) => {
    const { response, answer, kill, until, ended } = await busyPortico(test);
    kill('SIGINT');
    kill('SIGTERM');
    await until('stderr', /"message":"draining"/);
    answer({ plan: 'Gold' });

    expect(await (await response).json()).toEqual({ plan: 'Gold' });
    expect(await ended).toEqual([0, null]);
  });

  it.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('comes at once when %s comes again', async ([signal, exitCode], test) => {
    const { response, kill, ended, said } = await busyPortico(test);
    const impatience = setInterval(() => kill(signal), 50);
    test.onTestFinished(() => clearInterval(impatience));

    expect(await ended).toEqual([exitCode, null]);
    expect(await causeCode(response)).toBe('UND_ERR_SOCKET');
    expect(said.stderr).not.toContain('stopped');
  });
});

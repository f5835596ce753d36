import { once } from 'node:events';
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  directory,
  fileWith,
  nodeArguments,
  portico,
  porticoProcess,
  start,
  startPortico,
  type Environment,
  type Test,
} from '../program/binary.test.support.ts';
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

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Starts `portico serve` in a process of its own, and waits for its URL. */
const servingProcess = async (test: Test, env: Environment = {}) => {
  const { child, until, ended, interrupt } = startPortico(test, 'serve --port 0', { env });
  const [url = ''] = /http:\S+/.exec(await until('stdout', /\n/)) ?? [];
  return { child, until, ended, interrupt, url, kill: (signal: NodeJS.Signals) => child.kill(signal) };
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
const settingsFile = (test: Test, content: object): string => fileWith(test, JSON.stringify(content));

/** Starts `portico serve` with the search API only. */
const searchingProcess = (test: Test, search: object) =>
  servingProcess(test, { PORTICO_CONFIG: settingsFile(test, { search }) });

/** Starts `portico serve` with a pending request for coverage. `respond` sends the response of the service. */
const busyProcess = async (test: Test, env: Environment = {}) => {
  const identity = await identityProvider(test);
  let pending: ServerResponse | undefined;
  const slow = await webServer(test, (response) => {
    pending = response;
  });
  const serving = await servingProcess(test, { ...memberEnvironment(identity.issuer, slow.url), ...env });
  const response = fetch(`${serving.url}/me/coverage`, bearer(identity.token()));
  response.catch(() => {});
  const early = await Promise.race([slow.firstRequest, response]);
  if (early) throw new Error(`Portico responded before the service: ${early.status} ${await early.text()}`);
  return { ...serving, response, respond: (body: unknown) => sendJson(pending!, body) };
};

/**
 * Makes the timer for draining end early, and logs when it ends. It is a second longer than the longest timeout, ten minutes
 * in these tests.
 */
const shortDraining = `
  const { setTimeout } = globalThis;
  const logged = (task) => () => {
    process.stderr.write('{"message":"limit reached"}\\n');
    task();
  };
  globalThis.setTimeout = (task, ms, ...rest) =>
    ms === 601_000 ? setTimeout(logged(task), 100) : setTimeout(task, ms, ...rest);
`;

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
    const { url, kill, ended } = await servingProcess(test, env);

    const response = await fetch(`${url}/me/coverage`, bearer(identity.token()));
    expect([response.status, await response.json()]).toEqual([200, { plan: 'Gold' }]);
    expect((await fetch(`${url}/me/coverage`)).status).toBe(401);
    expect((await fetch(`${url}/me/nothing`, bearer(identity.token()))).status).toBe(404);
    expect(service.received).toEqual(['GET /eligibility/members/PTY-1/coverage']);
    kill('SIGTERM');
    expect(await ended).toMatchObject({ exitCode: 0, stdout: `portico listens on ${url}\n`, stderr: '' });
  });

  it('allocates all new objects in the young generation', async (test) => {
    const tagOfFlags = `
      import { cachedDataVersionTag } from 'node:v8';
      export default { middleware: [(ctx) => { ctx.body = String(cachedDataVersionTag()); }] };
    `;
    const args = ['serve', '--port', '0', '--with', fileWith(test, tagOfFlags, { name: 'tag.mjs' })];
    const [url = ''] = /http:\S+/.exec(await startPortico(test, args).until('stdout', /\n/)) ?? [];
    const flags = [
      ...nodeArguments.filter((argument) => argument.startsWith('--')),
      '--no-allocation-site-pretenuring',
    ];
    const { stdout } = await start(test, process.execPath, [
      ...flags,
      '-p',
      "require('node:v8').cachedDataVersionTag()",
    ]).ended;
    expect(await (await fetch(url)).text()).toBe(stdout.trim());
  });

  it('prints its URL and APIs as one document with --json', async (test) => {
    const { issuer } = await identityProvider(test);
    const env = memberEnvironment(issuer, issuer);
    const { until, interrupt } = startPortico(test, 'serve --port 0 --json', { env });
    await until('stdout', /\n/);
    const { exitCode, stdout } = await interrupt('SIGTERM');

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      serves: ['member portal'],
    });
  });

  it('runs a search and receives the callback of the seller', async (test) => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise, 'Dental cover');
    const { url, interrupt } = await searchingProcess(test, { legs: { moa: legAt(network.url) } });
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

    const { exitCode, stdout, stderr } = await interrupt('SIGTERM');
    expect([exitCode, stdout]).toEqual([0, `portico listens on ${url}\n`]);
    expect(messagesBesideRequests(stderr)).toEqual(['draining', 'stopped']);
  });

  it('accepts the callback of a running search after SIGTERM', async (test) => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise);
    const { url, kill, until, ended } = await searchingProcess(test, { legs: { moa: legAt(network.url) } });
    const result = searchFor(url);
    await test.expect.poll(() => network.requests.length, { interval: 5 }).toBe(1);
    kill('SIGTERM');
    await until('stderr', /"message":"draining"/);
    expect((await searchFor(url)).status).toBe(503);
    publicBase.resolve(`${url}/on_search`);

    expect(await (await result).json()).toMatchObject({ moa: { context: { action: 'on_search' } } });
    expect(await Promise.all(network.responses)).toEqual([[200, { message: { ack: { status: 'ACK' } } }]]);
    expect(await ended).toMatchObject({ exitCode: 0 });
  });

  it('serves while the identity provider does not respond, and does not wait for it at shutdown', async (test) => {
    const silentProvider = await webServer(test, () => {});
    const { url, interrupt } = await servingProcess(test, memberEnvironment(silentProvider.url, silentProvider.url));
    await silentProvider.firstRequest;

    expect((await fetch(`${url}/me/coverage`)).status).toBe(401);
    const { exitCode, stderr } = await interrupt('SIGTERM');
    expect(exitCode).toBe(0);
    // A request for keys that timed out would be logged.
    expect(stderr).not.toContain('no keys');
  });

  it('serves metrics on a separate port, also while it drains', async (test) => {
    const { url, response, respond, kill, until, ended } = await busyProcess(test, { METRICS_PORT: '0' });
    const metricsUrl = String(linesOf(await until('stderr', /"serving metrics".*\n/))[0]?.['url']);
    kill('SIGTERM');
    await until('stderr', /"message":"draining"/);

    expect(await causeCode(fetch(`${url}/me/coverage`))).toBe('ECONNREFUSED');
    expect(await (await fetch(metricsUrl)).text()).toContain('\nportico_http_requests_in_flight 1\n');
    respond({ plan: 'Gold' });
    expect((await response).status).toBe(200);
    expect(await ended).toMatchObject({ exitCode: 0 });
    expect(await causeCode(fetch(metricsUrl))).toBe('ECONNREFUSED');
  });

  it('keeps serving when stderr is closed', async (test) => {
    const { child, url, kill, ended } = await servingProcess(test);
    child.stderr.destroy();
    await once(child.stderr, 'close');

    expect((await fetch(url)).status).toBe(404);
    kill('SIGTERM');
    expect(await ended).toMatchObject({ exitCode: 0 });
  });
});

describe.concurrent('a server that does not start', () => {
  // The command also listens for uncaught exceptions, until its process ends.
  const listeners = new Set(process.listeners('uncaughtException'));
  afterAll(() => {
    for (const listener of process.listeners('uncaughtException'))
      if (!listeners.has(listener)) process.off('uncaughtException', listener);
  });

  it.for([
    ['is empty', () => {}],
    ['does not exist', (pages: string) => rmdirSync(pages)],
    ['has a directory in place of index.html', (pages: string) => mkdirSync(join(pages, 'index.html'))],
  ] as const)('exits with 2 when the directory of the pages %s', async ([, prepare], test) => {
    const { issuer } = await identityProvider(test);
    const pages = join(directory(test), 'pages');
    mkdirSync(pages);
    prepare(pages);
    const PORTICO_CONFIG = settingsFile(test, { pages: { directory: pages } });
    const env = { ...memberEnvironment(issuer, issuer), PORTICO_CONFIG };
    const { exitCode, stdout, stderr } = await portico(test, 'serve --port 0 --json', { env });
    const problem = {
      setting: 'pages.directory',
      source: PORTICO_CONFIG,
      message: expect.stringContaining('index.html'),
    };

    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, problems: [problem] });
    expect(stderr).toMatch(/^portico: Cannot serve the pages\.\n {2}pages\.directory \(.*\): .*index\.html/);
  });

  it('exits with 2 when the module of --with throws, and shows no stack without --verbose', async (test) => {
    const file = fileWith(test, 'throw new TypeError("a bug")', { name: 'portico.mjs' });

    expect(await portico(test, ['serve', '--port', '0', '--with', file])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `portico: ${file} cannot be used: it throws TypeError.\n  Run the command again with --verbose for the message and a stack trace.\n`,
    });
  });

  it.for([
    ['on stderr', ''],
    ['also as one document', ' --json'],
  ] as const)('reports a port in use and how to choose another one, %s', async ([, json], test) => {
    const other = await webServer(test, () => {});
    const { port } = new URL(other.url);
    const ended = await portico(test, `serve --port ${port}${json}`);
    const message = `port ${port} on 127.0.0.1 is already in use; choose another one with --port, PORT or listen.port`;

    expect(ended).toMatchObject({
      exitCode: 2,
      stderr: `portico: Cannot start the server.\n  listen.port (--port): ${message}\n`,
      stdout:
        json === ''
          ? ''
          : `${JSON.stringify({ ok: false, code: 'invalid-request', detail: 'Cannot start the server.', problems: [{ setting: 'listen.port', source: '--port', message }] })}\n`,
    });
  });

  it('reports a host that it cannot bind to', async (test) => {
    // An address for documentation, which no machine has (RFC 5737).
    expect(await portico(test, 'serve', { env: { HOST: '192.0.2.1', PORT: '0' } })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^portico: Cannot start the server.\n {2}listen\.host \(HOST\): cannot bind to 192\.0\.2\.1 /,
      ),
    });
  });

  it('reports that the port of the metrics is in use', async (test) => {
    const other = await webServer(test, () => {});
    const { port } = new URL(other.url);

    expect(await portico(test, 'serve --port 0', { env: { METRICS_PORT: port } })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr:
        `portico: Cannot start the server.\n  metrics.port (METRICS_PORT): port ${port} on 127.0.0.1 is already in use; ` +
        'choose another one with --metrics-port, METRICS_PORT or metrics.port\n',
    });
  });

  // In a process of its own, which ends only when the listener is closed.
  it('stops the metrics listener when its own port is in use', async (test) => {
    const other = await webServer(test, () => {});
    const { port } = new URL(other.url);

    expect(await porticoProcess(test, `serve --port ${port}`, { env: { METRICS_PORT: '0' } })).toMatchObject({
      exitCode: 2,
    });
  });
});

describe.concurrent('the shutdown of portico serve', () => {
  it('exits a second after the longest timeout at the latest', async (test) => {
    const { response, interrupt } = await busyProcess(test, {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shortDraining)}`,
    });
    const { exitCode, stderr } = await interrupt('SIGTERM');

    expect(exitCode).toBe(0);
    // Not in order: the log of the server is written later.
    expect(messagesBesideRequests(stderr).map(String).toSorted()).toEqual(['draining', 'limit reached', 'stopped']);
    expect(await causeCode(response)).toBe('UND_ERR_SOCKET');
  });

  it('finishes the requests in flight when the terminal is closed, together with stdout and stderr', async (test) => {
    const { url, response, respond, kill, ended, child } = await busyProcess(test);
    child.stdout.destroy();
    child.stderr.destroy();
    kill('SIGHUP');
    kill('SIGHUP');
    await test.expect.poll(() => causeCode(fetch(`${url}/livez`)), { interval: 10 }).toBe('ECONNREFUSED');
    respond({ plan: 'Gold' });

    expect(await (await response).json()).toEqual({ plan: 'Gold' });
    expect(await ended).toMatchObject({ exitCode: 0 });
  });

  it.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('drains on %s, and exits immediately when it is repeated', async ([signal, exitCode], test) => {
    const { child, response, kill, until, ended } = await busyProcess(test);
    kill(signal);
    await until('stderr', /"message":"draining"/);
    const repeated = setInterval(() => kill(signal), 50);
    test.onTestFinished(() => clearInterval(repeated));

    const { stderr } = await ended;
    // Not killed by the signal, but ended by the handler of the process.
    expect([child.exitCode, child.signalCode]).toEqual([exitCode, null]);
    expect(await causeCode(response)).toBe('UND_ERR_SOCKET');
    expect(stderr).not.toContain('stopped');
  });
});

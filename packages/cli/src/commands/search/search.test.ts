import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import {
  bodyOf,
  documentIn,
  fileWith,
  patient,
  portico,
  sendStatus,
  startPortico,
  type Test,
} from '../../program/binary.test.support.ts';
import {
  becknNetwork,
  closedPort,
  freePort,
  legAt,
  sendJson,
  webServer,
} from '../../program/outside-world.test.support.ts';

const searcher = '--persona member --user-id u-1';

/** Creates settings for a search that receives callbacks on a free port. */
const settingsWith = async (
  test: Test,
  legs: (callbackUrl: string) => Promise<Readonly<Record<string, object>>>,
  search: object = {},
  others: object = {},
) => {
  const port = await freePort();
  const callbackUrl = `http://127.0.0.1:${port}/on_search`;
  const settings = {
    listen: { port },
    // Longer than any callback takes on a busy machine.
    search: { timeoutMs: 60_000, ...search, legs: await legs(callbackUrl) },
    ...others,
  };
  return { port, callbackUrl, config: fileWith(test, JSON.stringify(settings), { name: 'portico.json' }) };
};

/** A network that fails once its callback has a response, so that the search ends before its timeout. */
const networkThatEnds = (test: Test, callbackUrl: string, name = 'A policy') =>
  webServer(test, (response, request) => {
    void bodyOf(request).then(async (body) => {
      const { context } = JSON.parse(body.toString()) as { readonly context: object };
      const onSearch = { context: { ...context, action: 'on_search', bpp_id: 'bpp.example' }, message: { name } };
      await fetch(callbackUrl, { method: 'POST', body: JSON.stringify(onSearch) });
      sendStatus(response, 500);
    });
  });

/** Creates settings with a leg whose seller calls back, and a leg whose network fails. */
const oneGoodLeg = (test: Test, name = 'Dental cover') =>
  settingsWith(test, async (callbackUrl) => {
    const network = await becknNetwork(test, Promise.resolve(callbackUrl), name);
    const broken = await webServer(test, (response) => sendStatus(response, 500));
    return {
      moa: legAt(network.url, { bapUri: callbackUrl, label: 'One network' }),
      mh: legAt(broken.url, { bapUri: callbackUrl, label: 'Other network' }),
    };
  });

const isClosed = (port: number) =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => false,
    () => true,
  );

describe.concurrent('portico search', () => {
  it('searches as the persona member and the user cli by default', async (test) => {
    const received: unknown[] = [];
    const server = await webServer(test, (response, request) => {
      void bodyOf(request).then((body) => {
        received.push(JSON.parse(body.toString()));
        sendStatus(response, 503);
      });
    });
    await portico(test, `search dental --server ${server.url}`);

    expect(received).toEqual([{ persona: 'member', query: 'dental', user_id: 'cli' }]);
  });

  it('prints one document with --json, and exits with 0 although a leg failed', async (test) => {
    const { config, port } = await oneGoodLeg(test);
    const { exitCode, stdout, stderr } = await portico(test, `search dental ${searcher} --json --config ${config}`);

    expect(exitCode).toBe(0);
    expect(documentIn({ stdout })).toEqual({
      elapsed_ms: expect.any(Number),
      moa: {
        context: expect.objectContaining({ action: 'on_search' }),
        message: { catalog: { providers: [{ descriptor: { name: 'Dental cover' }, items: [] }] } },
      },
      mh: null,
      errors: { mh: { kind: 'bap_unreachable', detail: expect.any(String) } },
      traces: {
        moa: { transaction_id: expect.any(String), elapsed_ms: expect.any(Number), label: 'One network' },
        mh: { transaction_id: expect.any(String), elapsed_ms: expect.any(Number), label: 'Other network' },
      },
    });
    expect(stderr.split('\n').toSorted()).toEqual([
      '',
      expect.stringMatching(/^✔ moa +\d+ ms {2}0 offers$/),
      expect.stringMatching(/^✖ mh +\d+ ms {2}bap_unreachable: /),
    ]);
    expect(await isClosed(port)).toBe(true);
  });

  it('shows the offers in a table, without escape sequences', async (test) => {
    const { config } = await settingsWith(test, async (callbackUrl) => {
      const network = await webServer(test, (response, request) => {
        void bodyOf(request).then((body) => {
          const { context } = JSON.parse(body.toString()) as { context: object };
          const items = [
            {
              id: 'i-1',
              descriptor: { name: 'Cover\u001b]0;owned\u0007 A', short_desc: 'Two visits\na year' },
              price: { value: '12.50', currency: 'EUR' },
            },
            { id: 'i-2', descriptor: { name: 'Cover B' } },
          ];
          const providers = [{ id: 'p-1', descriptor: { name: 'North\u202e' }, items }];
          // A response with the catalog settles the leg immediately.
          sendJson(response, { context: { ...context, action: 'on_search' }, message: { catalog: { providers } } });
        });
      });
      return { moa: legAt(network.url, { bapUri: callbackUrl, label: 'One network' }) };
    });
    const { exitCode, stdout } = await portico(test, `search dental ${searcher} --config ${config}`);

    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^moa: One network {2}\d+ ms {2}[\da-f-]{36}$/),
      '',
      'Offer        Price  Seller  Network  Description',
      'Cover A  EUR 12.50  North   moa      Two visits a year',
      'Cover B             North   moa',
      '',
    ]);
  });

  it('exits with 4 when no leg delivers, with a hint about bapUri', async (test) => {
    const { config, callbackUrl } = await settingsWith(
      test,
      async (bapUri) => ({ moa: legAt((await becknNetwork(test, undefined)).url, { bapUri }) }),
      { timeoutMs: 100 },
    );
    const { exitCode, stdout, stderr } = await portico(test, `search dental ${searcher} --json --config ${config}`);

    expect(exitCode).toBe(4);
    expect(documentIn({ stdout })).toMatchObject({ moa: null, errors: { moa: { kind: 'timeout' } } });
    expect(stderr).toContain(
      `No callbacks were received at ${callbackUrl.replace('/on_search', '')}. Check that each leg's bapUri`,
    );
    expect(stderr).toMatch(/^portico: No leg delivered a result\.$/m);
  });

  it('reports callbacks that are refused, and why', async (test) => {
    const registry = await webServer(test, (response) => sendJson(response, []));
    const { config } = await settingsWith(test, async (bapUri) => ({
      moa: legAt((await networkThatEnds(test, bapUri)).url, {
        bapUri,
        verifyCallbacks: true,
        registry: { url: registry.url },
      }),
    }));
    const { exitCode, stderr } = await portico(test, `search dental ${searcher} --json --config ${config}`);

    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/^portico: Refused callbacks: 1\. The signature is missing/m);
    expect(stderr).not.toContain('No callbacks were received');
  });

  it('reports callbacks that are too large', async (test) => {
    const { config } = await settingsWith(
      test,
      async (bapUri) => ({ moa: legAt((await networkThatEnds(test, bapUri, 'x'.repeat(2000))).url, { bapUri }) }),
      {},
      { limits: { maxCallbackBytes: 1024 } },
    );
    const { exitCode, stderr } = await portico(test, `search dental ${searcher} --json --config ${config}`);

    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/^portico: Refused callbacks: 1\. They were too large/m);
  });

  it.for([
    ['an empty query', ' ', 'member', /query/],
    ['a query that is too long', 'x'.repeat(257), 'member', /query/],
    ['an unknown persona', 'dental', 'stranger', /persona/],
  ] as const)('exits with 2 for a search with %s', async ([, query, persona, message], test) => {
    const { config } = await settingsWith(test, async () => ({ moa: legAt('http://127.0.0.1:1') }), {
      personas: ['member'],
    });
    const args = ['search', query, '--persona', persona, '--user-id', 'u-1', '--json', '--config', config];
    const { exitCode, stdout, stderr } = await portico(test, args);

    expect([exitCode, documentIn({ stdout })]).toMatchObject([2, { ok: false, code: 'invalid-request' }]);
    expect(stderr).toMatch(message);
  });

  it('exits with 2 when its port is in use, and suggests --server', async (test) => {
    const other = await webServer(test, () => {});
    const { port } = new URL(other.url);
    const { config } = await settingsWith(test, async () => ({ moa: legAt('http://127.0.0.1:1') }));
    const { exitCode, stdout, stderr } = await portico(
      test,
      `search dental ${searcher} --json --config ${config} --port ${port}`,
    );

    expect([exitCode, documentIn({ stdout })]).toMatchObject([
      2,
      { ok: false, problems: [{ setting: 'listen.port', source: '--port' }] },
    ]);
    expect(stderr).toMatch(/^portico: Cannot listen for callbacks\.\n.*already in use/);
    expect(stderr).toMatch(/--server/);
    expect(other.received).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'does not share the port of a running server, whose requests it would get',
    async (test) => {
      const running = createServer((_, response) => response.end('from the server'));
      await once(running.listen({ port: 0, host: '127.0.0.1', reusePort: true }), 'listening');
      test.onTestFinished(() => void running.close());
      const listen = { port: (running.address() as AddressInfo).port, reusePort: true };
      const search = { legs: { moa: legAt('http://127.0.0.1:1') } };
      const settings = { listen, search, redis: { url: 'redis://127.0.0.1:1' } };
      const config = fileWith(test, JSON.stringify(settings), { name: 'portico.json' });

      const { exitCode, stderr } = await portico(test, `search dental ${searcher} --config ${config}`);

      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/already in use/);
    },
  );

  it('stops searching on Ctrl-C before the timeout', async (test) => {
    const { config, port } = await settingsWith(test, async (bapUri) => ({
      moa: legAt((await becknNetwork(test, undefined)).url, { bapUri }),
    }));
    const { interrupt } = startPortico(test, `search dental ${searcher} --json --config ${config}`, { env: patient });
    await test.expect.poll(() => isClosed(port), { interval: 20 }).toBe(false);

    // Without a line on stderr: the command ended by itself.
    expect(await interrupt()).toMatchObject({ exitCode: 130, stdout: '', stderr: '' });
  });
});

const trace = (label: string) => ({ transaction_id: 't-1', elapsed_ms: 12, label });
const delivered = { message: { catalog: { providers: [] } }, big: 1 };
const resultText = `{"elapsed_ms":12,"moa":${JSON.stringify(delivered)},"mh":null, "errors":{"mh":{"kind":"timeout","detail":"late"}},"traces":${JSON.stringify({ moa: trace('One'), mh: trace('Other') })}}`;

const events = {
  moa: `event: leg\ndata: ${JSON.stringify({ leg: 'moa', result: delivered, trace: trace('One') })}\n\n`,
  mh: `event: leg\ndata: ${JSON.stringify({ leg: 'mh', result: null, error: { kind: 'timeout', detail: 'late' }, trace: trace('Other') })}\n\n`,
  done: `event: done\ndata: ${resultText}\n\n`,
};

/** Starts a server that responds to a search with this event stream, or with a custom response. */
const searchServer = async (test: Test, result: string | ((response: ServerResponse) => void)) => {
  const bodies: unknown[] = [];
  const server = await webServer(test, (response, request) => {
    void bodyOf(request).then((body) => {
      bodies.push(JSON.parse(body.toString()));
      if (typeof result !== 'string') return result(response);
      response.setHeader('Content-Type', 'text/event-stream; charset=utf-8').end(result);
    });
  });
  return { ...server, bodies };
};

/** Sends the problem details of a portico. */
const sendProblem = (response: ServerResponse, problem: object, status = 400, code = 'invalid-request'): void => {
  response.writeHead(status, { 'Content-Type': 'application/problem+json' });
  response.end(JSON.stringify({ type: `urn:portico:problem:${code}`, code, requestId: 'r-1', ...problem }));
};

const overloaded = [4, { ok: false, code: 'overloaded' }] as const;
const failed = [4, { ok: false, code: 'upstream-failure', service: 'search', reason: 'status' }] as const;
const malformed = [4, { ok: false, code: 'upstream-failure', service: 'search', reason: 'malformed' }] as const;

const searchAt = (test: Test, url: string) => portico(test, `search dental ${searcher} --json --server ${url}`);

describe.concurrent('portico search --server', () => {
  it('prints the result of the server unchanged, without any settings', async (test) => {
    const { url, received, bodies } = await searchServer(
      test,
      `: searching\n\n${events.moa}${events.mh}${events.done}`,
    );
    const { exitCode, stdout, stderr } = await searchAt(test, `${url}/`);

    expect([exitCode, stdout]).toEqual([0, `${resultText}\n`]);
    expect(stderr).toMatch(/^✔ moa +12 ms {2}0 offers\n✖ mh +12 ms {2}timeout: late\n$/);
    expect(received).toEqual(['POST /api/search']);
    expect(bodies).toEqual([{ persona: 'member', query: 'dental', user_id: 'u-1' }]);
  });

  it('exits with 4 when no leg of the server delivered', async (test) => {
    const none = {
      elapsed_ms: 9,
      mh: null,
      errors: { mh: { kind: 'timeout', detail: 'late' } },
      traces: { mh: trace('Other') },
    };
    const { url } = await searchServer(test, `event: done\ndata: ${JSON.stringify(none)}\n\n`);
    const { exitCode, stdout, stderr } = await searchAt(test, url);

    expect([exitCode, documentIn({ stdout })]).toEqual([4, none]);
    expect(stderr).toMatch(/^portico: No leg delivered a result\.$/m);
  });

  it('exits with 2 when the server rejects the request, and prints its problem details', async (test) => {
    const problem = {
      detail: 'Invalid search.',
      errors: [{ path: '/persona', message: 'must be one of member' }],
    };
    const { url } = await searchServer(test, (response) => sendProblem(response, problem));
    const { exitCode, stdout, stderr } = await searchAt(test, url);

    expect([exitCode, documentIn({ stdout })]).toEqual([2, { ok: false, code: 'invalid-request', ...problem }]);
    expect(stderr).toBe('portico: Invalid search.\n  /persona: must be one of member\n');
  });

  it('removes escape sequences from the problem details of the server', async (test) => {
    const { url } = await searchServer(test, (response) =>
      sendProblem(response, {
        detail: 'Invalid \u001b[31msearch.',
        errors: [{ path: '/\u009bpersona', message: 'must be \u001b]0;owned\u0007one of member' }],
      }),
    );
    const { stderr } = await searchAt(test, url);

    expect(stderr).toContain('Invalid search.');
    expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it.for([
    ['is overloaded', (response: ServerResponse) => sendStatus(response, 503), overloaded],
    [
      'limits the rate',
      (response: ServerResponse) => sendProblem(response, { detail: 'Later.' }, 429, 'rate-limited'),
      overloaded,
    ],
    ['fails', (response: ServerResponse) => sendStatus(response, 500), failed],
    [
      'rejects the request without problem details',
      (response: ServerResponse) => sendStatus(response, 400, ['hunter2']),
      failed,
    ],
    [
      'rejects the request with malformed errors',
      (response: ServerResponse) => sendProblem(response, { detail: 'No.', errors: [null, 7] }),
      [2, { ok: false, code: 'invalid-request', detail: 'No.' }],
    ],
    ['redirects', (response: ServerResponse) => response.writeHead(307, { location: '/hunter2' }).end(), failed],
    [
      'disconnects',
      (response: ServerResponse) => {
        response.setHeader('Content-Type', 'text/event-stream').write(events.moa, () => response.destroy());
      },
      malformed,
    ],
    ['ends the stream before the event done', events.moa + events.mh, malformed],
    [
      'is not a portico',
      (response: ServerResponse) => response.setHeader('Content-Type', 'text/html').end('<p>hunter2</p>'),
      malformed,
    ],
    ['sends a malformed leg', `event: leg\ndata: hunter2\n\n${events.done}`, malformed],
    ['sends an empty leg', `event: leg\ndata: null\n\n${events.done}`, malformed],
    ['sends a malformed result', `${events.moa}event: done\ndata: {"hunter2"\n\n`, malformed],
    ['sends an empty result', `${events.moa}event: done\ndata: {}\n\n`, malformed],
    ['sends malformed traces', 'event: done\ndata: {"traces":null}\n\n', malformed],
  ] as const)('reports an error when the server %s', async ([, result, expected], test) => {
    const { url } = await searchServer(test, result);
    const { exitCode, stdout, stderr } = await searchAt(test, url);

    expect([exitCode, documentIn({ stdout })]).toMatchObject(expected);
    expect(stderr).toMatch(/^portico: /m);
    expect(stdout + stderr).not.toMatch(/hunter2|undefined|^\s+at /m);
  });

  it('does not print undefined when the server leaves out fields of its legs', async (test) => {
    for (const [incomplete, shown] of [
      [{ elapsed_ms: 1, traces: { moa: {} } }, ''],
      [{ elapsed_ms: 1, mh: null, errors: { mh: { sellers: [] } }, traces: { mh: trace('Other') } }, 'mh: Other'],
    ] as const) {
      const { url } = await searchServer(test, `event: done\ndata: ${JSON.stringify(incomplete)}\n\n`);
      const { exitCode, stdout, stderr } = await portico(test, `search dental ${searcher} --server ${url}`);

      expect([exitCode, stdout.includes(shown)]).toEqual([4, true]);
      expect(stdout + stderr).not.toContain('undefined');
    }
  });

  it('exits with 4 when no server listens there, with a hint about --server', async (test) => {
    const { exitCode, stdout, stderr } = await searchAt(test, `http://127.0.0.1:${closedPort}`);

    expect([exitCode, documentIn({ stdout })]).toMatchObject([4, { service: 'search', reason: 'unreachable' }]);
    expect(stderr).toMatch(/--server/);
  });

  it('exits with 2 for an invalid URL and for a URL with a password, which is not printed', async (test) => {
    const all = await Promise.all(
      ['127.0.0.1:8080', 'ftp://127.0.0.1', 'http://user:hunter2@127.0.0.1'].map((url) => searchAt(test, url)),
    );

    for (const { exitCode, stdout, stderr } of all) {
      expect([exitCode, documentIn({ stdout })]).toMatchObject([2, { code: 'invalid-request' }]);
      expect(stderr).toMatch(/^portico: --server must be the http or https URL of a running Portico/);
      expect(stdout + stderr).not.toContain('hunter2');
    }
  });

  it('exits on Ctrl-C while the server does not respond', async (test) => {
    const { url, firstRequest } = await searchServer(test, () => {});
    const { interrupt } = startPortico(test, `search dental ${searcher} --json --server ${url}`, { env: patient });
    await firstRequest;

    expect(await interrupt()).toMatchObject({ exitCode: 130, stdout: '', stderr: '' });
  });

  it('closes the connection to the server on Ctrl-C', async (test) => {
    const left = Promise.withResolvers<void>();
    const { url } = await searchServer(test, (response) => {
      response.once('close', left.resolve).setHeader('Content-Type', 'text/event-stream').write(events.moa);
    });
    const { until, interrupt } = startPortico(test, `search dental ${searcher} --json --server ${url}`);
    await until('stderr', /moa/);
    const { exitCode, stdout, stderr } = await interrupt();
    await left.promise;

    expect([exitCode, stdout]).toEqual([130, '']);
    // No message about a forced exit.
    expect(stderr).toMatch(/^✔ moa.*\n$/);
  });

  it('shows the error of a seller that sent no catalog', async (test) => {
    const result = { context: {}, error: { code: '40000', message: 'Error\u001b[2J occurred' } };
    const trace = { transaction_id: 't-1', elapsed_ms: 12, label: 'One network' };
    const events = [
      `event: leg\ndata: ${JSON.stringify({ leg: 'moa', result, trace })}\n\n`,
      `event: done\ndata: ${JSON.stringify({ elapsed_ms: 12, moa: result, traces: { moa: trace } })}\n\n`,
    ];
    const { url } = await searchServer(test, events.join(''));
    const { exitCode, stdout, stderr } = await portico(test, `search dental ${searcher} --server ${url}`);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^✖ moa +12 ms {2}seller error 40000: Error occurred\n$/);
    expect(stdout).toBe('moa: One network  12 ms  t-1\nseller error 40000: Error occurred\n');
  });

  it('fails too-large when the server sends a line without an end', async (test) => {
    const { url } = await searchServer(test, (response) => {
      // Compressed, 256 MiB are 256 kB, which take a fraction of the time to send.
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Content-Encoding': 'gzip' });
      response.write(gzipSync('data: '));
      const mebibyte = gzipSync('x'.repeat(1_048_576));
      Readable.from(
        (function* () {
          for (;;) yield mebibyte;
        })(),
      ).pipe(response);
    });
    const command = `search dental ${searcher} --json --server ${url}`;
    // On a busy machine, even 256 MiB take longer than the default.
    const { exitCode, stdout, stderr } = await portico(test, command, { env: { SEARCH_TIMEOUT_MS: '600000' } });
    expect([exitCode, documentIn({ stdout })]).toMatchObject([4, { service: 'search', reason: 'too-large' }]);
    expect(stderr).toContain('The limit is 268435456 bytes.');
  });

  it('times out 15 s after the search timeout', async (test) => {
    const { setTimeout } = globalThis;
    const shortened = (callback: () => void, delayMs?: number, ...input: []) =>
      setTimeout(callback, delayMs === 16_234 ? 1 : delayMs, ...input);
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(shortened);
    test.onTestFinished(() => timers.mockRestore());
    const { url } = await searchServer(test, () => {});
    const env = { SEARCH_TIMEOUT_MS: '1234' };
    const { exitCode, stdout, stderr } = await portico(test, `search dental ${searcher} --json --server ${url}`, {
      env,
    });

    expect([exitCode, documentIn({ stdout })]).toMatchObject([4, { service: 'search', reason: 'timeout' }]);
    expect(stderr).toMatch(/--server/);
  });
});

/** A leg as `GET /api/legs` lists it. */
const listedLeg = (id: string) => {
  const names = 'label domain version city category_code bap_id bap_uri gateway_url gateway_path ttl'.split(' ');
  return { id, ...Object.fromEntries(names.map((name) => [name, id])) };
};

const euroItem = (name: string, value: string) => ({
  id: name,
  descriptor: { name },
  price: { currency: 'EUR', value },
});
const catalogBody = (...items: object[]) => ({
  message: { catalog: { providers: [{ descriptor: { name: 'North' }, items }] } },
});

/** Starts a server whose networks have two offers and one. */
const serverWithOffers = (test: Test) => {
  const response = {
    moa: catalogBody(euroItem('Dental plan', '30'), euroItem('Eye plan', '9')),
    mh: catalogBody(euroItem('Dental mirror', '12')),
    traces: { moa: trace('One'), mh: trace('Other') },
  };
  return webServer(test, (sent, request) => {
    if (request.url === '/api/legs') return sendJson(sent, { legs: ['moa', 'mh'].map(listedLeg) });
    return sent
      .setHeader('Content-Type', 'text/event-stream')
      .end(`event: done\ndata: ${JSON.stringify({ elapsed_ms: 12, ...response })}\n\n`);
  });
};

const offersIn = (stdout: string) => stdout.split('\n\n')[1]?.split('\n').slice(1, -1) ?? [];

describe.concurrent('portico search with a list of offers', () => {
  it.for([
    ['--filter north', ['Dental plan', 'Eye plan', 'Dental mirror']],
    ['--sort price', ['Eye plan', 'Dental mirror', 'Dental plan']],
    ['--sort name', ['Dental mirror', 'Dental plan', 'Eye plan']],
    ['--filter DENTAL --sort price', ['Dental mirror', 'Dental plan']],
    ['--network moa --sort price', ['Eye plan', 'Dental plan']],
    ['--network mh --network moa --filter plan', ['Dental plan', 'Eye plan']],
  ] as const)('shows the offers of all networks with %s', async ([options, names], test) => {
    const { url } = await serverWithOffers(test);
    const { exitCode, stdout } = await portico(test, `search dental ${searcher} --server ${url} ${options}`);

    expect(exitCode).toBe(0);
    expect(offersIn(stdout).map((line) => line.split('  ')[0])).toEqual(names);
  });

  it('prints the same rows as CSV, and the whole response as JSON', async (test) => {
    const { url } = await serverWithOffers(test);
    const options = `search dental ${searcher} --server ${url} --sort price --network moa`;
    const [csv, json] = await Promise.all([
      portico(test, `${options} --output csv`),
      portico(test, `${options} --json`),
    ]);

    expect(csv.stdout.split('\r\n')).toEqual([
      'leg,provider,offer,price,currency,description,terms,category,location,distanceKm,rating,sellerId',
      'moa,North,Eye plan,9,EUR,,,,,,,',
      'moa,North,Dental plan,30,EUR,,,,,,,',
      '',
    ]);
    expect(documentIn(json)).toMatchObject({ moa: {}, mh: {}, elapsed_ms: 12 });
  });

  it.for(['with --server', 'without'])('exits with 2 for a network that does not exist, %s', async (how, test) => {
    const { url, received } = await serverWithOffers(test);
    const { config } = await settingsWith(test, async () => ({ moa: legAt(url), mh: legAt(url) }));
    const where = how === 'without' ? `--config ${config}` : `--server ${url}`;
    const { exitCode, stderr } = await portico(test, `search dental ${searcher} ${where} --network moa --network xx`);

    expect(exitCode).toBe(2);
    expect(stderr).toBe('portico: There is no network xx.\n  The networks are moa, mh.\n');
    expect(received.filter((request) => !request.endsWith('/api/legs'))).toEqual([]);
  });

  it('exits with 2 for an order that does not exist', async (test) => {
    const { exitCode, stderr } = await portico(test, `search dental ${searcher} --sort colour`);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('Allowed choices are name, price, distance, rating.');
  });
});

describe.concurrent('portico legs', () => {
  it('lists the legs without their keys', async (test) => {
    const seed = Buffer.alloc(32, 'hunter2').toString('base64');
    const signing = { subscriberId: 'bap.example', uniqueKeyId: 'k1', privateKey: seed };
    const { config } = await settingsWith(test, async () => ({
      moa: legAt('http://gateway.example', { signing, label: 'One network' }),
      mh: legAt('http://other.example'),
    }));
    const [people, programs] = await Promise.all([
      portico(test, `legs --config ${config}`),
      portico(test, `legs --json --config ${config}`),
    ]);

    expect(people.stdout).toMatch(/^Id +Label[^]*\nmoa {2}One network[^]*\nmh +A network/);
    expect(documentIn(programs)).toMatchObject({ legs: [{ id: 'moa', label: 'One network' }, { id: 'mh' }] });
    expect([people.exitCode, programs.exitCode, people.stderr + programs.stderr]).toEqual([0, 0, '']);
    expect(people.stdout + programs.stdout).not.toContain(seed);
  });
});

import type { ServerResponse } from 'node:http';
import getPort from 'get-port';
import { describe, expect, it, vi } from 'vitest';
import {
  bodyOf,
  documentIn,
  fileWith,
  portico,
  sendStatus,
  startPortico,
  type Test,
} from '../program/binary.test.support.ts';
import { becknNetwork, legAt, sendJson, webServer } from '../program/outside-world.test.support.ts';

const forMember = '--persona member --user-id u-1';

/** Settings of a search with its own listener, where sellers call back. */
const settingsWith = async (
  test: Test,
  legs: (callbackUrl: string) => Promise<Readonly<Record<string, object>>>,
  search: object = {},
) => {
  const port = await getPort();
  const callbackUrl = `http://127.0.0.1:${port}/on_search`;
  const settings = { listen: { port }, search: { timeoutMs: 5000, ...search, legs: await legs(callbackUrl) } };
  return { port, callbackUrl, config: fileWith(test, JSON.stringify(settings), { name: 'portico.json' }) };
};

/** One leg whose seller calls back, and one whose network is out of order. */
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

describe.concurrent('a search with a listener of its own', () => {
  it('shows programs the one answer, and is done although a leg failed', async (test) => {
    const { config, port } = await oneGoodLeg(test);
    const { exitCode, stdout, stderr } = await portico(test, `search dental ${forMember} --json --config ${config}`);

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

  it('shows people the offers, leg by leg, and brings no escape sequence to the terminal', async (test) => {
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
          // A reply that carries the catalog delivers the leg at once.
          sendJson(response, { context: { ...context, action: 'on_search' }, message: { catalog: { providers } } });
        });
      });
      return { moa: legAt(network.url, { bapUri: callbackUrl, label: 'One network' }) };
    });
    const { exitCode, stdout } = await portico(test, `search dental ${forMember} --config ${config}`);

    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^moa: One network {2}\d+ ms {2}[\da-f-]{36}$/),
      'Provider  Offer        Price  Description',
      'North     Cover A  12.50 EUR  Two visits a year',
      'North     Cover B          -',
      '',
    ]);
  });

  it('makes it 4 when no leg delivers, and asks whether sellers can find it', async (test) => {
    const { config, callbackUrl } = await settingsWith(
      test,
      async (bapUri) => ({ moa: legAt((await becknNetwork(test, undefined)).url, { bapUri }) }),
      { timeoutMs: 100 },
    );
    const { exitCode, stdout, stderr } = await portico(test, `search dental ${forMember} --json --config ${config}`);

    expect(exitCode).toBe(4);
    expect(documentIn({ stdout })).toMatchObject({ moa: null, errors: { moa: { kind: 'timeout' } } });
    expect(stderr).toContain(`nobody called back at ${callbackUrl.replace('/on_search', '')}; does each leg's bapUri`);
    expect(stderr).toMatch(/^portico: no leg delivered$/m);
  });

  it.for([
    ['an empty query', ' ', 'member', /query/],
    ['a query that is too long', 'x'.repeat(257), 'member', /query/],
    ['a persona that is not one', 'dental', 'stranger', /persona/],
  ] as const)('makes it 2 for %s', async ([, query, persona, message], test) => {
    const { config } = await settingsWith(test, async () => ({ moa: legAt('http://127.0.0.1:1') }), {
      personas: ['member'],
    });
    const args = ['search', query, '--persona', persona, '--user-id', 'u-1', '--json', '--config', config];
    const { exitCode, stdout, stderr } = await portico(test, args);

    expect([exitCode, documentIn({ stdout })]).toMatchObject([2, { ok: false, code: 'invalid-request' }]);
    expect(stderr).toMatch(message);
  });

  it('makes it 2 when its port is in use, and says that a server can be asked', async (test) => {
    const other = await webServer(test, () => {});
    const { port } = new URL(other.url);
    const { config } = await settingsWith(test, async () => ({ moa: legAt('http://127.0.0.1:1') }));
    const { exitCode, stdout, stderr } = await portico(
      test,
      `search dental ${forMember} --json --config ${config} --port ${port}`,
    );

    expect([exitCode, documentIn({ stdout })]).toMatchObject([
      2,
      { ok: false, problems: [{ setting: 'listen.port', source: '--port' }] },
    ]);
    expect(stderr).toMatch(/^portico: cannot listen for callbacks\n.*already in use/);
    expect(stderr).toMatch(/--server/);
    expect(other.heard).toEqual([]);
  });

  it('makes it 2 where there are no legs in the settings', async (test) => {
    const { exitCode, stderr } = await portico(test, `search dental ${forMember}`);

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/no search legs in the settings[^]*search\.legs/);
  });

  it('is given up on Ctrl-C, long before its time is over', async (test) => {
    const { config, port } = await settingsWith(test, async (bapUri) => ({
      moa: legAt((await becknNetwork(test, undefined)).url, { bapUri }),
    }));
    const { interrupt } = startPortico(test, `search dental ${forMember} --json --config ${config}`);
    await expect.poll(() => isClosed(port), { interval: 20 }).toBe(false);
    const { exitCode } = await interrupt();

    expect(exitCode).toBe(130);
  });
});

const trace = (label: string) => ({ transaction_id: 't-1', elapsed_ms: 12, label });
const delivered = { message: { catalog: { providers: [] } }, big: 1 };
const answerText = `{"elapsed_ms":12,"moa":${JSON.stringify(delivered)},"mh":null, "errors":{"mh":{"kind":"timeout","detail":"late"}},"traces":${JSON.stringify({ moa: trace('One'), mh: trace('Other') })}}`;

const events = {
  moa: `event: leg\ndata: ${JSON.stringify({ leg: 'moa', result: delivered, trace: trace('One') })}\n\n`,
  mh: `event: leg\ndata: ${JSON.stringify({ leg: 'mh', result: null, error: { kind: 'timeout', detail: 'late' }, trace: trace('Other') })}\n\n`,
  done: `event: done\ndata: ${answerText}\n\n`,
};

/** A server that answers a search with this stream, or otherwise. */
const searchServer = async (test: Test, answer: string | ((response: ServerResponse) => void)) => {
  const bodies: unknown[] = [];
  const server = await webServer(test, (response, request) => {
    void bodyOf(request).then((body) => {
      bodies.push(JSON.parse(body.toString()));
      if (typeof answer !== 'string') return answer(response);
      response.setHeader('Content-Type', 'text/event-stream; charset=utf-8').end(answer);
    });
  });
  return { ...server, bodies };
};

/** What a portico answers to a request that it does not take. */
const sendRefusal = (response: ServerResponse, problem: object, status = 400, code = 'invalid-request'): void => {
  response.writeHead(status, { 'Content-Type': 'application/problem+json' });
  response.end(JSON.stringify({ type: `urn:portico:problem:${code}`, code, requestId: 'r-1', ...problem }));
};

const noRoom = [4, { ok: false, code: 'overloaded' }] as const;
const failed = [4, { ok: false, code: 'upstream-failure', service: 'search', reason: 'status' }] as const;
const malformed = [4, { ok: false, code: 'upstream-failure', service: 'search', reason: 'malformed' }] as const;

const askedAt = (test: Test, url: string) => portico(test, `search dental ${forMember} --json --server ${url}`);

describe.concurrent('a search at a server', () => {
  it('needs no settings, and gives the answer of the server as it came', async (test) => {
    const { url, heard, bodies } = await searchServer(test, `: searching\n\n${events.moa}${events.mh}${events.done}`);
    const { exitCode, stdout, stderr } = await askedAt(test, `${url}/`);

    expect([exitCode, stdout]).toEqual([0, `${answerText}\n`]);
    expect(stderr).toMatch(/^✔ moa +12 ms {2}0 offers\n✖ mh +12 ms {2}timeout: late\n$/);
    expect(heard).toEqual(['POST /api/search']);
    expect(bodies).toEqual([{ persona: 'member', query: 'dental', user_id: 'u-1' }]);
  });

  it('makes it 4 when no leg delivered', async (test) => {
    const none = {
      elapsed_ms: 9,
      mh: null,
      errors: { mh: { kind: 'timeout', detail: 'late' } },
      traces: { mh: trace('Other') },
    };
    const { url } = await searchServer(test, `event: done\ndata: ${JSON.stringify(none)}\n\n`);
    const { exitCode, stdout, stderr } = await askedAt(test, url);

    expect([exitCode, documentIn({ stdout })]).toEqual([4, none]);
    expect(stderr).toMatch(/^portico: no leg delivered$/m);
  });

  it('makes it 2 when the server does not take the request, and says what the server says', async (test) => {
    const problem = {
      detail: 'This is not a search.',
      errors: [{ path: '/persona', message: 'must be one of member' }],
    };
    const { url } = await searchServer(test, (response) => sendRefusal(response, problem));
    const { exitCode, stdout, stderr } = await askedAt(test, url);

    expect([exitCode, documentIn({ stdout })]).toEqual([2, { ok: false, code: 'invalid-request', ...problem }]);
    expect(stderr).toBe('portico: This is not a search.\n  /persona: must be one of member\n');
  });

  it('brings no escape sequence to the terminal, whatever the server says of the request', async (test) => {
    const { url } = await searchServer(test, (response) =>
      sendRefusal(response, {
        detail: 'This is \u001b[31mnot a search.',
        errors: [{ path: '/\u009bpersona', message: 'must be \u001b]0;owned\u0007one of member' }],
      }),
    );
    const { stderr } = await askedAt(test, url);

    expect(stderr).toContain('This is not a search.');
    expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it.for([
    ['has no room', (response: ServerResponse) => sendStatus(response, 503), noRoom],
    [
      'is asked too often',
      (response: ServerResponse) => sendRefusal(response, { detail: 'Later.' }, 429, 'rate-limited'),
      noRoom,
    ],
    ['fails', (response: ServerResponse) => sendStatus(response, 500), failed],
    ['refuses without a reason', (response: ServerResponse) => sendStatus(response, 400, ['hunter2']), failed],
    [
      'refuses with reasons that are none',
      (response: ServerResponse) => sendRefusal(response, { detail: 'No.', errors: [null, 7] }),
      [2, { ok: false, code: 'invalid-request', detail: 'No.' }],
    ],
    ['sends us on', (response: ServerResponse) => response.writeHead(307, { location: '/hunter2' }).end(), failed],
    [
      'breaks off',
      (response: ServerResponse) => {
        response.setHeader('Content-Type', 'text/event-stream').write(events.moa, () => response.destroy());
      },
      malformed,
    ],
    ['ends before it is done', events.moa + events.mh, malformed],
    [
      'is no portico',
      (response: ServerResponse) => response.setHeader('Content-Type', 'text/html').end('<p>hunter2</p>'),
      malformed,
    ],
    ['says garbage of a leg', `event: leg\ndata: hunter2\n\n${events.done}`, malformed],
    ['says nothing of a leg', `event: leg\ndata: null\n\n${events.done}`, malformed],
    ['says garbage in the end', `${events.moa}event: done\ndata: {"hunter2"\n\n`, malformed],
    ['says nothing in the end', `${events.moa}event: done\ndata: {}\n\n`, malformed],
    ['says of the legs what is no trace', 'event: done\ndata: {"traces":null}\n\n', malformed],
  ] as const)('makes it an error of its own that the server %s', async ([, answer, expected], test) => {
    const { url } = await searchServer(test, answer);
    const { exitCode, stdout, stderr } = await askedAt(test, url);

    expect([exitCode, documentIn({ stdout })]).toMatchObject(expected);
    expect(stderr).toMatch(/^portico: /m);
    expect(stdout + stderr).not.toMatch(/hunter2|undefined|^\s+at /m);
  });

  it('shows people no more than the server said of its legs', async (test) => {
    const strange = { traces: { moa: {}, mh: null } };
    const { url } = await searchServer(test, `event: done\ndata: ${JSON.stringify(strange)}\n\n`);
    const { exitCode, stdout } = await portico(test, `search dental ${forMember} --server ${url}`);

    expect(exitCode).not.toBe(1);
    expect(stdout).not.toContain('undefined');
  });

  it('makes it 4 when nobody is there, and asks whether the address is right', async (test) => {
    const { exitCode, stdout, stderr } = await askedAt(test, `http://127.0.0.1:${await getPort()}`);

    expect([exitCode, documentIn({ stdout })]).toMatchObject([4, { service: 'search', reason: 'unreachable' }]);
    expect(stderr).toMatch(/--server/);
  });

  it('makes it 2 when the address is none, or holds a password, which is not shown', async (test) => {
    const all = await Promise.all(
      ['127.0.0.1:8080', 'ftp://127.0.0.1', 'http://user:hunter2@127.0.0.1'].map((url) => askedAt(test, url)),
    );

    for (const { exitCode, stdout, stderr } of all) {
      expect([exitCode, documentIn({ stdout })]).toMatchObject([2, { code: 'invalid-request' }]);
      expect(stderr).toMatch(/^portico: --server is the http or https address of a portico/);
      expect(stdout + stderr).not.toContain('hunter2');
    }
  });

  it('that never answers is given up on Ctrl-C, long before its time is over', async (test) => {
    const { url, asked } = await searchServer(test, () => {});
    const { interrupt } = startPortico(test, `search dental ${forMember} --json --server ${url}`);
    await asked;
    const { exitCode, stdout } = await interrupt();

    expect([exitCode, stdout]).toEqual([130, '']);
  });

  it('sees a client leave that was interrupted, and that had time to', async (test) => {
    const left = Promise.withResolvers<void>();
    const { url } = await searchServer(test, (response) => {
      response.once('close', left.resolve).setHeader('Content-Type', 'text/event-stream').write(events.moa);
    });
    const { until, interrupt } = startPortico(test, `search dental ${forMember} --json --server ${url}`);
    await until('stderr', /moa/);
    const { exitCode, stdout, stderr } = await interrupt();
    await left.promise;

    expect([exitCode, stdout]).toEqual([130, '']);
    // Nothing of an end that was forced.
    expect(stderr).toMatch(/^✔ moa.*\n$/);
  });

  it('that is silent for 15 s longer than a search may take is given up', async (test) => {
    const { setTimeout } = globalThis;
    const soon = (act: () => void, length?: number, ...input: []) =>
      setTimeout(act, length === 16_234 ? 1 : length, ...input);
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(soon);
    test.onTestFinished(() => timers.mockRestore());
    const { url } = await searchServer(test, () => {});
    const env = { SEARCH_TIMEOUT_MS: '1234' };
    const { exitCode, stdout, stderr } = await portico(test, `search dental ${forMember} --json --server ${url}`, {
      env,
    });

    expect([exitCode, documentIn({ stdout })]).toMatchObject([4, { service: 'search', reason: 'timeout' }]);
    expect(stderr).toMatch(/--server/);
  });
});

describe.concurrent('portico legs', () => {
  it('lists the networks, without their keys', async (test) => {
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

  it('makes it 2 where there are none', async (test) => {
    expect(await portico(test, 'legs')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/no search legs in the settings/),
    });
  });
});

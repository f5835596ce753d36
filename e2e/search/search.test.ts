import type { SellerBehaviour } from '@portico/sandbox';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startWorld, type World } from '@portico/demo/world';

interface Answer {
  readonly elapsed_ms: number;
  readonly moa: OnSearch | null;
  readonly mh: OnSearch | null;
  readonly errors?: Readonly<Record<string, { readonly kind: string; readonly detail: string }>>;
  readonly traces: Readonly<Record<string, { readonly transaction_id: string; readonly elapsed_ms: number }>>;
}

interface OnSearch {
  readonly context: { readonly domain: string; readonly bpp_id: string; readonly transaction_id: string };
  readonly message: { readonly catalog: Readonly<Record<string, readonly { readonly items: readonly object[] }[]>> };
}

const timeoutMs = 900;
const wellBehaved: Partial<SellerBehaviour> = { fault: null, delayMs: [5, 20] };
let world: World;

beforeAll(async () => {
  world = await startWorld({ settings: () => ({ search: { timeoutMs, ackTimeoutMs: 500 } }) });
  // The first search compiles half of it on a busy machine, and may run out of the short time given here.
  await vi.waitFor(async () => expect((await search()).errors).toBeUndefined(), { timeout: 10_000 });
});
afterEach(async () => {
  const { moa, mh } = world.sandbox.search;
  await Promise.all([moa.setBehaviour(wellBehaved), mh.setBehaviour(wellBehaved), mh.gateway.setFault(null)]);
});
afterAll(() => world.close());

const post = (accept: string, query = 'health', signal = AbortSignal.timeout(8000)) =>
  fetch(`${world.portico.url}/api/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ persona: 'member', query, user_id: 'demo' }),
    signal,
  });

const search = async (query?: string): Promise<Answer> =>
  (await post('application/json', query)).json() as Promise<Answer>;

interface Health {
  readonly pending: number;
  readonly callbacks: Readonly<Record<string, number>>;
}

const health = async () => (await (await fetch(`${world.portico.url}/health`)).json()) as Health;

/** How many callbacks came to what while this went on. */
const counted = async (doing: () => Promise<unknown>) => {
  const before = (await health()).callbacks;
  await doing();
  const after = (await health()).callbacks;
  return Object.fromEntries(
    Object.entries(after).flatMap(([fate, n]) => (n > before[fate]! ? [[fate, n - before[fate]!]] : [])),
  );
};

const ids = (leg: OnSearch | null) =>
  Object.values(leg?.message.catalog ?? {}).flatMap((providers) =>
    Array.isArray(providers) ? providers.flatMap(({ items }) => items as { readonly id: string }[]) : [],
  );

describe('one search on two networks', () => {
  it('gives both catalogs side by side', async () => {
    const answer = await search();
    expect(answer.errors).toBeUndefined();
    expect(answer.moa?.context.domain).toBe('schemes:moa');
    expect(answer.mh?.context.domain).toBe('retail');
    expect(answer.moa?.message.catalog).toHaveProperty('providers');
    expect(answer.mh?.message.catalog).toHaveProperty('bpp/providers');
    expect(answer.traces['moa']?.transaction_id).toBe(answer.moa?.context.transaction_id);
    expect(answer.elapsed_ms).toBeGreaterThanOrEqual(answer.traces['mh']!.elapsed_ms);
    expect((await health()).pending).toBe(0);
  });

  it('matches the name on the real leg, while the mock leg gives all it has', async () => {
    const [some, none] = [await search('soil'), await search('no such thing')];
    expect(ids(some.moa)).toHaveLength(1);
    expect(ids(none.moa)).toEqual([]);
    expect(ids(none.mh)).toEqual(ids(some.mh));
  });

  it('asks under fresh ids every time', async () => {
    const answers = await Promise.all([search(), search()]);
    const all = answers.flatMap(({ traces }) => Object.values(traces).map((trace) => trace.transaction_id));
    expect(new Set(all).size).toBe(4);
  });

  it('streams each leg as it settles, the faster one first', async () => {
    await world.sandbox.search.mh.setBehaviour({ delayMs: [300, 300] });
    const { body, headers } = await post('text/event-stream');
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    const names: string[] = [];
    let text = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const seen = [...text.matchAll(/^event: (\w+)\ndata: (?:\{"leg":"(\w+)")?/gm)].map(
        ([, name, leg]) => leg ?? name!,
      );
      if (seen.length === 1 && names.length === 0) expect((await health()).pending).toBe(1);
      names.splice(0, names.length, ...seen);
    }
    expect(names).toEqual(['moa', 'mh', 'done']);
  });

  it('is abandoned when the client leaves', async () => {
    // Both, so that no callback comes later, into what another test counts.
    await world.sandbox.search.moa.setBehaviour({ fault: 'silent' });
    await world.sandbox.search.mh.setBehaviour({ fault: 'silent' });
    const leaving = new AbortController();
    const left = post('application/json', 'health', leaving.signal).catch(() => 'left');
    await expect.poll(async () => (await health()).pending, { interval: 5 }).toBeGreaterThan(0);
    leaving.abort();
    expect(await left).toBe('left');
    await expect.poll(async () => (await health()).pending, { interval: 5 }).toBe(0);
  });

  it('fails a leg at once when its gateway is killed on the way, and delivers the other', async () => {
    const { gateway } = world.sandbox.search.mh;
    await gateway.setFault({ kind: 'black-hole' });
    gateway.clearRequests();
    const searching = search();
    await expect.poll(() => gateway.requests.length, { interval: 2 }).toBe(1);
    await gateway.setFault({ kind: 'refuse' });
    const answer = await searching;
    expect([answer.mh, answer.errors?.['mh']?.kind]).toEqual([null, 'bap_unreachable']);
    expect(answer.moa?.context.domain).toBe('schemes:moa');
    expect(answer.errors?.['mh']?.detail).toBe('the network responded with 502');
  });
});

const mebibytes5 = 5 * 1024 * 1024;

const rows: readonly {
  readonly behaviour: Partial<SellerBehaviour>;
  readonly error?: 'timeout' | 'bap_unreachable';
  /** What the callbacks of both sellers came to, the late ones included. */
  readonly counts: Readonly<Record<string, number>>;
  readonly only?: 'mh';
}[] = [
  { behaviour: { fault: 'silent' }, error: 'timeout', counts: { delivered: 1 } },
  { behaviour: { fault: 'nack' }, error: 'bap_unreachable', counts: { delivered: 1 } },
  { behaviour: { fault: 'status-500' }, error: 'bap_unreachable', counts: { delivered: 1 } },
  { behaviour: { fault: 'refused' }, error: 'bap_unreachable', counts: { delivered: 1 } },
  { behaviour: { fault: 'slow-ack', slowAckMs: 700 }, error: 'bap_unreachable', counts: { delivered: 1, late: 1 } },
  { behaviour: { fault: 'callback-before-ack' }, counts: { delivered: 2 } },
  { behaviour: { fault: 'two-callbacks' }, counts: { delivered: 2, duplicate: 1 } },
  {
    behaviour: { fault: 'late-callback', lateMs: timeoutMs + 100 },
    error: 'timeout',
    counts: { delivered: 1, late: 1 },
  },
  { behaviour: { fault: 'wrong-transaction' }, error: 'timeout', counts: { delivered: 1, unknown: 1 } },
  { behaviour: { fault: 'broken-json' }, error: 'timeout', counts: { delivered: 1, rejected: 1 } },
  { behaviour: { fault: 'huge-catalog', hugeBytes: mebibytes5 }, counts: { delivered: 2 } },
  {
    behaviour: { fault: 'huge-catalog', hugeBytes: mebibytes5 + 1 },
    error: 'timeout',
    counts: { delivered: 1, rejected: 1 },
  },
  { behaviour: { fault: 'wrong-signature' }, error: 'timeout', counts: { delivered: 1, rejected: 1 }, only: 'mh' },
];

describe.each(['moa', 'mh'] as const)('when the %s seller misbehaves', (leg) => {
  const other = leg === 'moa' ? 'mh' : 'moa';
  it.each(rows.filter(({ only }) => only === undefined || only === leg))(
    '$behaviour.fault $behaviour.hugeBytes: the other leg is there all the same',
    async ({ behaviour, error, counts }) => {
      const seller = world.sandbox.search[leg];
      await seller.setBehaviour(behaviour);
      const seen = await counted(async () => {
        const answer = await search();
        expect(answer[other]).not.toBeNull();
        expect(answer.errors?.[leg]?.kind).toBe(error);
        expect(answer[leg] === null).toBe(error !== undefined);
        if (behaviour.fault !== 'refused') await seller.callbackDone(answer.traces[leg]!.transaction_id);
      });
      expect(seen).toEqual(counts);
      expect((await health()).pending).toBe(0);
    },
  );
});

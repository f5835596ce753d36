import { aLeg } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { expectSchema } from '../openapi/document.test.support.ts';
import type { LegReport } from '../routing/route.ts';
import { collectGarbage } from '../server/garbage.test.support.ts';
import {
  aSearch,
  searchFakes,
  type SearchHostSettings,
  serveSearch,
  transactionId,
} from '../server/search.test.support.ts';

const from = (seller: string, rest: object = { message: { catalog: { providers: [] } } }, more: object = {}): string =>
  JSON.stringify({
    context: { action: 'on_search', transaction_id: transactionId(1), bpp_id: seller, ...more },
    ...rest,
  });

const noStock = { error: { code: '30001', message: 'No stock' } };

const collecting = (differences: Parameters<typeof aLeg>[1] = {}) => [
  aLeg('mh', { callbacks: { until: 'deadline' }, ...differences }),
];

describe('a search on a leg that collects', () => {
  it('streams each callback as it arrives, the leg as it settles, and the whole response', async () => {
    const host = await serveSearch({ legs: collecting() });
    const events = await host.listen();
    const next = async () => {
      const event = await events.next();
      return [event?.name, JSON.parse(event?.data ?? 'null') as unknown] as const;
    };
    host.clock.advance(400);
    await host.callBack(from('one'));
    const one = { leg: 'mh', bpp_id: 'one', result: JSON.parse(from('one')) as unknown };
    expect(await next()).toEqual(['callback', one]);
    await host.callBack(from('two', noStock));
    const two = { leg: 'mh', bpp_id: 'two', result: null, error: noStock.error };
    expect(await next()).toEqual(['callback', two]);

    host.clock.advance(9600);
    const result = { responses: [JSON.parse(from('one')) as unknown] };
    const error = { sellers: [{ bpp_id: 'two', message_id: null, ...noStock.error }] };
    const trace = {
      transaction_id: transactionId(1),
      elapsed_ms: 10_000,
      label: 'The mh network',
      sellers: [
        { bpp_id: 'one', message_id: null, elapsed_ms: 400 },
        { bpp_id: 'two', message_id: null, elapsed_ms: 400 },
      ],
    };
    const leg = { leg: 'mh', result, error, trace };
    expect(await next()).toEqual(['leg', leg]);
    const done = { elapsed_ms: 10_000, mh: result, errors: { mh: error }, traces: { mh: trace } };
    expect(await next()).toEqual(['done', done]);
    expect(await events.next()).toBeUndefined();
    expect(host.clock.scheduled).toBe(0);
  });

  it('returns everything at once to a client that accepts JSON', async () => {
    const host = await serveSearch({ legs: collecting({ callbacks: { count: 2 } }) });
    const searching = host.search();
    await host.posted(1);
    for (const seller of ['one', 'two']) expect((await host.callBack(from(seller))).status).toBe(200);
    const { status, json } = await searching;
    expect([status, json]).toMatchObject([
      200,
      { mh: { responses: ['one', 'two'].map((seller) => JSON.parse(from(seller)) as unknown) } },
    ]);
  });

  it('acknowledges a callback that is sent twice, and counts it as a duplicate', async () => {
    const host = await serveSearch({ legs: collecting() });
    await host.listen();
    for (const _ of [1, 2]) expect((await host.callBack(from('one'))).status).toBe(200);
    expect(await host.counted()).toEqual({ pending: 1, delivered: 1, duplicate: 1 });
  });

  it.each([{ maxCallbacks: 1 }, { maxBytes: from('one').length + 1 }])(
    'refuses a callback beyond %j with 429, and settles with what it has',
    async (limit) => {
      const host = await serveSearch({ legs: collecting(limit) });
      const searching = host.search();
      await host.posted(1);
      await host.callBack(from('one'));
      const refused = await host.callBack(from('two'));
      expect([refused.status, refused.json]).toEqual([
        429,
        {
          message: { ack: { status: 'NACK' } },
          error: { code: 'limit-reached', message: 'This search has as many callbacks as it may collect.' },
        },
      ]);
      expectSchema('Nack', refused.json);
      expect((await searching).json).toMatchObject({ mh: { responses: [{ context: { bpp_id: 'one' } }] } });
      expect(await host.counted()).toEqual({ pending: 0, delivered: 1, rejected: 1 });
    },
  );

  it('removes the leg when its client disconnects, and acknowledges later callbacks as late', async () => {
    const host = await serveSearch({ legs: collecting() });
    const events = await host.listen();
    await host.callBack(from('one'));
    await events.next();
    events.disconnect();
    await expect.poll(() => host.counted()).toEqual({ pending: 0, delivered: 1 });
    expect((await host.callBack(from('two'))).status).toBe(200);
    expect(await host.counted()).toEqual({ pending: 0, delivered: 1, late: 1 });
  });
});

/** Starts a search, sends callbacks of these sellers, and returns the response after this time. */
const responseAfter = async (legs: SearchHostSettings['legs'], callbacks: readonly string[], ms: number) => {
  const host = await serveSearch({ legs: legs ?? [] });
  const searching = host.search();
  await host.posted(1);
  for (const callback of callbacks) await host.callBack(callback);
  host.clock.advance(ms);
  return (await searching).json;
};

describe('the end of a search on a leg that collects', () => {
  it('is the pause after its last callback with quietMs', async () => {
    const legs = collecting({ callbacks: { quietMs: 700 } });
    expect(await responseAfter(legs, [from('one'), from('two')], 700)).toMatchObject({
      elapsed_ms: 700,
      mh: { responses: [{ context: { bpp_id: 'one' } }, { context: { bpp_id: 'two' } }] },
    });
  });

  it('is a timeout without any callback', async () => {
    expect(await responseAfter(collecting(), [], 10_000)).toMatchObject({
      mh: null,
      errors: { mh: { kind: 'timeout', detail: 'no callback within 10000 ms' } },
    });
  });

  it('is a failure when every seller sent an error', async () => {
    const legs = collecting({ callbacks: { count: 2 } });
    expect(await responseAfter(legs, [from('one', noStock), from('two', noStock)], 0)).toMatchObject({
      mh: null,
      errors: { mh: { kind: 'bap_unreachable', sellers: [{ bpp_id: 'one' }, { bpp_id: 'two', code: '30001' }] } },
    });
  });

  it('delivers the error of the seller, and names it in the trace, on a leg that its first callback ends', async () => {
    expect(await responseAfter([aLeg('mh')], [from('one', noStock)], 0)).toMatchObject({
      mh: { error: noStock.error },
      traces: { mh: { seller_error: noStock.error } },
    });
  });
});

describe('a search of a persona', () => {
  it('reaches only its legs, with its intent, that of the leg and a ttl of the deadline', async () => {
    const host = await serveSearch({
      legs: [
        aLeg('moa'),
        { ...aLeg('mh', { extraIntent: { tags: [{ for: '{persona} {user_id}: {query}' }] } }), ttl: undefined },
      ],
      personas: { member: { legs: ['mh'], intent: { fulfillment: { type: 'home' } } } },
      timeoutMs: 1500,
    });
    const searching = host.search();
    await host.posted(1);
    const { context, message } = host.posts[0]!.envelope;
    expect([context.ttl, message.intent]).toMatchObject([
      'PT1.5S',
      {
        item: { descriptor: { name: 'dental cover' } },
        fulfillment: { type: 'home' },
        tags: [{ for: 'member u-1: dental cover' }],
      },
    ]);
    host.clock.advance(1500);
    expect(Object.keys((await searching).json as object)).toEqual(['elapsed_ms', 'mh', 'errors', 'traces']);
    expect(host.posts).toHaveLength(1);
  });
});

describe('a callback of another message', () => {
  it('is delivered, and counted as mismatched in the health', async () => {
    const host = await serveSearch({ legs: [aLeg('mh')] });
    const searching = host.search();
    await host.posted(1);
    expect((await host.callBack(from('one', {}, { message_id: 'other' }))).status).toBe(200);
    expect((await searching).json).toMatchObject({ mh: { context: { message_id: 'other' } } });
    expect(await host.counted()).toEqual({ pending: 0, delivered: 1, mismatched: 1 });
  });
});

describe('an error of a seller with a long message', () => {
  it('takes no memory for the part of the message that is not used, while its search waits', async () => {
    const { use } = searchFakes({ legs: collecting() });
    expect((await use.search(JSON.parse(aSearch))).isOk()).toBe(true);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let seller = 0; seller < 10; seller++) {
      const text = from(`seller-${seller}`, { error: { code: '1', message: 'x'.repeat(2_000_000) } });
      // The callbacks themselves are kept, but outside the heap.
      await use.receiveCallback({ text: Buffer.from(text).toString() });
    }
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
    expect(use.searchStatus()).toMatchObject({ pending: 1, callbacks: { delivered: 10 } });
  });
});

describe('a strict leg', () => {
  it('refuses a callback of another message with 400, and accepts the right one', async () => {
    const host = await serveSearch({ legs: [aLeg('mh', { strict: true })] });
    const searching = host.search();
    await host.posted(1);
    const { message_id, bap_id, domain } = host.posts[0]!.envelope.context;
    const refused = await host.callBack(from('one', {}, { message_id: 'other', bap_id, domain }));
    expect([refused.status, refused.json]).toMatchObject([400, { error: { code: 'invalid-request' } }]);
    expect((await host.callBack(from('one', {}, { message_id, bap_id, domain }))).status).toBe(200);
    expect((await searching).json).toMatchObject({ mh: { context: { bpp_id: 'one' } } });
    expect(await host.counted()).toEqual({ pending: 0, delivered: 1, rejected: 1, mismatched: 1 });
  });
});

const reportOf = async (callbacks: readonly string[], legs = collecting({ callbacks: { count: 2 } })) => {
  const reports: LegReport[] = [];
  const host = await serveSearch({ legs, onLeg: (report) => reports.push(report) });
  const searching = host.search();
  await host.posted(1);
  for (const callback of callbacks) await host.callBack(callback);
  host.clock.advance(10_000);
  await searching;
  return reports;
};

describe('the report of a leg', () => {
  it('is delivered when one seller sent a catalog and another an error', async () => {
    expect(await reportOf([from('one'), from('two', noStock)])).toMatchObject([
      { leg: 'mh', outcome: 'delivered', sellerErrors: 1 },
    ]);
  });

  it('is seller-error when every seller sent an error', async () => {
    expect(await reportOf([from('one', noStock), from('two', noStock)])).toMatchObject([
      { outcome: 'seller-error', sellerErrors: 2 },
    ]);
  });

  it('is seller-error when the first callback of a leg is an error', async () => {
    expect(await reportOf([from('one', noStock)], [aLeg('mh')])).toMatchObject([
      { outcome: 'seller-error', sellerErrors: 1 },
    ]);
  });
});

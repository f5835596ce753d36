import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSearchUseCases, type Leg, memoryCallbackExchange, searchResponseText, toJson } from '@portico/core';
import { fakeClock } from '@portico/core/testing';
import { randomIds } from '@portico/core/system';
import { errAsync, okAsync } from 'neverthrow';
import { expect, it } from 'vitest';

setFlagsFromString('--expose-gc');
// As in `portico serve` (docs/decisions/0167).
setFlagsFromString('--no-allocation-site-pretenuring');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
const heapMiB = () => {
  collect();
  collect();
  return process.memoryUsage().heapUsed / 1024 / 1024;
};

const leg = (id: string): Leg => ({
  id,
  label: id,
  domain: 'schemes:heap',
  version: '1.1.0',
  city: 'std:080',
  categoryCode: 'heap',
  bapId: 'bap.heap.example',
  bapUri: 'http://127.0.0.1:9',
  gatewayUrl: 'http://127.0.0.1:9',
  gatewayPath: '/search',
  ttl: 'PT10M',
});

const request = { persona: 'member', query: 'heap', user_id: 'heap' };

const outcomes = ['delivered', 'refused', 'silent', 'cancelled'] as const;
const batch = 100;
/** Enough to detect a leak of 200 bytes per search. `HEAP_SEARCHES` sets another number. */
const searches = Number(process.env['HEAP_SEARCHES'] ?? 10_000);

it('thousands of searches with mixed outcomes leave no entry, timer or listener, and leave the heap unchanged', async () => {
  const clock = fakeClock();
  const exchange = memoryCallbackExchange(clock);
  let outcome: (typeof outcomes)[number] = 'delivered';
  const use = createSearchUseCases(
    {
      exchange,
      clock,
      ids: randomIds,
      transport: {
        post: ({ id }, { context }) => {
          if (outcome === 'refused' && id === 'mh') return errAsync({ kind: 'bap_unreachable', detail: 'refused' });
          const callback = toJson({ context: { ...context, action: 'on_search' }, message: { catalog: {} } });
          if (outcome === 'delivered' || id === 'moa') void use.receiveCallback(callback);
          return okAsync({ outcome: 'ack' });
        },
      },
    },
    { legs: [leg('moa'), leg('mh')] },
  );
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
  };

  const searchBatch = async () => {
    const started = await Promise.all(Array.from({ length: batch }, () => use.search(request, signal)));
    const results = Promise.all(started.flatMap((one) => (one.isOk() ? [one.value.response] : [])));
    if (outcome === 'silent') clock.advance(10_000);
    if (outcome === 'cancelled') for (const abandon of listeners) abandon();
    expect(await results).toHaveLength(batch);
  };
  const searchMany = async (searches: number) => {
    for (let done = 0; done < searches; done += batch) {
      outcome = outcomes[(done / batch) % outcomes.length]!;
      await searchBatch();
    }
  };

  await searchMany(4000);
  const before = heapMiB();
  await searchMany(searches);
  expect(heapMiB() - before).toBeLessThan((searches * 200) / 1024 / 1024);
  expect([exchange.pending, clock.scheduled, listeners.size]).toEqual([0, 0, 0]);
});

/** What V8 keeps of ended searches until it collects all garbage makes each of its frequent short collections longer. */
it('an ended search leaves nothing to the next full collection of garbage', async () => {
  const use = createSearchUseCases(
    {
      exchange: memoryCallbackExchange(fakeClock()),
      clock: fakeClock(),
      ids: randomIds,
      transport: {
        post: (_, { context }) => {
          const catalog = Buffer.alloc(10_000, 'x').toString();
          const text = JSON.stringify({ context: { ...context, action: 'on_search' }, message: { catalog } });
          setImmediate(() => void use.receiveCallback({ text }));
          return okAsync({ outcome: 'ack' });
        },
      },
    },
    { legs: [leg('moa'), { ...leg('mh'), callbacks: { count: 1 } }] },
  );
  const respond = async () => {
    const started = await use.search(request);
    return started.isOk() ? searchResponseText(await started.value.response) : '';
  };
  const searchMany = async () => {
    for (let done = 0; done < 5000; done += 10) {
      for (const text of await Promise.all(Array.from({ length: 10 }, respond)))
        expect(text.length).toBeGreaterThan(20_000);
      collect({ type: 'minor' });
    }
  };
  await searchMany();
  const before = heapMiB();
  await searchMany();
  // The callbacks of these searches are 95 MiB.
  expect(process.memoryUsage().heapUsed / 1024 / 1024 - before).toBeLessThan(10);
});

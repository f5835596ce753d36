/** Measures what legs that collect keep in memory. Prints one line of JSON and waits for SIGTERM. */
import { createSearchUseCases, memoryCallbackExchange, searchResponseText, type SearchTransport } from '@portico/core';
import { randomIds, systemClock } from '@portico/core/system';
import { okAsync } from 'neverthrow';
import { legSettings } from '../../portico-settings.ts';
import { heapUsed, printAndWait } from './heap.ts';

export interface CollectedBytes {
  /** Growth of the heap, per byte of the callbacks. */
  readonly memoryPerByte: number;
  /** Bytes of callbacks in the response of a leg with a `maxBytes` of 1 MiB that 100 sellers of 50 kB call. */
  readonly keptBytes: number;
}

const padding = 'x'.repeat(50_000);

/** A buyer with one leg, and a function that calls back from 100 sellers for the newest search. */
const buyer = (maxBytes: number) => {
  let newest = '';
  const transport: SearchTransport = {
    post: (_, { context }) => {
      newest = context.transaction_id;
      return okAsync({ outcome: 'ack' });
    },
  };
  const leg = {
    ...legSettings('http://127.0.0.1:1', 'http://127.0.0.1:1'),
    id: 'mh',
    callbacks: { until: 'deadline' },
    maxBytes,
  } as const;
  const exchange = memoryCallbackExchange(systemClock);
  const use = createSearchUseCases(
    { transport, exchange, clock: systemClock, ids: randomIds },
    { legs: [leg], timeoutMs: 600_000 },
  );
  const request = { persona: 'member', query: 'health', user_id: 'bench' };
  const callBack = async (): Promise<void> => {
    for (let seller = 0; seller < 100; seller++) {
      const context = { action: 'on_search', transaction_id: newest, bpp_id: `bpp-${seller}.example` };
      // Like a request's body, which is one flat string.
      const text = Buffer.from(JSON.stringify({ context, message: { padding } })).toString();
      await use.receiveCallback({ text });
    }
  };
  const begin = async () => {
    const found = await use.search(request);
    if (found.isErr()) throw new Error(found.error.kind);
    return found.value;
  };
  return { begin, callBack };
};

const measure = async (): Promise<CollectedBytes> => {
  const limited = buyer(1_048_576);
  const search = await limited.begin();
  await limited.callBack();
  const text = searchResponseText(await search.response);
  const kept = (JSON.parse(text) as { readonly mh: { readonly responses: readonly object[] } }).mh.responses;
  const keptBytes = kept.reduce((sum, response) => sum + JSON.stringify(response).length, 0);

  const one = buyer(32 * 1_048_576);
  const pending = [];
  const before = await heapUsed();
  for (let nth = 0; nth < 20; nth++) {
    pending.push(await one.begin());
    await one.callBack();
  }
  return { memoryPerByte: ((await heapUsed()) - before) / (pending.length * 100 * padding.length), keptBytes };
};

printAndWait(await measure());

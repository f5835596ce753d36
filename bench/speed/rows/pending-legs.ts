/** Measures memory and time of the correlator as searches accumulate. Prints one line of JSON and waits for SIGTERM. */
import { randomIds, systemClock } from '@portico/core/system';
import {
  createSearchUseCases,
  type Envelope,
  type Failure,
  type Leg,
  memoryCallbackExchange,
  type RunningSearch,
  type SearchTransport,
} from '@portico/core';
import { okAsync, type Result } from 'neverthrow';
import { legSettings } from '../../portico-settings.ts';
import { quantile } from '../../statistics.ts';
import { heapUsed, printAndWait } from './heap.ts';

export interface CorrelatorCosts {
  readonly bytesPerLeg: number;
  readonly bytesPerLegAfterwards: number;
  /** Per search, by the number of pending legs. */
  readonly microsecondsByPending: Readonly<Record<'1000' | '50000', number>>;
  /** By the number of legs of a search. */
  readonly microsecondsPerLeg: Readonly<Record<'2' | '32', number>>;
}

const leg = (nth: number): Leg => ({
  ...legSettings('http://127.0.0.1:1', 'http://127.0.0.1:1'),
  id: `leg-${nth}`,
  gatewayPath: '/search',
  ttl: 'PT10M',
});

const request = { persona: 'member', query: 'health', user_id: 'bench' };

/** A buyer with this number of legs, whose networks acknowledge immediately. */
const buyer = (legs: number) => {
  /** Transaction ids of the pending legs, oldest first. */
  const posted: string[] = [];
  const transport: SearchTransport = {
    post: (_, envelope: Envelope) => {
      // A transport serializes the envelope. V8 then joins the ids, which it keeps as thirty parts until they are read.
      JSON.stringify(envelope);
      posted.push(envelope.context.transaction_id);
      return okAsync({ outcome: 'ack' });
    },
  };
  const exchange = memoryCallbackExchange(systemClock);
  const use = createSearchUseCases(
    { transport, exchange, clock: systemClock, ids: randomIds },
    { legs: Array.from({ length: legs }, (_, nth) => leg(nth)), timeoutMs: 600_000, maxPending: 1_000_000 },
  );
  const begin = async (): Promise<RunningSearch> => unwrap(await use.search(request));
  /** Calls back for all pending legs but the oldest `from`. */
  const callBack = async (from: number): Promise<void> => {
    for (const id of posted.splice(from)) {
      const text = JSON.stringify({ context: { action: 'on_search', transaction_id: id } });
      unwrap(await use.receiveCallback({ text }));
    }
  };
  return { begin, callBack, pending: () => posted.length };
};

const unwrap = <T>(result: Result<T, Failure>): T =>
  result.match(
    (value) => value,
    (failure) => {
      throw new Error(JSON.stringify(failure));
    },
  );

type Buyer = ReturnType<typeof buyer>;

/** Starts this number of searches. */
const accumulate = async ({ begin }: Buyer, searches: number): Promise<RunningSearch[]> => {
  const running: RunningSearch[] = [];
  for (let nth = 0; nth < searches; nth++) running.push(await begin());
  return running;
};

/** Microseconds from the start of a search to its result while other legs are pending: the tenth percentile. */
const costOf = async ({ begin, callBack, pending }: Buyer): Promise<number> => {
  const runs: number[] = [];
  const waiting = pending();
  for (let run = 0; run < 200; run++) {
    const startedAt = performance.now();
    for (let nth = 0; nth < 50; nth++) {
      const { response } = await begin();
      await callBack(waiting);
      await response;
    }
    runs.push((performance.now() - startedAt) * 20);
  }
  return quantile(runs, 0.1);
};

const measurePending = async () => {
  const one = buyer(2);
  await costOf(one);
  const before = await heapUsed();
  let running = await accumulate(one, 500);
  const at1000 = await costOf(one);
  running.push(...(await accumulate(one, 24_500)));
  const full = await heapUsed();
  const at50000 = await costOf(one);
  await one.callBack(0);
  await Promise.all(running.map(({ response }) => response));
  running = [];
  const after = await heapUsed();
  return {
    bytesPerLeg: (full - before) / 50_000,
    bytesPerLegAfterwards: (after - before) / 50_000,
    microsecondsByPending: { 1000: at1000, 50000: at50000 },
  };
};

const perLeg = async (legs: number): Promise<number> => {
  const one = buyer(legs);
  await costOf(one);
  return (await costOf(one)) / legs;
};

const costs: CorrelatorCosts = {
  ...(await measurePending()),
  microsecondsPerLeg: { 2: await perLeg(2), 32: await perLeg(32) },
};
printAndWait(costs);

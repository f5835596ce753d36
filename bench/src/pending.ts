/** What the correlator costs as searches pile up: says it in one line of JSON, and waits to be ended. */
import { setTimeout as sleep } from 'node:timers/promises';
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
import type { CorrelatorCosts } from './correlator.ts';
import { quantile } from './report.ts';

const collect = (globalThis as unknown as { readonly gc: () => void }).gc;

const leg = (nth: number): Leg => ({
  id: `leg-${nth}`,
  label: `Network ${nth}`,
  domain: 'schemes:bench',
  version: '1.1.0',
  city: 'std:080',
  categoryCode: 'bench',
  bapId: 'bap.bench.example',
  bapUri: 'http://127.0.0.1:1',
  gatewayUrl: 'http://127.0.0.1:1',
  gatewayPath: '/search',
  ttl: 'PT10M',
});

const request = { persona: 'member', query: 'health', user_id: 'bench' };

/** A buyer on so many legs, whose networks acknowledge at once. */
const buyer = (legs: number) => {
  /** Who waits, in order. */
  const posted: string[] = [];
  const transport: SearchTransport = {
    post: (_, { context }: Envelope) => {
      posted.push(context.transaction_id);
      return okAsync({ outcome: 'ack' });
    },
  };
  const exchange = memoryCallbackExchange(systemClock);
  const use = createSearchUseCases(
    { transport, exchange, clock: systemClock, ids: randomIds },
    { legs: Array.from({ length: legs }, (_, nth) => leg(nth)), timeoutMs: 600_000, maxPending: 1_000_000 },
  );
  const begin = async (): Promise<RunningSearch> => took(await use.search(request));
  /** The sellers call back, all but the first so many. */
  const callBack = async (from: number): Promise<void> => {
    for (const id of posted.splice(from)) {
      const text = JSON.stringify({ context: { action: 'on_search', transaction_id: id } });
      took(await use.receiveCallback({ text }));
    }
  };
  return { begin, callBack, pending: () => posted.length };
};

const took = <T>(result: Result<T, Failure>): T =>
  result.match(
    (value) => value,
    (failure) => {
      throw new Error(JSON.stringify(failure));
    },
  );

type Buyer = ReturnType<typeof buyer>;

const heapUsed = async (): Promise<number> => {
  for (let time = 0; time < 3; time++) {
    collect();
    await sleep(20);
  }
  return process.memoryUsage().heapUsed;
};

/** Starts searches until so many legs wait. */
const pileUp = async ({ begin }: Buyer, searches: number): Promise<RunningSearch[]> => {
  const running: RunningSearch[] = [];
  for (let nth = 0; nth < searches; nth++) running.push(await begin());
  return running;
};

/** Microseconds for a search from its start to its answer, beside what waits already: one of the faster of many runs. */
const costOf = async ({ begin, callBack, pending }: Buyer): Promise<number> => {
  const runs: number[] = [];
  const waiting = pending();
  for (let run = 0; run < 200; run++) {
    const startedAt = performance.now();
    for (let nth = 0; nth < 50; nth++) {
      const { answer } = await begin();
      await callBack(waiting);
      await answer;
    }
    runs.push((performance.now() - startedAt) * 20);
  }
  return quantile(runs, 0.1);
};

const measurePending = async () => {
  const one = buyer(2);
  await costOf(one);
  const before = await heapUsed();
  let running = await pileUp(one, 500);
  const at1000 = await costOf(one);
  running.push(...(await pileUp(one, 24_500)));
  const full = await heapUsed();
  const at50000 = await costOf(one);
  await one.callBack(0);
  await Promise.all(running.map(({ answer }) => answer));
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
process.stdout.write(`${JSON.stringify(costs)}\n`);
// Until it is ended.
setInterval(() => {}, 60_000);

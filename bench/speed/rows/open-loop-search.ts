import { type Child, start } from '../../child-process.ts';
import { log } from '../../command.ts';
import { requestLoad } from '../../ipc.ts';
import { quantile } from '../../statistics.ts';
import { addedTimes, highestRate, maxP99Ms } from '../load/added-latency.ts';
import type { OpenLoop, TimedSearch } from '../load/open-loop.ts';
import type { Extent } from './extent.ts';
import type { Row } from '../../records/record.ts';
import { comparedWith } from './row.ts';
import { floorName, searchRequest, type Systems, withSystems } from './search.ts';

const ratePerSecond = 300;

const addedTitle = `added by the correlator at ${ratePerSecond} searches/s, sellers responding after 50 to 100 ms`;
const rateTitle = `highest rate at which less than ${maxP99Ms} ms are added: p99`;

const quantiles = [
  { name: 'p50', q: 0.5, atMostMs: 1 },
  { name: 'p99', q: 0.99, atMostMs: maxP99Ms },
] as const;

/** Searches per second, until the first rate at which the p99 is too high twice. */
const rates = [100, 200, 300, 400, 500, 600, 800, 1000, 1250, 1500, 2000];

/** The delays of the sellers: 50 ms and up to 50 ms more. */
const sellerPath = '50/1/0/0/50';

type MeasureAdded = (child: Child, perSecond: number, seconds: number) => Promise<readonly number[]>;

const createMeasure = (loop: Child, sellers: Child): MeasureAdded => {
  let seed = 0;
  return async (child, perSecond, seconds) => {
    await sellers.request({ of: 'delays' });
    const { url, headers, body } = searchRequest(child);
    const load: OpenLoop = { url, headers, body, perSecond, seconds, seed: ++seed };
    const result = await requestLoad<readonly TimedSearch[]>(loop, load);
    return addedTimes(result, (await sellers.request({ of: 'delays' })) as Readonly<Record<string, number>>);
  };
};

const measureAdded = async (measure: MeasureAdded, { portico, floor }: Systems, { rounds, seconds }: Extent) => {
  const own: (readonly number[])[] = [];
  const other: (readonly number[])[] = [];
  for (let round = 0; round < rounds; round++) {
    own.push(await measure(portico, ratePerSecond, seconds));
    other.push(await measure(floor, ratePerSecond, seconds));
  }
  return quantiles.map(({ name, q, atMostMs }): Row => {
    const of = (each: readonly (readonly number[])[]) => each.map((added) => quantile(added, q));
    const [ownMs, otherMs] = [of(own), of(other)];
    return {
      title: `${addedTitle}: ${name}`,
      unit: 'ms',
      ...comparedWith(floorName, ownMs, otherMs),
      goal: { atMost: atMostMs },
    };
  });
};

const measureHighestRate = async (measure: MeasureAdded, { portico, floor }: Systems, { seconds }: Extent) => {
  const of = (child: Child, name: string) =>
    highestRate(rates, async (rate) => {
      const p99 = quantile(await measure(child, rate, seconds), 0.99);
      log(`${rateTitle} | ${name} | ${rate} searches/s | p99 ${p99.toFixed(2)} ms`);
      return p99;
    });
  const [own, other] = [await of(portico, 'Portico'), await of(floor, floorName)];
  const row: Row = {
    title: rateTitle,
    unit: 'searches/s',
    own,
    other: { name: floorName, value: other, ratio: own / other },
  };
  return row;
};

/** The rows of searches that arrive independently of each other, as those of many clients do. */
export const measureOpenLoopSearch = async (extent: Extent): Promise<Row[]> => {
  const { filter, folder, seconds, load } = extent;
  const [wantsAdded, wantsRate] = [addedTitle.includes(filter), rateTitle.includes(filter)];
  if (!wantsAdded && !wantsRate) return [];
  const loop = await start(new URL('../load/open-loop.ts', import.meta.url));
  const rows = await withSystems(sellerPath, folder, async (systems) => {
    const measure = createMeasure(loop, systems.sellers);
    for (const child of [systems.portico, systems.floor]) {
      // Under full load first: at 300 searches/s, V8 would still be compiling the code when the row ends.
      await load({ ...searchRequest(child), connections: 256, seconds: 4 });
      await measure(child, ratePerSecond, Math.max(3, seconds));
    }
    return [
      ...(wantsAdded ? await measureAdded(measure, systems, extent) : []),
      ...(wantsRate ? [await measureHighestRate(measure, systems, extent)] : []),
    ];
  });
  await loop.stop();
  return rows;
};

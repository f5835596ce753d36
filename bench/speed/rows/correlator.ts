import { start } from '../../child-process.ts';
import { log } from '../../command.ts';
import { median } from '../../statistics.ts';
import type { CorrelatorCosts } from './pending-legs.ts';
import type { Row } from '../../records/record.ts';

const rounds = 3;

const measurements: readonly (Pick<Row, 'title' | 'unit'> & {
  readonly atMost: number;
  readonly of: (costs: CorrelatorCosts) => number;
})[] = [
  {
    title: 'memory per pending leg, 50,000 pending',
    unit: 'bytes',
    atMost: 2048,
    of: ({ bytesPerLeg }) => bytesPerLeg,
  },
  {
    title: 'memory per leg once all have settled',
    unit: 'bytes',
    atMost: 100,
    of: ({ bytesPerLegAfterwards }) => bytesPerLegAfterwards,
  },
  {
    title: 'cost of a search with 50,000 legs pending, relative to 1,000',
    unit: '×',
    atMost: 1.2,
    of: ({ microsecondsByPending: at }) => at['50000'] / at['1000'],
  },
  {
    title: 'cost per leg of a search on 32 legs, relative to 2',
    unit: '×',
    atMost: 1.2,
    of: ({ microsecondsPerLeg: at }) => at['32'] / at['2'],
  },
];

/** Rows of the correlator without HTTP, in a separate process: an exchange in memory, and networks that acknowledge at once. */
export const measureCorrelator = async (filter: string): Promise<Row[]> => {
  if (!measurements.some(({ title }) => title.includes(filter))) return [];
  const runs: CorrelatorCosts[] = [];
  for (let round = 0; round < rounds; round++) {
    const child = await start(new URL('pending-legs.ts', import.meta.url), { nodeArgs: ['--expose-gc'] });
    runs.push(child.ready as unknown as CorrelatorCosts);
    await child.stop();
    log(`correlator without HTTP | ${JSON.stringify(child.ready)}`);
  }
  return measurements.map(({ title, unit, atMost, of }) => ({
    title,
    unit,
    own: median(runs.map(of)),
    goal: { atMost },
  }));
};

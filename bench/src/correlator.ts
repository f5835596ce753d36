import { start } from './children.ts';
import { median, type Row, type Tell } from './report.ts';

const memoryTitle = 'memory per pending leg, 50,000 pending';
const leftTitle = 'memory per leg once all have settled';
const pendingTitle = 'cost of a search with 50,000 legs pending, by that with 1,000';
const legsTitle = 'cost per leg of a search on 32 legs, by that on 2';

/** What `pending.ts` says. */
export interface CorrelatorCosts {
  readonly bytesPerLeg: number;
  readonly bytesPerLegAfterwards: number;
  readonly microsecondsByPending: Readonly<Record<'1000' | '50000', number>>;
  readonly microsecondsPerLeg: Readonly<Record<'2' | '32', number>>;
}

/** The correlator alone, in a process of its own with an exchange in memory and networks that acknowledge at once. */
export const measureCorrelator = async (wanted: string, tell: Tell): Promise<Row[]> => {
  if (![memoryTitle, leftTitle, pendingTitle, legsTitle].some((title) => title.includes(wanted))) return [];
  const runs: CorrelatorCosts[] = [];
  for (let round = 0; round < 3; round++) {
    const child = await start('./pending.ts', [], ['--expose-gc']);
    runs.push(child.said as unknown as CorrelatorCosts);
    await child.stop();
    tell(`the correlator alone | ${JSON.stringify(child.said)}`);
  }
  const of = (pick: (costs: CorrelatorCosts) => number) => median(runs.map(pick));
  return [
    { title: memoryTitle, unit: 'bytes', own: of((run) => run.bytesPerLeg), goal: { atMost: 2048 } },
    { title: leftTitle, unit: 'bytes', own: of((run) => run.bytesPerLegAfterwards), goal: { atMost: 100 } },
    {
      title: pendingTitle,
      unit: '×',
      own: of(({ microsecondsByPending: at }) => at['50000'] / at['1000']),
      goal: { atMost: 1.2 },
    },
    { title: legsTitle, unit: '×', own: of(({ microsecondsPerLeg: at }) => at['32'] / at['2']), goal: { atMost: 1.2 } },
  ];
};

import { type Cell, floorMs, isAsCalm, type Trial } from './cell.ts';
import { linesTable, machine, none, record, tableOf } from './outcome.ts';
import { tell } from './run.ts';
import type { Done } from './traffic.ts';

interface Measured {
  readonly trials: readonly Trial[];
  readonly calm: readonly Cell[];
  readonly answers: number;
  readonly unexplained: readonly Done[];
  readonly seconds: number;
  readonly perSecond: number;
  readonly mostRecoveryMs: number;
}

/** Writes the tables and the record; gives whether everything held. */
export const reportFaults = ({ trials, calm, answers, unexplained, ...run }: Measured): boolean => {
  const { seconds, perSecond, mostRecoveryMs } = run;
  const results = trials.map(({ service, fault, attempts }) => {
    const best = attempts.find(isAsCalm) ?? attempts.at(-1)!;
    const { p99, calmP99, cell } = best;
    const wellAfterMs = Math.max(...attempts.map(({ recoveredAfterMs }) => recoveredAfterMs));
    return { fault, service, p99, calmP99, holds: isAsCalm(best), attempts, told: cell.told, wellAfterMs };
  });
  const slowest = Math.max(...results.map(({ wellAfterMs }) => wellAfterMs));
  const lines = [
    none(`unexplained among ${answers} answers`, unexplained.length),
    none(
      `of ${results.length} faults of services, those where the others' p99 is over twice the calm one and ${floorMs} ms`,
      results.filter(({ holds }) => !holds).length,
    ),
    {
      title: 'the longest until a service that was well again was asked again, ms',
      seen: slowest.toFixed(0),
      wanted: `at most ${mostRecoveryMs}`,
      holds: slowest <= mostRecoveryMs,
    },
  ];
  const head = ['fault', 'of', 'p99 of the others, ms', 'calm', 'ratio', 'tries', 'its members are told', 'well, ms'];
  const cells = results.map(({ fault, service, p99, calmP99, holds, attempts, told, wellAfterMs }) => [
    fault,
    service,
    `${p99.toFixed(1)}${holds ? '' : ' **MISSED**'}`,
    calmP99.toFixed(1),
    (p99 / calmP99).toFixed(2),
    `${attempts.length}`,
    told,
    wellAfterMs.toFixed(0),
  ]);
  process.stdout.write(`\n${tableOf(head, cells)}\n${linesTable(lines)}\n`);
  process.stdout.write(`${perSecond} requests/s, ${seconds} s each, on ${machine}.\n`);
  for (const done of unexplained.slice(0, 10)) tell(`UNEXPLAINED: ${JSON.stringify(done)}`);
  const calmP99s = calm.map((cell) => cell.p99Beside(undefined));
  record('faults', { seconds, perSecond, lines, results, calmP99s, unexplained: unexplained.slice(0, 20) });
  return lines.every(({ holds }) => holds);
};

import type { Holding } from './inside.ts';
import { leakLines } from './leaks.ts';
import type { Remarks } from './log.ts';
import { linesTable, machine, none, record, tableOf } from './outcome.ts';
import type { Restart } from './portico-at-work.ts';
import { tell } from './run.ts';
import type { WrongCallback } from './seller.ts';
import { longestOf, type Stall } from './stalls.ts';
import type { Tally } from './tally.ts';

interface Soaked {
  readonly minutes: number;
  readonly perSecond: number;
  readonly tally: Tally;
  /** When the test itself stood still: its sender of requests, or its outside world. */
  readonly stalls: readonly Stall[];
  /** Parts of the world × faults: those that were in force, of how many. */
  readonly faults: { readonly had: number; readonly cases: number };
  readonly callbacks: { readonly sent: number; readonly wrong: readonly WrongCallback[] };
  readonly log: Remarks;
  readonly restart: Restart;
  readonly exitCode: number | null;
  readonly idle: Holding;
  readonly rests: readonly Holding[];
  readonly pendingLegs: number;
}

/** So many answers may be lost to a machine that has other things to do; in more of them a fault could hide. */
const mostStalledShare = 0.001;

/** Writes the tables and the record; gives whether everything held. */
export const reportSoak = (soaked: Soaked): boolean => {
  const { minutes, perSecond, tally, stalls, faults, callbacks, log, restart, exitCode, idle, rests } = soaked;
  const { stalled, unexplained } = tally.judge(stalls);
  const lines = [
    none(`unexplained among ${tally.answers} answers`, unexplained.length),
    {
      title: `not judged, because the test itself stood still (${stalls.length} times, ${longestOf(stalls).toFixed(0)} ms at most)`,
      seen: `${stalled.length}`,
      wanted: `at most ${mostStalledShare * 100} %`,
      holds: stalled.length <= tally.answers * mostStalledShare,
    },
    {
      title: 'parts of the outside world × faults that were in force',
      seen: `${faults.had}`,
      wanted: `${faults.cases}`,
      holds: faults.had === faults.cases,
    },
    none(`wrongly answered among ${callbacks.sent} callbacks of sellers`, callbacks.wrong.length),
    none('exit code after SIGTERM under load', restart.exitCode ?? -1),
    none('exit code after SIGTERM at the end', exitCode ?? -1),
    ...leakLines(idle, rests),
    none('legs still pending at the end', soaked.pendingLegs),
    none(`errors among ${log.lines} lines of its log`, log.bad.length),
    none('lines of its log with anything private', log.private.length),
  ];
  const kinds = tally.kinds.map(({ title, seen }) => [
    title,
    `${seen.reduce((sum, [, count]) => sum + count, 0)}`,
    seen.map(([words, count]) => `${words}: ${count}`).join('; '),
  ]);
  process.stdout.write(`\n${tableOf(['errand', 'sent', 'what came of it'], kinds)}\n${linesTable(lines)}\n`);
  process.stdout.write(
    `${minutes} minutes of ${perSecond} requests/s on ${machine}. Portico's event loop stood still for ${rests.at(-1)?.longestStallMs.toFixed(0)} ms at most.\n`,
  );
  for (const callback of callbacks.wrong.slice(0, 10)) tell(`WRONGLY ANSWERED: ${JSON.stringify(callback)}`);
  for (const line of [...log.bad, ...log.private].slice(0, 10)) tell(`LOGGED: ${line}`);
  record('soak', { ...soaked, tally: undefined, lines, kinds: tally.kinds, unexplained, stalled });
  return lines.every(({ holds }) => holds);
};

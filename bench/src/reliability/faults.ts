/**
 * Every service with every fault, one at a time, while all member routes are asked: the other services' routes are to stay
 * as fast as they were, and the ill one's to fail as the contract says. `npm run bench:faults [-- --seconds 3]
 * [part of a fault's or a service's name]`, the seconds being those of one fault of one service. Ends with 1 when anything
 * that must hold did not.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Attempt, calmBeside, Cell, isAsCalm, type Trial } from './cell.ts';
import { type Fault, faultNames } from './fault.ts';
import { reportFaults } from './faults-report.ts';
import { memberErrands } from './member-errands.ts';
import { issueMembers } from './members.ts';
import { takingTurns } from './mixture.ts';
import { type PartName, serviceNames, startOutside } from './outside.ts';
import { startPortico } from './portico-at-work.ts';
import { positive, runToEnd, tell } from './run.ts';
import { settingsFor } from './settings.ts';
import { freeSteadyPort } from './steady-port.ts';
import { type Done, Traffic } from './traffic.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '3' }, rate: { type: 'string', default: '200' } },
});
const seconds = positive(values.seconds);
const perSecond = positive(values.rate);
const [wanted = ''] = positionals;
const warmUpMs = 5000;
/** What was late because we ourselves were busy is not to be measured. */
const settleMs = 100;
const mostRecoveryMs = 10_000;
/** A machine's hiccup does not come back, and where it stays the calm has it too; a fault of ours shows every time. */
const mostTries = 3;

const hasBreaker = () => true;

const measure = async (folder: string): Promise<boolean> => {
  const issued = await issueMembers(200);
  const outside = await startOutside(issued.jwks);
  const port = await freeSteadyPort();
  const url = `http://127.0.0.1:${port}`;
  const portico = await startPortico(settingsFor(outside, port, hasBreaker), url, folder);
  const { reads, writes, download } = memberErrands(issued.members, hasBreaker);
  const cells: Cell[] = [];
  const unexplained: Done[] = [];
  const lastServed = new Map<string | undefined, number>();
  let answers = 0;
  const onDone = (done: Done) => {
    answers++;
    // A stretch is over before its last answers have come, but not for long.
    for (const cell of cells.slice(-4)) cell.take(done);
    if (/^20[01]$/.test(done.seen)) lastServed.set(done.service, done.during.from);
    if (!done.isExplained) unexplained.push(done);
  };
  const next = takingTurns([
    [reads, 10],
    [writes, 4],
    [download(64), 1],
  ]);
  const traffic = new Traffic({ url, perSecond, next, history: outside.history, onDone });

  const stretch = async (service?: PartName, fault?: Fault): Promise<Cell> => {
    await pause(settleMs);
    const cell = new Cell(service, fault);
    cells.push(cell);
    await pause(seconds * 1000);
    cell.end();
    return cell;
  };
  /** Until somebody who asked when it was well again was served. */
  const recovery = async (service: PartName): Promise<number> => {
    const from = performance.now();
    while (performance.now() - from < mostRecoveryMs) {
      const servedAt = lastServed.get(service) ?? 0;
      if (servedAt >= from) return servedAt - from;
      await pause(20);
    }
    return Infinity;
  };
  const attempt = async (service: PartName, fault: Fault, calmP99: number): Promise<Attempt> => {
    const cure = await outside.makeIll(service, fault);
    const cell = await stretch(service, fault);
    await cure();
    return { cell, recoveredAfterMs: await recovery(service), p99: cell.p99Beside(service), calmP99 };
  };

  const calm: Cell[] = [];
  const trials: Trial[] = [];
  traffic.start();
  await pause(warmUpMs);
  for (let nth = 0; nth < 3; nth++) calm.push(await stretch());
  for (const fault of faultNames) {
    for (const service of serviceNames) {
      if (!`${fault} ${service}`.includes(wanted)) continue;
      const calmP99 = calmBeside(service, calm);
      const attempts = [await attempt(service, fault, calmP99)];
      while (!isAsCalm(attempts.at(-1)!) && attempts.length < mostTries) {
        const now = await stretch();
        calm.push(now);
        attempts.push(await attempt(service, fault, Math.max(calmP99, now.p99Beside(service))));
      }
      trials.push({ service, fault, attempts });
      const told = attempts.map(({ p99, calmP99: by }) => `${p99.toFixed(1)} ms, calm ${by.toFixed(1)}`);
      tell(`${fault}, ${service}: ${told.join('; ')}`);
    }
    if (trials.at(-1)?.fault === fault) calm.push(await stretch());
  }
  await traffic.stop();
  await portico.stop();
  await outside.stop();
  return reportFaults({ trials, calm, answers, unexplained, seconds, perSecond, mostRecoveryMs });
};

await runToEnd(measure);

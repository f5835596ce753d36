import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Command, log, positiveNumber } from '../command.ts';
import { machineTime } from '../machine-time.ts';
import { report, requirement } from '../requirements.ts';
import { byFrequency } from '../statistics.ts';
import { faultNames } from './faults/faulty-server.ts';
import { lateMs } from './faults/seller-stub.ts';
import { startStubs, type Stubs, targets } from './faults/stubs.ts';
import { leakRequirements } from './oracle/leak-check.ts';
import { checkLog } from './oracle/log-check.ts';
import type { Snapshot } from './oracle/process-probe.ts';
import { longestMs, type Stall, watchStalls } from './oracle/stalls.ts';
import { startSystem, type SystemUnderTest } from './system-under-test.ts';
import { memberOperations } from './workload/member-operations.ts';
import { type Identities, issueIdentities } from './workload/members.ts';
import { type Completed, openLoopLoad } from './workload/open-loop-load.ts';
import { type Operation, weightedCycle } from './workload/operation.ts';
import { rejectedOperations } from './workload/rejected-operations.ts';
import { searchOperations } from './workload/search-operations.ts';

/** A breaker hides all but the first failures, so three services have none. */
const hasBreaker = (service: string) => ['eligibility', 'policy', 'consent'].includes(service);

/** If a busy machine disturbs more operations than this, a fault could go unnoticed. */
const maxStalledShare = 0.001;

const allOperations = (identities: Identities, url: string): (() => Operation) => {
  const { reads, writes, download } = memberOperations(identities.members, hasBreaker);
  const { badToken, badRequest, tooLarge, incomplete } = rejectedOperations(identities, url);
  const { search, stream, cancelledSearch, cancelledStream, unknownCallback, probe } = searchOperations;
  return weightedCycle([
    [reads, 100],
    [writes, 32],
    [download(64), 8],
    [download(2048), 3],
    [download(16_384, true), 4],
    [badToken, 12],
    [badRequest, 10],
    [tooLarge, 1],
    [incomplete, 2],
    [search, 14],
    [stream, 4],
    [cancelledSearch, 2],
    [cancelledStream, 3],
    [unknownCallback, 3],
    [probe, 2],
  ]);
};

/** Injects every fault into every stub, two at a time, and starts over when all have been active. */
const faultSchedule = ({ inject }: Stubs) => {
  const pairs = faultNames.flatMap((fault) => targets.map((target) => ({ target, fault })));
  let turn = 0;
  const injectNth = (nth: number) => {
    const { target, fault } = pairs[nth % pairs.length]!;
    return inject(target, fault);
  };
  return {
    pairs,
    run: async (forMs: number, windowMs: number): Promise<void> => {
      for (const until = performance.now() + forMs; performance.now() < until; turn++) {
        // The second list starts in the middle, so that two faults never concern the same stub.
        const clear = [await injectNth(turn), await injectNth(turn + Math.floor(pairs.length / 2))];
        await pause(Math.max(0, Math.min(windowMs, until - performance.now())));
        for (const clearOne of clear) await clearOne();
      }
    },
  };
};

/** Three phases of load with a rest after each. */
const runPhases = async (
  stubs: Stubs,
  system: SystemUnderTest,
  load: ReturnType<typeof openLoopLoad>,
  loadMs: number,
) => {
  const faults = faultSchedule(stubs);
  // Short enough that every fault is injected, also in a short run.
  const windowMs = Math.min(2000, Math.max(300, (loadMs / faults.pairs.length) * 1.5));
  const injectFaults = (share: number) => faults.run(loadMs * share, windowMs);
  const idle = await system.snapshot();
  const rests: Snapshot[] = [];
  const rest = async () => {
    await load.stop();
    await pause(lateMs); // for the last callbacks
    rests.push(await system.snapshot(idle.sockets));
    log(`at rest: ${JSON.stringify(rests.at(-1))}`);
  };
  load.start();
  await injectFaults(0.15);
  const restart = await system.restart();
  log(`restarted: ${JSON.stringify(restart)}`);
  await injectFaults(0.05);
  await stubs.restartServices();
  await injectFaults(0.1);
  await rest();
  load.start();
  await injectFaults(0.2);
  await stubs.restartServices();
  await injectFaults(0.15);
  await rest();
  load.start();
  await injectFaults(0.35);
  await rest();
  const missingFaults = faults.pairs.filter(({ target, fault }) => !stubs.history.has(target, fault)).length;
  return { restart, idle, rests, missingFaults };
};

const runSoak = async (minutes: number, perSecond: number, folder: string) => {
  const ownStalls = watchStalls();
  const identities = await issueIdentities();
  const stubs = await startStubs(identities.jwks);
  const system = await startSystem(stubs, hasBreaker, folder);
  await pause(5000); // until the connection to the identity provider is closed
  const load = openLoopLoad(stubs.history, system, perSecond, allOperations(identities, system.url));
  const progress = setInterval(() => log(`${load.completed.length} operations`), 10_000);
  const phases = await runPhases(stubs, system, load, minutes * 60_000);
  clearInterval(progress);
  const { sent, failed, stalls } = await stubs.report();
  return {
    ...phases,
    completed: load.completed,
    stalls: [...ownStalls, ...stalls],
    callbacks: { sent, failed: failed.filter((callback) => !system.wasRestartingAt(callback)) },
    pendingLegs: await system.pendingLegs(),
    exitCode: await system.stop(),
    logFindings: await checkLog(system.logFile),
  };
};

/** Splits unexplained outcomes by whether a process of the test itself stalled at the time. */
const judge = (completed: readonly Completed[], stalls: readonly Stall[]) => {
  const offset = machineTime() - performance.now();
  const isStalled = ({ during }: Completed) =>
    stalls.some(({ from, to }) => from <= during.to + offset && to >= during.from + offset);
  const suspect = completed.filter(({ isExplained }) => !isExplained);
  return { stalled: suspect.filter(isStalled), unexplained: suspect.filter((one) => !isStalled(one)) };
};

/**
 * Runs all operations for some minutes while faults are injected and cleared. Checks every outcome against the contract,
 * and compares memory and handles at rest. Options: `[--minutes 10] [--rate 200]`.
 */
export const soak: Command = async (args, folder) => {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: 'string', default: '10' }, rate: { type: 'string', default: '200' } },
  });
  const [minutes, perSecond] = [positiveNumber(values.minutes), positiveNumber(values.rate)];
  const { completed, stalls, ...run } = await runSoak(minutes, perSecond, folder);
  const { callbacks, logFindings, restart, idle, rests } = run;
  const { stalled, unexplained } = judge(completed, stalls);
  const maxStalled = Math.floor(completed.length * maxStalledShare);
  const longestStall = `${longestMs(stalls).toFixed(0)} ms`;
  const requirements = [
    requirement(`unexplained outcomes of ${completed.length} operations`, unexplained.length),
    requirement(
      `not judged, because the test itself stalled for up to ${longestStall}`,
      stalled.length,
      stalled.length <= maxStalled,
      `at most ${maxStalled}`,
    ),
    requirement('pairs of stub and fault that were never active', run.missingFaults),
    requirement(`unexpected responses to ${callbacks.sent} callbacks`, callbacks.failed.length),
    requirement('exit code after SIGTERM under load', restart.exitCode),
    requirement('exit code after SIGTERM at the end', run.exitCode),
    ...leakRequirements(idle, rests),
    requirement('legs pending at the end', run.pendingLegs),
    requirement(`errors in ${logFindings.lines} log lines`, logFindings.errors.length),
    requirement('log lines with private data', logFindings.private.length),
  ];
  const rows = Object.entries(Object.groupBy(completed, ({ title }) => title))
    .map(([title, some = []]) => [title, some.length, byFrequency(some.map(({ outcome }) => outcome))] as const)
    .toSorted(([one], [other]) => one.localeCompare(other));
  const summary = `${minutes} minutes of ${perSecond} operations/s; longest stall of the system under test: ${rests.at(-1)?.longestStallMs.toFixed(0)} ms.`;
  const table = [['operation', 'sent', 'outcomes'], ...rows];
  return report('soak', {
    requirements,
    table,
    summary,
    data: { minutes, perSecond, ...run, rows, stalls, unexplained, stalled },
  });
};

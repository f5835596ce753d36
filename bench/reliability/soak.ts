import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Command, log, positiveNumber } from '../command.ts';
import { report, requirement } from '../requirements.ts';
import { byFrequency } from '../statistics.ts';
import { overlapping } from './faults/fault-history.ts';
import { faultNames } from './faults/faulty-server.ts';
import { lateMs } from './faults/seller-stub.ts';
import { type Stubs, targets } from './faults/stubs.ts';
import { isRestarting } from './oracle/expectations.ts';
import { leakRequirements } from './oracle/leak-check.ts';
import { checkLog } from './oracle/log-check.ts';
import { longestMs, watchStalls } from './stalls.ts';
import { startSystem } from './system-under-test.ts';
import { memberOperations } from './workload/member-operations.ts';
import type { Identities } from './workload/members.ts';
import { openLoopLoad } from './workload/open-loop-load.ts';
import type { WeightedKind } from './workload/operation.ts';
import { rejectedOperations } from './workload/rejected-operations.ts';
import { searchOperations } from './workload/search-operations.ts';

/** A breaker hides all but the first failures, so three services have none. */
const breakers = ['eligibility', 'policy', 'consent'];

/** If a busy machine disturbs more operations than this, a fault could go unnoticed. */
const maxStalledShare = 0.001;

const allOperations = (identities: Identities): readonly WeightedKind[] => {
  const { reads, writes, download } = memberOperations(identities.members, breakers);
  return [
    [reads, 100],
    [writes, 32],
    [download(64), 8],
    [download(2048), 3],
    [download(16_384, true), 4],
    ...rejectedOperations(identities),
    ...searchOperations,
  ];
};

const pairs = faultNames.flatMap((fault) => targets.map((target) => ({ target, fault })));

/** Injects every fault into every stub, two at a time, and starts over when all have been active. */
const faultInjection = ({ inject }: Stubs, loadMs: number) => {
  // Short enough that every fault is injected, also in a short run.
  const windowMs = Math.min(2000, Math.max(300, (loadMs / pairs.length) * 1.5));
  let turn = 0;
  const injectNth = (nth: number) => inject(pairs[nth % pairs.length]!);
  return async (shareOfLoad: number): Promise<void> => {
    for (const until = performance.now() + loadMs * shareOfLoad; performance.now() < until; turn++) {
      // The second list starts in the middle, so that two faults never concern the same stub.
      const clear = [await injectNth(turn), await injectNth(turn + Math.floor(pairs.length / 2))];
      await pause(Math.max(0, Math.min(windowMs, until - performance.now())));
      for (const clearOne of clear) await clearOne();
    }
  };
};

/** Three phases of load with a rest after each. */
const runSoak = async (minutes: number, perSecond: number, folder: string) => {
  const ownStalls = watchStalls();
  const { identities, stubs, ...system } = await startSystem(breakers, folder);
  const { history } = stubs;
  await pause(5000); // until the connection to the identity provider is closed
  const { completed, ...load } = openLoopLoad(system.url, history, perSecond, allOperations(identities));
  const progress = setInterval(() => log(`${completed.length} operations`), 10_000);
  const injectFaults = faultInjection(stubs, minutes * 60_000);
  const idle = await system.snapshot();
  /** Alternates shares of the load under faults with other steps, and resolves with a snapshot at rest. */
  const phase = async (...steps: readonly (number | (() => Promise<void>))[]) => {
    load.start();
    for (const step of steps) await (typeof step === 'number' ? injectFaults(step) : step());
    await load.stop();
    await pause(lateMs); // for the last callbacks
    const rest = await system.snapshot(idle.sockets);
    log(`at rest: ${JSON.stringify(rest)}`);
    return rest;
  };
  const rests = [
    await phase(0.15, system.restart, 0.05, stubs.restartServices, 0.1),
    await phase(0.2, stubs.restartServices, 0.15),
    await phase(0.35),
  ];
  clearInterval(progress);
  const { callbacks, stalls } = await stubs.report();
  const injected = new Set(history.map(({ target, fault }) => `${target}: ${fault}`));
  return {
    completed,
    restarts: system.restarts,
    idle,
    rests,
    missingFaults: pairs.filter(({ target, fault }) => !injected.has(`${target}: ${fault}`)).length,
    stalls: [...ownStalls, ...stalls],
    callbacks: { ...callbacks, failed: callbacks.failed.filter(({ at }) => !isRestarting(at, history)) },
    pendingLegs: await system.pendingLegs(),
    exitCode: await system.stop(),
    logFindings: await checkLog(system.logFile),
  };
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
  const { completed, ...run } = await runSoak(minutes, perSecond, folder);
  const { stalls, callbacks, logFindings, rests, restarts } = run;
  const suspect = completed.filter(({ isExplained }) => !isExplained);
  // During a stall of the test itself, an outcome is not judged.
  const { true: stalled = [], false: unexplained = [] } = Object.groupBy(suspect, (one) =>
    String(overlapping(stalls, one).length > 0),
  );
  const maxStalled = Math.floor(completed.length * maxStalledShare);
  const stalledTitle = `not judged, because the test itself stalled for up to ${longestMs(stalls).toFixed(0)} ms`;
  const requirements = [
    requirement(`unexplained outcomes of ${completed.length} operations`, unexplained.length),
    requirement(stalledTitle, stalled.length, stalled.length <= maxStalled, `at most ${maxStalled}`),
    requirement('pairs of stub and fault that were never active', run.missingFaults),
    requirement(`unexpected responses to ${callbacks.sent} callbacks`, callbacks.failed.length),
    requirement('exit code after SIGTERM under load', restarts[0]!.exitCode),
    requirement('exit code after SIGTERM at the end', run.exitCode),
    ...leakRequirements(run.idle, rests),
    requirement('legs pending at the end', run.pendingLegs),
    requirement(`errors in ${logFindings.lines} log lines`, logFindings.errors.length),
    requirement('log lines with private data', logFindings.private.length),
  ];
  const rows = Object.entries(Object.groupBy(completed, ({ title }) => title))
    .map(([title, some = []]) => [title, some.length, byFrequency(some.map(({ outcome }) => outcome))] as const)
    .toSorted(([one], [other]) => one.localeCompare(other));
  return report('soak', {
    requirements,
    table: [['operation', 'sent', 'outcomes'], ...rows],
    summary: `${minutes} minutes of ${perSecond} operations/s; longest stall of the system under test: ${rests.at(-1)?.longestStallMs.toFixed(0)} ms.`,
    data: { minutes, perSecond, ...run, rows, unexplained, stalled },
  });
};

import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Command, log, positiveNumber } from '../command.ts';
import { serviceNames } from '../portico-settings.ts';
import { report, requirement } from '../requirements.ts';
import { byFrequency, median, quantile } from '../statistics.ts';
import type { Interval } from './faults/fault-history.ts';
import { type Fault, faultNames } from './faults/faulty-server.ts';
import { startStubs, type Stubs, type Target } from './faults/stubs.ts';
import { startSystem } from './system-under-test.ts';
import { memberOperations } from './workload/member-operations.ts';
import { issueIdentities } from './workload/members.ts';
import { type Completed, openLoopLoad } from './workload/open-loop-load.ts';
import { weightedCycle } from './workload/operation.ts';

const warmUpMs = 5000;
/** Pause before each measurement, so that operations delayed by the test itself are not measured. */
const settleMs = 100;
const maxRecoveryMs = 10_000;
/** A machine that is slow for a moment recovers, or slows down the baseline too; a defect shows in every attempt. */
const maxAttempts = 3;
/** Smaller differences cannot be attributed to a cause on a shared machine. */
const floorMs = 5;

const hasBreaker = () => true;

interface Run {
  readonly stubs: Stubs;
  readonly completed: readonly Completed[];
  readonly seconds: number;
  /** Intervals without faults. */
  readonly baselines: Interval[];
}

const measure = async (seconds: number): Promise<Interval> => {
  await pause(settleMs);
  const from = performance.now();
  await pause(seconds * 1000);
  return { from, to: performance.now() };
};

const sentIn = ({ completed }: Run, { from, to }: Interval): readonly Completed[] =>
  completed.filter(({ during }) => during.from >= from && during.from <= to);

/** Outcomes of the operations sent in the interval that need this service. */
const outcomesOf = (run: Run, interval: Interval, service: Target) => {
  const ofService = sentIn(run, interval).filter((one) => one.service === service);
  return byFrequency(ofService.map(({ outcome }) => outcome));
};

/** 99th percentile in milliseconds of the operations sent in the interval that do not need this service. */
const p99Without = (run: Run, interval: Interval, service?: Target): number => {
  const others = sentIn(run, interval).filter((one) => one.service !== service);
  return quantile(
    others.map(({ tookMs }) => tookMs),
    0.99,
  );
};

/** Milliseconds until an operation was sent that the service completed. */
const recovery = async ({ completed }: Run, service: Target): Promise<number> => {
  const [from, known] = [performance.now(), completed.length];
  const isRecovered = ({ service: used, during, outcome }: Completed) =>
    used === service && during.from >= from && /^20[01]$/.test(outcome);
  while (performance.now() - from < maxRecoveryMs) {
    const recovered = completed.slice(known).find(isRecovered);
    if (recovered) return recovered.during.from - from;
    await pause(20);
  }
  return Infinity;
};

/** Injects the fault once and measures the other services in the meantime. */
const attempt = async (run: Run, service: Target, fault: Fault, baselineP99: number) => {
  const clear = await run.stubs.inject(service, fault);
  const interval = await measure(run.seconds);
  await clear();
  const recoveredAfterMs = await recovery(run, service);
  const p99 = p99Without(run, interval, service);
  const isIsolated = p99 <= Math.max(2 * baselineP99, floorMs);
  return { isIsolated, p99, baselineP99, recoveredAfterMs, interval };
};

/** Repeats an attempt until the other services are as fast as the baseline, which is measured again each time. */
const runTrial = async (run: Run, service: Target, fault: Fault) => {
  // The median, so that one slow interval does not hide a defect.
  const baselineP99 = median(run.baselines.map((interval) => p99Without(run, interval, service)));
  const attempts = [await attempt(run, service, fault, baselineP99)];
  while (!attempts.at(-1)!.isIsolated && attempts.length < maxAttempts) {
    const baseline = await measure(run.seconds);
    run.baselines.push(baseline);
    attempts.push(await attempt(run, service, fault, Math.max(baselineP99, p99Without(run, baseline, service))));
  }
  const figures = attempts.map((one) => `${one.p99.toFixed(1)} ms, baseline ${one.baselineP99.toFixed(1)}`);
  log(`${fault}, ${service}: ${figures.join('; ')}`);
  return { service, fault, ...attempts.at(-1)!, attempts };
};

const startRun = async (seconds: number, perSecond: number, folder: string) => {
  const { members, jwks } = await issueIdentities();
  const stubs = await startStubs(jwks);
  const system = await startSystem(stubs, hasBreaker, folder);
  const { reads, writes, download } = memberOperations(members, hasBreaker);
  const next = weightedCycle([
    [reads, 10],
    [writes, 4],
    [download(64), 1],
  ]);
  const load = openLoopLoad(stubs.history, system, perSecond, next);
  load.start();
  const baselines: Interval[] = [];
  return { load, stop: system.stop, stubs, completed: load.completed, seconds, baselines };
};

/**
 * Injects every fault into every service, one at a time, under load on all member routes: the other services must stay as
 * fast as without it, and the faulty one must fail as the contract specifies. Options: `[part of the name of a fault or service]
 * [--seconds 3] [--rate 200]`, the seconds being those of one fault in one service.
 */
export const faultIsolation: Command = async (args, folder) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { seconds: { type: 'string', default: '3' }, rate: { type: 'string', default: '200' } },
  });
  const [seconds, perSecond] = [positiveNumber(values.seconds), positiveNumber(values.rate)];
  const [filter = ''] = positionals;
  const { load, stop, ...run } = await startRun(seconds, perSecond, folder);
  const { baselines, completed } = run;
  await pause(warmUpMs);
  for (let nth = 0; nth < 3; nth++) baselines.push(await measure(seconds));
  const trials: Awaited<ReturnType<typeof runTrial>>[] = [];
  for (const fault of faultNames) {
    const services = serviceNames.filter((service) => `${fault} ${service}`.includes(filter));
    for (const service of services) trials.push(await runTrial(run, service, fault));
    if (services.length > 0) baselines.push(await measure(seconds));
  }
  await load.stop();
  await stop();
  const unexplained = completed.filter(({ isExplained }) => !isExplained);
  const slowestMs = Math.max(...trials.flatMap(({ attempts }) => attempts.map((one) => one.recoveredAfterMs)));
  const requirements = [
    requirement(`unexplained outcomes of ${completed.length} operations`, unexplained.length),
    requirement(
      `of ${trials.length} faults, those that raise the p99 of the others above twice the baseline and ${floorMs} ms`,
      trials.filter(({ isIsolated }) => !isIsolated).length,
    ),
    requirement('slowest recovery, ms', slowestMs.toFixed(0), slowestMs <= maxRecoveryMs, `at most ${maxRecoveryMs}`),
  ];
  const rows = trials.map(({ fault, service, p99, baselineP99, recoveredAfterMs, attempts, interval }) => {
    const outcomes = outcomesOf(run, interval, service);
    const figures = [p99, baselineP99, p99 / baselineP99].map((figure) => figure.toFixed(2));
    return [fault, service, ...figures, attempts.length, recoveredAfterMs.toFixed(0), outcomes];
  });
  const head = [
    'fault',
    'service',
    'p99 of the others, ms',
    'baseline',
    'ratio',
    'attempts',
    'recovery, ms',
    'outcomes',
  ];
  const summary = `${perSecond} operations/s, ${seconds} s for each fault.`;
  const baselineP99s = baselines.map((interval) => p99Without(run, interval));
  const data = { seconds, perSecond, trials, rows, baselineP99s, unexplained: unexplained.slice(0, 20) };
  return report('faults', { requirements, table: [head, ...rows], summary, data });
};

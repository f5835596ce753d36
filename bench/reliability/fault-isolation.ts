import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { serviceNames } from '@portico/core';
import { type Command, log, positiveNumber } from '../command.ts';
import { type Interval, machineTime } from '../machine-time.ts';
import { report, requirement } from '../requirements.ts';
import { byFrequency, median, quantile } from '../statistics.ts';
import { type Fault, faultNames } from './faults/faulty-server.ts';
import { startSystem } from './system-under-test.ts';
import { memberOperations } from './workload/member-operations.ts';
import { type Completed, openLoopLoad } from './workload/open-loop-load.ts';

const warmUpMs = 5000;
/** Pause before each measurement, so that operations delayed by the test itself are not measured. */
const settleMs = 100;
const maxRecoveryMs = 10_000;
/** A machine that is slow for a moment recovers, or slows down the baseline too; a defect shows in every attempt. */
const maxAttempts = 3;
/** Smaller differences cannot be attributed to a cause on a shared machine. */
const floorMs = 5;

const measure = async (seconds: number): Promise<Interval> => {
  await pause(settleMs);
  const from = machineTime();
  await pause(seconds * 1000);
  return { from, to: machineTime() };
};

const startRun = async (seconds: number, perSecond: number, folder: string) => {
  const { identities, stubs, ...system } = await startSystem(serviceNames, folder);
  const { reads, writes, download } = memberOperations(identities.members, serviceNames);
  const { completed, ...load } = openLoopLoad(system.url, stubs.history, perSecond, [
    [reads, 10],
    [writes, 4],
    [download(64), 1],
  ]);
  load.start();
  await pause(warmUpMs);
  /** Intervals without faults. */
  const baselines: Interval[] = [];
  for (let nth = 0; nth < 3; nth++) baselines.push(await measure(seconds));
  return { completed, load, system, inject: stubs.inject, seconds, baselines };
};

type Run = Awaited<ReturnType<typeof startRun>>;

const sentIn = ({ completed }: Run, { from, to }: Interval): readonly Completed[] =>
  completed.filter((one) => one.from >= from && one.from <= to);

/** 99th percentile in milliseconds of the operations sent in the interval that do not need this service. */
const p99Without = (run: Run, interval: Interval, service?: string): number => {
  const times = sentIn(run, interval).flatMap((one) => (one.service === service ? [] : one.tookMs));
  return quantile(times, 0.99);
};

/** Milliseconds until an operation was sent that the service completed. */
const recovery = async ({ completed }: Run, service: string): Promise<number> => {
  const from = machineTime();
  const isRecovered = (one: Completed) => one.from >= from && one.service === service && /^20[01]$/.test(one.outcome);
  while (machineTime() - from < maxRecoveryMs) {
    const recovered = completed.find(isRecovered);
    if (recovered) return recovered.from - from;
    await pause(20);
  }
  return Infinity;
};

/** Injects the fault until the other services are as fast as the baseline, which is measured again each time. */
const runTrial = async (run: Run, service: string, fault: Fault) => {
  // The median, so that one slow interval does not hide a defect.
  const medianP99 = median(run.baselines.map((interval) => p99Without(run, interval, service)));
  const attempts = [];
  let baselineP99 = medianP99;
  for (;;) {
    const clear = await run.inject({ target: service, fault });
    const interval = await measure(run.seconds);
    await clear();
    const recoveredAfterMs = await recovery(run, service);
    const p99 = p99Without(run, interval, service);
    log(`${fault}, ${service}: ${p99.toFixed(1)} ms, baseline ${baselineP99.toFixed(1)}`);
    const isIsolated = p99 <= Math.max(2 * baselineP99, floorMs);
    const attempt = { isIsolated, p99, baselineP99, recoveredAfterMs, interval };
    attempts.push(attempt);
    if (isIsolated || attempts.length === maxAttempts) return { service, fault, ...attempt, attempts };
    const baseline = await measure(run.seconds);
    run.baselines.push(baseline);
    baselineP99 = Math.max(medianP99, p99Without(run, baseline, service));
  }
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
  if (!faultNames.some((fault) => serviceNames.some((service) => `${fault} ${service}`.includes(filter))))
    throw new Error(`"${filter}" is not part of a fault and a service, such as "silent claims".`);
  const run = await startRun(seconds, perSecond, folder);
  const { completed, baselines } = run;
  const trials: Awaited<ReturnType<typeof runTrial>>[] = [];
  for (const fault of faultNames) {
    const services = serviceNames.filter((service) => `${fault} ${service}`.includes(filter));
    for (const service of services) trials.push(await runTrial(run, service, fault));
    if (services.length > 0) baselines.push(await measure(seconds));
  }
  await run.load.stop();
  await run.system.stop();
  const unexplained = completed.filter(({ isExplained }) => !isExplained);
  const slowestMs = Math.max(...trials.flatMap(({ attempts }) => attempts.map((one) => one.recoveredAfterMs)));
  const isolation = `of ${trials.length} faults, those that raise the p99 of the others above twice the baseline and ${floorMs} ms`;
  const rows = trials.map(({ fault, service, p99, baselineP99, recoveredAfterMs, attempts, interval }) => {
    const figures = [p99, baselineP99, p99 / baselineP99].map((figure) => figure.toFixed(2));
    const outcomes = sentIn(run, interval).flatMap((one) => (one.service === service ? one.outcome : []));
    return [fault, service, ...figures, attempts.length, recoveredAfterMs.toFixed(0), byFrequency(outcomes)];
  });
  const timings = ['p99 of the others, ms', 'baseline', 'ratio', 'attempts', 'recovery, ms'];
  const baselineP99s = baselines.map((interval) => p99Without(run, interval));
  return report('faults', {
    requirements: [
      requirement(`unexplained outcomes of ${completed.length} operations`, unexplained.length),
      requirement(isolation, trials.filter(({ isIsolated }) => !isIsolated).length),
      requirement('slowest recovery, ms', slowestMs.toFixed(0), slowestMs <= maxRecoveryMs, `at most ${maxRecoveryMs}`),
    ],
    table: [['fault', 'service', ...timings, 'outcomes'], ...rows],
    summary: `${perSecond} operations/s, ${seconds} s for each fault.`,
    data: { seconds, perSecond, trials, rows, baselineP99s, unexplained: unexplained.slice(0, 20) },
  });
};

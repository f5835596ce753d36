import { type Interval, machineTime } from '../../machine-time.ts';
import type { Fault } from './faulty-server.ts';

/** A fault, or a restart of the process. */
export type Disturbance = Fault | 'restarted';

/** The time in which a stub, or `portico`, may be faulty and, within it, the time in which it certainly is. */
export const newWindow = (target: string, fault: Disturbance, from = machineTime()) => ({
  target,
  fault,
  from,
  certainFrom: Infinity,
  certainTo: Infinity,
  to: Infinity,
});

export type FaultWindow = ReturnType<typeof newWindow>;

/** All fault windows of a run. A window is added before the fault is injected. */
export type FaultHistory = FaultWindow[];

/** How long after a fault a closed connection may still look open to the other side. */
const settleMs = 250;

export const closeWindow = (window: FaultWindow): void => {
  window.to = machineTime() + settleMs;
};

/** Those that overlap the interval or ended at most `echoMs` before it. */
export const overlapping = <T extends Interval>(all: readonly T[], { from, to }: Interval, echoMs = 0): readonly T[] =>
  all.filter((one) => one.from <= to && one.to + echoMs >= from);

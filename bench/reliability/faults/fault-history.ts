import type { Fault } from './faulty-server.ts';

/** Milliseconds of `performance.now()`. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** A fault, or a restart of the stub's process. */
export type Disturbance = Fault | 'restarted';

/** The time in which a stub may be faulty and, within it, the time in which it certainly is. */
export interface FaultWindow {
  readonly target: string;
  readonly fault: Disturbance;
  readonly from: number;
  certainFrom: number;
  certainTo: number;
  to: number;
}

/** All fault windows of a run. */
export const faultHistory = () => {
  const windows: FaultWindow[] = [];
  return {
    /** Opens a window. Call it before the fault is injected. */
    open: (target: string, fault: Disturbance): FaultWindow => {
      const from = performance.now();
      const window = { target, fault, from, certainFrom: Infinity, certainTo: Infinity, to: Infinity };
      windows.push(window);
      return window;
    },
    /** The windows that overlap the interval or ended at most `echoMs` before it. */
    overlapping: ({ from, to }: Interval, echoMs = 0): readonly FaultWindow[] =>
      windows.filter((window) => window.from <= to && window.to + echoMs >= from),
    has: (target: string, fault: Disturbance): boolean =>
      windows.some((window) => window.target === target && window.fault === fault),
  };
};

export type FaultHistory = ReturnType<typeof faultHistory>;

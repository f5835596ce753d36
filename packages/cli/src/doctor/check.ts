import { type Clock, settleWithin } from '@portico/core';
import type { Connections } from '../connection/connections.ts';
import type { Settings } from '../settings/schema.ts';

/** The outcome of a check, in a few words, and what to do when it is not `ok`. It contains no URL and nothing private. */
export interface Finding {
  readonly outcome: 'ok' | 'failed' | 'not-tested';
  readonly detail: string;
  readonly advice?: string | undefined;
}

/** One line of the report. */
export interface CheckResult extends Finding {
  readonly name: string;
  readonly elapsedMs: number;
}

/** Runs one check under its own deadline. The signal aborts when the check has ended or is late, or the command is interrupted. */
export type RunCheck = (name: string, work: (signal: AbortSignal) => Promise<Finding>) => Promise<CheckResult>;

/** What the checks of one external system work with. */
export interface Examination {
  readonly settings: Settings;
  readonly connections: Connections;
  readonly clock: Clock;
  readonly check: RunCheck;
}

/** The checks of one external system; empty when it is not in the settings. */
export type Checks = (examination: Examination) => Promise<readonly CheckResult[]>;

export const ok = (detail: string): Finding => ({ outcome: 'ok', detail });
export const failed = (detail: string, advice: string): Finding => ({ outcome: 'failed', detail, advice });
export const notTested = (detail: string, advice?: string): Finding => ({ outcome: 'not-tested', detail, advice });

export const checkRunner =
  (clock: Clock, interrupted: AbortSignal, timeoutMs: number): RunCheck =>
  async (name, work) => {
    const startedAt = clock.monotonic();
    const deadline = new AbortController();
    const finding = await settleWithin(work(AbortSignal.any([deadline.signal, interrupted])), {
      clock,
      timeoutMs,
      onTimeout: () => timedOut(timeoutMs),
    });
    deadline.abort();
    return { name, elapsedMs: Math.round(clock.monotonic() - startedAt), ...finding };
  };

const timedOut = (timeoutMs: number): Finding =>
  failed(
    `no response within ${timeoutMs} ms`,
    'Check the host and port in the settings, and whether a firewall drops the connection.',
  );

import type { Clock } from '@portico/core';
import { BrokenPromise, type TestRunner } from '@portico/core/testing';

/** How one promise of the contract ended. */
export interface PromiseResult {
  readonly promise: string;
  readonly outcome: 'kept' | 'broken' | 'skipped';
  readonly elapsedMs: number;
  /** Why it is broken, or what it needs. */
  readonly reason?: string;
  /** Method and status of the requests of a broken promise, such as `GET 403`, in order. */
  readonly requests?: readonly string[];
}

/** Ends the current promise: it is skipped. Without a reason, it is no promise of a service and is not reported. */
export type Skip = (reason: string | undefined) => never;

interface RunSettings {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly redact: (text: string) => string;
  readonly signal: AbortSignal;
  /** Returns the requests that were sent since the last call. */
  readonly takeRequests: () => readonly string[];
  readonly onResult: (result: PromiseResult) => void;
}

/** Runs a contract suite, one promise after the other, and collects the results. An aborted run ends early. */
export const runSuite = async (
  suite: (runner: TestRunner, skip: Skip) => void,
  { clock, deadlineMs, redact, signal, takeRequests, onResult }: RunSettings,
): Promise<readonly PromiseResult[]> => {
  const tests: (readonly [promise: string, body: () => Promise<void>])[] = [];
  const skips: (string | undefined)[] = [];
  const skip: Skip = (reason) => {
    skips.push(reason);
    throw new Error('skipped');
  };
  suite({ describe, it: (promise, body) => tests.push([promise, body]), deadlineMs }, skip);

  const results: PromiseResult[] = [];
  for (const [promise, body] of tests) {
    if (signal.aborted) break;
    skips.length = 0;
    takeRequests();
    const start = clock.monotonic();
    const error = await body().then(() => undefined, asError);
    const ended = { promise, elapsedMs: Math.round(clock.monotonic() - start) };
    const requests = takeRequests();
    const [reason] = skips;
    if (skips.length > 0 && reason === undefined) continue;
    const result: PromiseResult =
      reason !== undefined
        ? { ...ended, outcome: 'skipped', reason }
        : error
          ? { ...ended, outcome: 'broken', reason: redact(reasonOf(error, promise)), requests }
          : { ...ended, outcome: 'kept' };
    results.push(result);
    onResult(result);
  }
  return results;
};

const describe = (_: string, body: () => void): void => body();

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The message without the name of the promise itself. Other promises that a call broke are named. */
const reasonOf = (error: Error, promise: string): string =>
  error instanceof BrokenPromise
    ? error.message
        .split('\n')
        .map((line) => line.replace(/^The [a-z -]+ contract promises: /, '').replace(`${promise}. `, ''))
        .map((line) => line.replace('Broken: ', ''))
        .join('; ')
    : error.message;

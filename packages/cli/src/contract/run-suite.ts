import { type Clock, settleWithin } from '@portico/core';
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

/**
 * Skips the current promise. Without a reason, the promise does not apply to a running service and is not reported.
 */
export type Skip = (reason: string | undefined) => never;

interface RunSettings {
  readonly clock: Clock;
  /** The longest time of one call. */
  readonly deadlineMs: number;
  /** The longest time of one promise, in milliseconds: no other limit ends a response without end. */
  readonly promiseMs: number;
  readonly redact: (text: string) => string;
  readonly signal: AbortSignal;
  /** Returns the requests that were sent since the last call. */
  readonly takeRequests: () => readonly string[];
  readonly onResult: (result: PromiseResult) => void;
}

/** Not the message of any other error. */
const skippedMessage = 'this promise is skipped (5f0c1d)';

/** Runs a contract suite, one promise after the other, and collects the results. An aborted run ends early. */
export const runSuite = async (
  suite: (runner: TestRunner, skip: Skip) => void,
  { clock, deadlineMs, promiseMs, redact, signal, takeRequests, onResult }: RunSettings,
): Promise<readonly PromiseResult[]> => {
  const tests: (readonly [promise: string, body: () => Promise<void>])[] = [];
  const skips: (string | undefined)[] = [];
  const skip: Skip = (reason) => {
    skips.push(reason);
    throw new Error(skippedMessage);
  };
  suite({ describe, it: (promise, body) => tests.push([promise, body]), deadlineMs }, skip);

  const results: PromiseResult[] = [];
  for (const [promise, body] of tests) {
    if (signal.aborted) break;
    skips.length = 0;
    takeRequests();
    const start = clock.monotonic();
    const error = await withLimit(body, clock, promiseMs);
    const ended = { promise, elapsedMs: Math.round(clock.monotonic() - start) };
    const requests = takeRequests();
    const broken = error ? reasonsOf(error, promise, skips.length > 0) : [];
    const [reason] = skips;
    // A call may break a general promise before the promise of the test is skipped.
    if (broken.length === 0 && skips.length > 0 && reason === undefined) continue;
    const result: PromiseResult =
      broken.length > 0
        ? { ...ended, outcome: 'broken', reason: redact(broken.join('; ')), requests }
        : reason !== undefined
          ? { ...ended, outcome: 'skipped', reason }
          : { ...ended, outcome: 'kept' };
    results.push(result);
    onResult(result);
  }
  return results;
};

const describe = (_: string, body: () => void): void => body();

/** Runs a test, and returns the error it fails with. The suite does not wait for a test that takes too long. */
const withLimit = (body: () => Promise<void>, clock: Clock, timeoutMs: number): Promise<Error | undefined> =>
  settleWithin<Error | undefined>(
    body().then(() => undefined, asError),
    { clock, timeoutMs, onTimeout: () => new Error(`it did not end within ${timeoutMs} ms`) },
  );

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The reasons, without the name of the promise itself. Other promises that a call broke are named. */
const reasonsOf = (error: Error, promise: string, isSkipped: boolean): readonly string[] =>
  (error instanceof BrokenPromise ? error.message.split('\n') : [error.message])
    .filter((line) => !(isSkipped && line.endsWith(skippedMessage)))
    .map((line) => line.replace(/^The [a-z -]+ contract promises: /, ''))
    .map((line) => line.replace(`${promise}. `, '').replace('Broken: ', ''));

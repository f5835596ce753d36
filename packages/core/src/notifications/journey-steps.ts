import { err, errAsync, type Result, ResultAsync } from 'neverthrow';
import type { Clock } from '../runtime/clock.port.ts';
import type { Signal } from '../runtime/signal.ts';
import type { Failure } from '../shared/failure.ts';

/** The steps in their order (contract, section 4). */
export const journeySteps = [
  'token',
  'get-preferences',
  'get-own-preferences',
  'put-preferences',
  'verify-preferences',
  'list-notifications',
  'read-log',
] as const;

export interface JourneyStep {
  readonly name: (typeof journeySteps)[number];
  /** `never-set` is a normal outcome: this member has no preferences yet. */
  readonly outcome: 'ok' | 'never-set' | 'failed' | 'skipped';
  /** Whole milliseconds; 0 when skipped. */
  readonly elapsedMs: number;
  /** Why it failed. */
  readonly failure?: Failure;
}

/** Runs steps one by one, records how each ended, and starts none after the signal. */
export const stepRunner = (clock: Clock, onStep: (step: JourneyStep) => void, signal: Signal | undefined) => {
  const ended: JourneyStep[] = [];
  const step = <T>(name: JourneyStep['name'], run: () => ResultAsync<T, Failure>): ResultAsync<T, unknown> => {
    if (signal?.aborted) return errAsync(stopped);
    const startedAt = clock.monotonic();
    const end = (outcome: JourneyStep['outcome'], failure?: Failure) => {
      const elapsedMs = Math.round(clock.monotonic() - startedAt);
      const step = { name, outcome, elapsedMs, ...(failure && { failure }) };
      ended.push(step);
      onStep(step);
    };
    return unlessAborted(signal, attempt(run))
      .andTee((value) => end(value === null ? 'never-set' : 'ok'))
      .orTee((failure) => {
        if (failure !== stopped) end('failed', failure);
      });
  };
  const steps = (): readonly JourneyStep[] =>
    journeySteps.map((name) => ended.find((step) => step.name === name) ?? { name, outcome: 'skipped', elapsedMs: 0 });
  return { step, steps };
};

const stopped = Symbol('stopped');

/** Does not wait for a result that is still pending when the signal is aborted. */
const unlessAborted = <T>(
  signal: Signal | undefined,
  result: ResultAsync<T, Failure>,
): ResultAsync<T, Failure | typeof stopped> =>
  new ResultAsync(
    new Promise<Result<T, Failure | typeof stopped>>((resolve) => {
      const stop = () => resolve(err(stopped));
      signal?.addEventListener('abort', stop);
      if (signal?.aborted) stop();
      void result.then((settled) => {
        signal?.removeEventListener('abort', stop);
        resolve(settled);
      });
    }),
  );

/** An adapter should never throw; if one does, the preferences must still be restored. */
export const attempt = <T>(run: () => ResultAsync<T, Failure>): ResultAsync<T, Failure> =>
  ResultAsync.fromThrowable(
    async () => run(),
    (cause): Failure => ({ kind: 'unexpected', cause }),
  )().andThen((result) => result);

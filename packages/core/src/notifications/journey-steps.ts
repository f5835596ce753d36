import { err, errAsync, ResultAsync } from 'neverthrow';
import type { Clock } from '../runtime/clock.port.ts';
import type { Signal } from '../runtime/signal.ts';
import { unlessAborted } from '../runtime/unless-aborted.ts';
import type { Failure } from '../shared/failure.ts';

/** The steps of the journey, in order (contract, section 4). */
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
  /** The reason for the outcome `failed`. */
  readonly failure?: Failure;
}

/** Runs steps one by one and records their outcomes. Starts no step after the signal is aborted. */
export const stepRunner = (clock: Clock, onStep: (step: JourneyStep) => void, signal: Signal | undefined) => {
  const ended = new Map<JourneyStep['name'], JourneyStep>();
  const step = <T>(name: JourneyStep['name'], run: () => ResultAsync<T, Failure>): ResultAsync<T, unknown> => {
    if (signal?.aborted) return errAsync(aborted);
    const startedAt = clock.monotonic();
    const end = (outcome: JourneyStep['outcome'], failure?: Failure) => {
      const elapsedMs = Math.round(clock.monotonic() - startedAt);
      const step = { name, outcome, elapsedMs, ...(failure && { failure }) };
      ended.set(name, step);
      onStep(step);
    };
    return new ResultAsync<T, Failure | typeof aborted>(unlessAborted(signal, attempt(run), () => err(aborted)))
      .andTee((value) => end(value === null ? 'never-set' : 'ok'))
      .orTee((failure) => {
        if (failure !== aborted) end('failed', failure);
      });
  };
  const steps = (): readonly JourneyStep[] =>
    journeySteps.map((name) => ended.get(name) ?? { name, outcome: 'skipped', elapsedMs: 0 });
  return { step, steps };
};

const aborted = Symbol('aborted');

/** An adapter should never throw; if one does, the preferences must still be restored. */
export const attempt = <T>(run: () => ResultAsync<T, Failure>): ResultAsync<T, Failure> =>
  ResultAsync.fromThrowable(
    async () => run(),
    (cause): Failure => ({ kind: 'unexpected', cause }),
  )().andThen((result) => result);

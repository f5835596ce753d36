import { type Signal, unlessAborted } from '@portico/core';
import { err, errAsync, ok, type Result, ResultAsync } from 'neverthrow';
import type { ClientFailure } from './failures/failure.ts';

/** The deadline and the cancellation of one call. Ends when the call is done, times out, or is cancelled by its caller. */
export class CallScope {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #caller: Signal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failure: ClientFailure | undefined;

  constructor(timeoutMs: number, caller: Signal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#caller = caller;
    this.startDeadline();
    if (caller?.aborted) this.#cancel();
    else caller?.addEventListener('abort', this.#cancel);
  }

  /** Aborts when the deadline passes or the caller cancels. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts a full `timeoutMs`, and replaces the deadline that is running. */
  startDeadline(): void {
    this.stopDeadline();
    this.#timer = setTimeout(() => this.#endWith({ kind: 'timed-out' }), this.#timeoutMs);
  }

  stopDeadline(): void {
    clearTimeout(this.#timer);
  }

  /** Releases the timer and the caller's signal. */
  done(): void {
    this.stopDeadline();
    this.#caller?.removeEventListener('abort', this.#cancel);
  }

  /** Resolves with the result of `run`. Fails when the scope ends first, or with `failureOf` when `run` throws. */
  await<T>(run: () => T | Promise<T>, failureOf: (cause: unknown) => ClientFailure): ResultAsync<T, ClientFailure> {
    const result = async (): Promise<Result<T, ClientFailure>> => {
      try {
        return ok(await run());
      } catch (cause) {
        return err(this.#failure ?? failureOf(cause));
      }
    };
    if (this.#failure) return errAsync(this.#failure);
    return new ResultAsync(unlessAborted(this.signal, result(), () => err(this.#failure!)));
  }

  readonly #cancel = (): void => this.#endWith({ kind: 'cancelled' });

  #endWith(failure: ClientFailure): void {
    this.#failure ??= failure;
    this.#controller.abort();
  }
}

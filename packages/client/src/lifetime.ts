import type { Signal } from '@portico/core';
import { err, ok, ResultAsync } from 'neverthrow';
import type { ClientFailure } from './failure.ts';

/** How long one call may go on: until it is done, its deadline passes, or its caller gives it up. */
export class Lifetime {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #caller: Signal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #end: ClientFailure | undefined;

  constructor(timeoutMs: number, caller: Signal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#caller = caller;
    this.startDeadline();
    if (caller?.aborted) this.#giveUp();
    else caller?.addEventListener('abort', this.#giveUp);
  }

  /** Aborts with the deadline and with the caller. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on, whatever was left of the one before. */
  startDeadline(): void {
    this.stopDeadline();
    this.#timer = setTimeout(() => this.#endAs({ kind: 'timed-out' }), this.#timeoutMs);
  }

  stopDeadline(): void {
    clearTimeout(this.#timer);
  }

  /** Nothing is waited for any more. */
  done(): void {
    this.stopDeadline();
    this.#caller?.removeEventListener('abort', this.#giveUp);
  }

  /** What is awaited, or why it did not come: the deadline, the caller, else `otherwise` says it. */
  await<T>(act: () => T | Promise<T>, otherwise: (cause: unknown) => ClientFailure): ResultAsync<T, ClientFailure> {
    const awaited = async () => {
      const { promise: ended, reject } = Promise.withResolvers<never>();
      // The act may end the lifetime before anybody waits for it.
      ended.catch(() => {});
      this.signal.addEventListener('abort', reject);
      try {
        this.signal.throwIfAborted();
        return ok(await Promise.race([act(), ended]));
      } catch (cause) {
        return err(this.#end ?? otherwise(cause));
      } finally {
        this.signal.removeEventListener('abort', reject);
      }
    };
    return new ResultAsync(awaited());
  }

  readonly #giveUp = (): void => this.#endAs({ kind: 'given-up' });

  #endAs(failure: ClientFailure): void {
    this.#end ??= failure;
    this.#controller.abort();
  }
}

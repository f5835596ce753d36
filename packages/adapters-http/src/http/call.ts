import { type Cancel, type Clock, interruptedCode, type Signal, type UpstreamReason } from '@portico/core';
import type { BodyWatch } from './body-stream.ts';
import type { Permit } from '../resilience/circuit-breaker.ts';
import type { CallOutcome, Guard, PendingCall } from '../resilience/service-guard.ts';
import type { Exchange, Head } from './transport.ts';

/** One call of one or two attempts: its deadline, its cancellation, and its slot in the guard. */
export class Call implements BodyWatch, PendingCall {
  hasTimedOut = false;
  isAborted = false;
  readonly startedAt: number;
  readonly #guard: Guard;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #caller: Signal | undefined;
  #permit: Permit | undefined;
  #exchange: Exchange | undefined;
  #onAbort: (() => void) | undefined;
  #stopTimer: Cancel;
  #isDone = false;
  #isSettled = false;

  constructor(guard: Guard, clock: Clock, timeoutMs: number, caller: Signal | undefined, waitedMs = 0) {
    this.startedAt = clock.monotonic();
    this.#guard = guard;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#caller = caller;
    this.#stopTimer = clock.after(timeoutMs - waitedMs, this.#timeOut);
    caller?.addEventListener('abort', this.#abortExchange);
  }

  get isCancelled(): boolean {
    return this.#caller?.aborted === true && !this.hasTimedOut;
  }

  onAbort(run: () => void): void {
    this.#onAbort = run;
  }

  /** Takes over the slot in flight. It is released once the call is settled and its exchange is done. */
  begin(permit: Permit): void {
    this.#permit = permit;
  }

  attempt(exchange: Exchange): Promise<Head> {
    this.#exchange = exchange;
    if (this.isAborted) exchange.abort();
    return exchange.head;
  }

  get exchange(): Exchange {
    return this.#exchange!;
  }

  /** Restarts the deadline, which now covers the wait for the next chunk. */
  wait(): void {
    if (this.#isDone) return;
    this.#stopTimer();
    this.#stopTimer = this.#clock.after(this.#timeoutMs, this.#timeOut);
  }

  stopWaiting(): void {
    this.#stopTimer();
  }

  streamError(): Error {
    return new StreamInterruptedError(this.hasTimedOut ? 'timeout' : 'unreachable');
  }

  /** Records the outcome. The slot in flight stays taken until the exchange is done. */
  settle(outcome: CallOutcome, isFault: boolean): void {
    try {
      this.#guard.settle(this.#permit!, this, outcome, isFault);
    } finally {
      this.#isSettled = true;
      this.#release();
    }
  }

  /** Marks the exchange as done: no more bytes will arrive. */
  done(): void {
    this.#stopTimer();
    this.#caller?.removeEventListener('abort', this.#abortExchange);
    this.#isDone = true;
    this.#release();
  }

  /** Aborts the exchange and closes its connection. */
  abort(): void {
    this.done();
    this.#abortExchange();
  }

  /** Reads and drops the rest of a small body, so that the connection can be reused. Aborts when the body is large. */
  async discard(): Promise<void> {
    const bytes = await this.exchange.bytes(65_536).catch(() => undefined);
    if (bytes) this.done();
    else this.abort();
  }

  /** Waits for the outcome, because a failure may open the breaker, which must reject the calls waiting for this slot. */
  #release(): void {
    if (this.#permit === undefined || !this.#isDone || !this.#isSettled) return;
    this.#permit = undefined;
    this.#guard.release();
  }

  readonly #timeOut = (): void => {
    this.hasTimedOut = true;
    this.#abortExchange();
  };

  readonly #abortExchange = (): void => {
    this.isAborted = true;
    this.#exchange?.abort();
    this.#onAbort?.();
  };
}

/** Thrown to the reader of a stream when the service fails midway. */
class StreamInterruptedError extends Error {
  override readonly name = 'StreamInterruptedError';
  readonly code = interruptedCode;
  readonly reason: UpstreamReason;

  constructor(reason: UpstreamReason) {
    super(reason === 'timeout' ? 'The stream stalled.' : 'The stream was interrupted.');
    this.reason = reason;
  }
}

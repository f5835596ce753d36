import type { Cancel, Clock, Signal, UpstreamReason } from '@portico/core';
import type { BodyWatch } from './body-stream.ts';
import type { Permit } from '../resilience/circuit-breaker.ts';
import type { CallOutcome, Guard, Waiting } from '../resilience/service-guard.ts';
import type { Exchange, Head } from './transport.ts';

/** One call, of one attempt or two: its deadline, its place in flight, and the ways it can end. */
export class Call implements BodyWatch, Waiting {
  hasTimedOut = false;
  isGivenUp = false;
  readonly startedAt: number;
  readonly #guard: Guard;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #caller: Signal | undefined;
  #permit: Permit | undefined;
  #exchange: Exchange | undefined;
  #onGiveUp: (() => void) | undefined;
  #stopTimer: Cancel;
  #isOver = false;
  #isSettled = false;

  constructor(guard: Guard, clock: Clock, timeoutMs: number, caller: Signal | undefined) {
    this.startedAt = clock.monotonic();
    this.#guard = guard;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#caller = caller;
    this.#stopTimer = clock.after(timeoutMs, this.#timeOut);
    caller?.addEventListener('abort', this.#abort);
  }

  get isAbandoned(): boolean {
    return this.#caller?.aborted === true && !this.hasTimedOut;
  }

  onGiveUp(run: () => void): void {
    this.#onGiveUp = run;
  }

  /** From here on the call has a place in flight, until it is settled and its exchange is over. */
  begin(permit: Permit): void {
    this.#permit = permit;
  }

  attempt(exchange: Exchange): Promise<Head> {
    this.#exchange = exchange;
    if (this.isGivenUp) exchange.abort();
    return exchange.head;
  }

  get exchange(): Exchange {
    return this.#exchange!;
  }

  /** The deadline starts anew: from now on it bounds the wait for the next chunk. */
  wait(): void {
    if (this.#isOver) return;
    this.#stopTimer();
    this.#stopTimer = this.#clock.after(this.#timeoutMs, this.#timeOut);
  }

  stopWaiting(): void {
    this.#stopTimer();
  }

  broken(): Error {
    return new BrokenStream(this.hasTimedOut ? 'timeout' : 'unreachable');
  }

  /** Records the outcome; the place in flight stays taken while the exchange goes on. */
  settle(outcome: CallOutcome, isFault: boolean): void {
    try {
      this.#guard.settle(this.#permit!, this, outcome, isFault);
    } finally {
      this.#isSettled = true;
      this.#leave();
    }
  }

  /** The exchange is over. */
  done(): void {
    this.#stopTimer();
    this.#caller?.removeEventListener('abort', this.#abort);
    this.#isOver = true;
    this.#leave();
  }

  /** Ends the exchange and its connection: the rest of the response is not wanted. */
  giveUp(): void {
    this.done();
    this.#abort();
  }

  /** Reads the rest of an unwanted body while it is small, so that the connection can be used again. */
  async discard(): Promise<void> {
    const bytes = await this.exchange.bytes(65_536).catch(() => undefined);
    if (bytes) this.done();
    else this.giveUp();
  }

  /** Not before the outcome is known: it may open the breaker, which refuses the calls that wait for the place. */
  #leave(): void {
    if (this.#permit === undefined || !this.#isOver || !this.#isSettled) return;
    this.#permit = undefined;
    this.#guard.leave();
  }

  readonly #timeOut = (): void => {
    this.hasTimedOut = true;
    this.#abort();
  };

  readonly #abort = (): void => {
    this.isGivenUp = true;
    this.#exchange?.abort();
    this.#onGiveUp?.();
  };
}

/** What the reader of a stream gets when the service fails midway: it is the service's fault, not a bug of ours. */
class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
  readonly code = 'ERR_DOWNSTREAM_BROKE_OFF';
  readonly reason: UpstreamReason;

  constructor(reason: UpstreamReason) {
    super(reason === 'timeout' ? 'The stream stalled.' : 'The stream broke off.');
    this.reason = reason;
  }
}

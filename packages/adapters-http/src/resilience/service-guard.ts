import type { Clock, Service, UpstreamReason } from '@portico/core';
import { checkNumbers } from './number-settings.ts';
import { CircuitBreaker, type CircuitState, type Permit } from './circuit-breaker.ts';

export const guardDefaults = {
  maxInFlight: 1024,
  maxWaiting: 1024,
  breakAfterFailures: 20,
  breakForMs: 5000,
} as const;

/** Limits for one service. Defaults: `guardDefaults`. */
export interface GuardSettings {
  /** Maximum number of calls in flight. A document counts until its last byte has arrived. */
  readonly maxInFlight?: number;
  /** Maximum number of calls that wait for a slot, within their deadline. Further calls fail `overloaded`. */
  readonly maxWaiting?: number;
  /**
   * Consecutive failures that open the circuit breaker. A 4xx response is not a failure. Calls in flight at the first
   * failure count as one with it.
   */
  readonly breakAfterFailures?: number;
  /** How long the breaker stays open before a trial call, in milliseconds. */
  readonly breakForMs?: number;
  readonly observer?: ServiceObserver;
}

/** How a call ended. `status`: neither 2xx nor 404. `cancelled`: cancelled by the caller. */
export type CallOutcome = 'ok' | 'not-found' | 'overloaded' | 'cancelled' | UpstreamReason;

/** Receives the outcomes of calls to the services, for metrics. The values contain no private data. */
export interface ServiceObserver {
  /** Called after each call. `durationMs` includes the wait for a slot. */
  readonly called?: (service: Service, outcome: CallOutcome, durationMs: number) => void;
  /** Called before each retry. */
  readonly retried?: (service: Service) => void;
  readonly circuit?: (service: Service, state: CircuitState) => void;
}

/** Why a call was not admitted. */
type Rejection = 'circuit-open' | 'overloaded';

/** A call that may wait for a slot. It can be aborted by its deadline or its caller. */
export interface PendingCall {
  readonly startedAt: number;
  readonly isCancelled: boolean;
  onAbort(run: () => void): void;
}

/** Admission control for one service. */
export interface Guard {
  /** Waits for a slot. After a permit, `settle` and then `release` must be called once each. */
  acquire(call: PendingCall): Permit | Rejection | Promise<Permit | Rejection>;
  /** Records the outcome. `isFault`: whether the service caused it. */
  settle(permit: Permit, call: PendingCall, outcome: CallOutcome, isFault: boolean): void;
  /** Frees the slot of a call whose exchange is done. */
  release(): void;
  /** Spends one retry from the retry budget. Returns false when the budget is empty. */
  canRetry(): boolean;
}

export const noGuard: Guard = { acquire: () => 0, settle: () => {}, release: () => {}, canRetry: () => true };

/** The retry budget: each call adds a token, a retry costs ten, and at most ten retries can be saved. */
const tokensPerRetry = 10;
const maxRetryTokens = 10 * tokensPerRetry;

/** Isolates the failures of one service: limits on calls in flight and waiting, a circuit breaker and a retry budget. */
export class ServiceGuard implements Guard {
  readonly #service: Service;
  readonly #clock: Clock;
  readonly #maxInFlight: number;
  readonly #maxWaiting: number;
  readonly #observer: ServiceObserver;
  readonly #breaker: CircuitBreaker;
  readonly #waiters = new Set<() => void>();
  #inFlight = 0;
  #retryTokens = maxRetryTokens;

  constructor(
    service: Service,
    clock: Clock,
    {
      maxInFlight = guardDefaults.maxInFlight,
      maxWaiting = guardDefaults.maxWaiting,
      breakAfterFailures = guardDefaults.breakAfterFailures,
      breakForMs = guardDefaults.breakForMs,
      observer = {},
    }: GuardSettings = {},
  ) {
    checkNumbers({ maxInFlight, breakAfterFailures, breakForMs }, 1);
    checkNumbers({ maxWaiting }, 0);
    this.#service = service;
    this.#clock = clock;
    this.#maxInFlight = maxInFlight;
    this.#maxWaiting = maxWaiting;
    this.#observer = observer;
    this.#breaker = new CircuitBreaker(clock, { failures: breakAfterFailures, pauseMs: breakForMs }, (state) =>
      this.#observe(() => observer.circuit?.(service, state)),
    );
    this.#observe(() => observer.circuit?.(service, 'closed'));
  }

  acquire(call: PendingCall): Permit | Rejection | Promise<Permit | Rejection> {
    if (!this.#breaker.admits) return this.#reject(call, 'circuit-open');
    if (this.#inFlight < this.#maxInFlight) return this.#begin();
    if (this.#waiters.size >= this.#maxWaiting) return this.#reject(call, 'overloaded');
    return new Promise((resolve) => {
      const waiter = () => {
        this.#waiters.delete(waiter);
        resolve(this.#breaker.admits ? this.#begin() : this.#reject(call, 'circuit-open'));
      };
      this.#waiters.add(waiter);
      call.onAbort(() => {
        if (this.#waiters.delete(waiter)) resolve(this.#reject(call, 'overloaded'));
      });
    });
  }

  settle(permit: Permit, call: PendingCall, outcome: CallOutcome, isFault: boolean): void {
    this.#breaker.settle(permit, outcome === 'cancelled' ? 'cancelled' : isFault ? 'failed' : 'succeeded');
    this.#report(call, outcome);
  }

  release(): void {
    this.#inFlight--;
    for (const waiter of this.#waiters) {
      if (this.#inFlight >= this.#maxInFlight) break;
      waiter();
    }
  }

  canRetry(): boolean {
    if (this.#retryTokens < tokensPerRetry) return false;
    this.#retryTokens -= tokensPerRetry;
    this.#observe(() => this.#observer.retried?.(this.#service));
    return true;
  }

  #begin(): Permit {
    this.#inFlight++;
    this.#retryTokens = Math.min(maxRetryTokens, this.#retryTokens + 1);
    return this.#breaker.begin();
  }

  #reject(call: PendingCall, rejection: Rejection): Rejection {
    this.#report(call, call.isCancelled ? 'cancelled' : rejection);
    return rejection;
  }

  #report(call: PendingCall, outcome: CallOutcome): void {
    this.#observe(() => this.#observer.called?.(this.#service, outcome, this.#clock.monotonic() - call.startedAt));
  }

  /** An exception of an observer must not end a call: its slot would never be released. */
  #observe(report: () => void): void {
    try {
      report();
    } catch {
      // Observers only report.
    }
  }
}

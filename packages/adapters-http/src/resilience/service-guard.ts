import type { Clock, Service, UpstreamReason } from '@portico/core';
import { CircuitBreaker, type CircuitState, type Permit } from './circuit-breaker.ts';

export const guardDefaults = {
  maxInFlight: 1024,
  maxWaiting: 1024,
  breakAfterFailures: 20,
  breakForMs: 5000,
} as const;

/** The limits of one service. Defaults: `guardDefaults`. */
export interface GuardSettings {
  /** How many calls may be in flight at once; a document is one until its last byte has arrived. */
  readonly maxInFlight?: number;
  /** How many more may wait for their turn, within their deadline. Further calls are refused. */
  readonly maxWaiting?: number;
  /**
   * How many failures in a row open the circuit breaker. A 4xx response is not a failure, and calls that were in flight at
   * the first failure count as one with it.
   */
  readonly breakAfterFailures?: number;
  /** How long it stays open until a call is let through to see. */
  readonly breakForMs?: number;
  readonly observer?: ServiceObserver;
}

/** How a call ended. `status`: with one that is neither 2xx nor 404; `abandoned`: nobody wanted the answer any more. */
export type CallOutcome = 'ok' | 'not-found' | 'overloaded' | 'abandoned' | UpstreamReason;

/** Is told what becomes of the calls to the services, for metrics. Nothing that it is told is private. */
export interface ServiceObserver {
  /** After each call; `durationMs` is from the caller's asking, so the waiting is in it. */
  readonly called?: (service: Service, outcome: CallOutcome, durationMs: number) => void;
  readonly repeated?: (service: Service) => void;
  readonly circuit?: (service: Service, state: CircuitState) => void;
}

export type CliError = 'circuit-open' | 'overloaded';

/** A call that waits for its turn can be given up meanwhile: its deadline, or its caller. */
export interface Waiting {
  readonly startedAt: number;
  readonly isAbandoned: boolean;
  onGiveUp(run: () => void): void;
}

/** Admission control for one service. */
export interface Guard {
  /** With a permit, `settle` and then `leave` must follow, once each. */
  enter(call: Waiting): Permit | CliError | Promise<Permit | CliError>;
  /** Records how the call ended; `isFault`: whether the service caused it. */
  settle(permit: Permit, call: Waiting, outcome: CallOutcome, isFault: boolean): void;
  /** Frees the place of a call whose exchange is over: nothing of its response is still to come. */
  leave(): void;
  mayRepeat(): boolean;
}

export const noGuard: Guard = { enter: () => 0, settle: () => {}, leave: () => {}, mayRepeat: () => true };

/** Ten calls save up one repetition, and no more than ten are kept: where much fails, repeating is no help. */
const callsPerRepetition = 10;
const mostSaved = 10 * callsPerRepetition;

/** Keeps one service's trouble its own: a limit on calls in flight and waiting, a circuit breaker, a budget of repetitions. */
export class ServiceGuard implements Guard {
  readonly #service: Service;
  readonly #clock: Clock;
  readonly #maxInFlight: number;
  readonly #maxWaiting: number;
  readonly #observer: ServiceObserver;
  readonly #breaker: CircuitBreaker;
  readonly #turns = new Set<() => void>();
  #inFlight = 0;
  /** In calls. */
  #saved = mostSaved;

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
    this.#service = service;
    this.#clock = clock;
    this.#maxInFlight = maxInFlight;
    this.#maxWaiting = maxWaiting;
    this.#observer = observer;
    this.#breaker = new CircuitBreaker(clock, { failures: breakAfterFailures, pauseMs: breakForMs }, (state) =>
      observer.circuit?.(service, state),
    );
    observer.circuit?.(service, 'closed');
  }

  enter(call: Waiting): Permit | CliError | Promise<Permit | CliError> {
    if (!this.#breaker.admits) return this.#refuse(call, 'circuit-open');
    if (this.#inFlight < this.#maxInFlight) return this.#begin();
    if (this.#turns.size >= this.#maxWaiting) return this.#refuse(call, 'overloaded');
    return new Promise((resolve) => {
      const turn = () => {
        this.#turns.delete(turn);
        resolve(this.#breaker.admits ? this.#begin() : this.#refuse(call, 'circuit-open'));
      };
      this.#turns.add(turn);
      call.onGiveUp(() => {
        if (this.#turns.delete(turn)) resolve(this.#refuse(call, 'overloaded'));
      });
    });
  }

  settle(permit: Permit, call: Waiting, outcome: CallOutcome, isFault: boolean): void {
    this.#breaker.settle(permit, outcome === 'abandoned' ? 'given-up' : isFault ? 'failed' : 'answered');
    this.#tell(call, outcome);
  }

  leave(): void {
    this.#inFlight--;
    for (const turn of this.#turns) {
      if (this.#inFlight >= this.#maxInFlight) break;
      turn();
    }
  }

  mayRepeat(): boolean {
    if (this.#saved < callsPerRepetition) return false;
    this.#saved -= callsPerRepetition;
    this.#observer.repeated?.(this.#service);
    return true;
  }

  #begin(): Permit {
    this.#inFlight++;
    this.#saved = Math.min(mostSaved, this.#saved + 1);
    return this.#breaker.begin();
  }

  #refuse(call: Waiting, refusal: CliError): CliError {
    this.#tell(call, call.isAbandoned ? 'abandoned' : refusal);
    return refusal;
  }

  #tell(call: Waiting, outcome: CallOutcome): void {
    this.#observer.called?.(this.#service, outcome, this.#clock.monotonic() - call.startedAt);
  }
}

import type { Clock } from '@portico/core';

/** `half-open`: the pause is over, and one call is let through to see. */
export type CircuitState = 'closed' | 'open' | 'half-open';

export interface CircuitBreakerSettings {
  /** How many failures in a row open it; calls that were in flight at the first of them count as that one. */
  readonly failures: number;
  /** How long it then stays open, in milliseconds. */
  readonly pauseMs: number;
}

/** The number of a call among all that were let through: who began before whom. */
export type Permit = number;

/**
 * Keeps callers from a service that fails again and again: they are refused at once, and the service has time to recover.
 * Why not a library: docs/decisions/0014.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #settings: CircuitBreakerSettings;
  readonly #tell: (state: CircuitState) => void;
  #state: CircuitState = 'closed';
  #failuresInRow = 0;
  #lastPermit: Permit = 0;
  /** The last permit given before the first failure in the row was known. */
  #lastBeforeRow: Permit = 0;
  /** The one call of a half-open breaker. */
  #trial: Permit | undefined;
  #openedAt = 0;

  constructor(clock: Clock, settings: CircuitBreakerSettings, tell: (state: CircuitState) => void = () => {}) {
    this.#clock = clock;
    this.#settings = settings;
    this.#tell = tell;
  }

  /** Whether a call would be let through now. */
  get admits(): boolean {
    return (
      this.#state === 'closed' ||
      (this.#state === 'open' && this.#clock.monotonic() - this.#openedAt >= this.#settings.pauseMs)
    );
  }

  /** To be called only when it `admits`; how the call ended is owed to `settle`. */
  begin(): Permit {
    const permit = ++this.#lastPermit;
    if (this.#state !== 'closed') {
      this.#trial = permit;
      this.#become('half-open');
    }
    return permit;
  }

  /** A call that was given up by its caller says nothing of the service: after such a trial there is another. */
  settle(permit: Permit, outcome: 'answered' | 'failed' | 'given-up'): void {
    if (permit === this.#trial) this.#settleTrial(outcome);
    else if (this.#state !== 'closed') return;
    else if (outcome === 'answered') this.#failuresInRow = 0;
    else if (outcome === 'failed') this.#countFailure(permit);
  }

  /**
   * Calls that were in flight at the first failure may all have failed by the same cause, such as one restarted instance:
   * together they are one failure. Calls that began later count one by one.
   */
  #countFailure(permit: Permit): void {
    if (this.#failuresInRow === 0) this.#lastBeforeRow = this.#lastPermit;
    else if (permit <= this.#lastBeforeRow) return;
    if (++this.#failuresInRow >= this.#settings.failures) this.#open();
  }

  #settleTrial(outcome: 'answered' | 'failed' | 'given-up'): void {
    if (outcome === 'failed') return this.#open();
    if (outcome === 'given-up') return this.#become('open');
    this.#failuresInRow = 0;
    this.#become('closed');
  }

  #open(): void {
    this.#openedAt = this.#clock.monotonic();
    this.#become('open');
  }

  #become(state: CircuitState): void {
    this.#state = state;
    this.#tell(state);
  }
}

import type { Clock } from '@portico/core';

/** `half-open`: the pause is over, and one trial call is admitted. */
export type CircuitState = 'closed' | 'open' | 'half-open';

interface CircuitBreakerSettings {
  /** Consecutive failures that open the breaker. Calls in flight at the first failure count as one with it. */
  readonly failures: number;
  /** How long the breaker stays open, in milliseconds. */
  readonly pauseMs: number;
}

/** The sequence number of an admitted call. */
export type Permit = number;

/**
 * Rejects calls to a service that keeps failing, so that it can recover.
 * Not a library: docs/decisions/0014.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #settings: CircuitBreakerSettings;
  readonly #onChange: (state: CircuitState) => void;
  #state: CircuitState = 'closed';
  #failuresInRow = 0;
  #lastPermit: Permit = 0;
  /** The last permit issued before the first of the consecutive failures was recorded. */
  #lastBeforeRow: Permit = 0;
  /** The permit of the trial call while half-open. */
  #trial: Permit | undefined;
  #openedAt = 0;

  constructor(clock: Clock, settings: CircuitBreakerSettings, onChange: (state: CircuitState) => void = () => {}) {
    this.#clock = clock;
    this.#settings = settings;
    this.#onChange = onChange;
  }

  /** Whether a call would be admitted now. */
  get admits(): boolean {
    return (
      this.#state === 'closed' ||
      (this.#state === 'open' && this.#clock.monotonic() - this.#openedAt >= this.#settings.pauseMs)
    );
  }

  /** Admits a call. Requires `admits`; the outcome must be passed to `settle`. */
  begin(): Permit {
    const permit = ++this.#lastPermit;
    if (this.#state !== 'closed') {
      this.#trial = permit;
      this.#become('half-open');
    }
    return permit;
  }

  /** Records an outcome. A cancelled call is no evidence about the service; after a cancelled trial comes another. */
  settle(permit: Permit, outcome: 'succeeded' | 'failed' | 'cancelled'): void {
    if (permit === this.#trial) this.#settleTrial(outcome);
    else if (this.#state !== 'closed') return;
    else if (outcome === 'succeeded') this.#failuresInRow = 0;
    else if (outcome === 'failed') this.#countFailure(permit);
  }

  /**
   * Counts calls in flight at the first failure as one failure, because they may share a cause, such as one restarted
   * instance. Calls that started later count individually.
   */
  #countFailure(permit: Permit): void {
    if (this.#failuresInRow === 0) this.#lastBeforeRow = this.#lastPermit;
    else if (permit <= this.#lastBeforeRow) return;
    if (++this.#failuresInRow >= this.#settings.failures) this.#open();
  }

  #settleTrial(outcome: 'succeeded' | 'failed' | 'cancelled'): void {
    if (outcome === 'failed') return this.#open();
    if (outcome === 'cancelled') return this.#become('open');
    this.#failuresInRow = 0;
    this.#become('closed');
  }

  #open(): void {
    this.#openedAt = this.#clock.monotonic();
    this.#become('open');
  }

  #become(state: CircuitState): void {
    this.#state = state;
    this.#onChange(state);
  }
}

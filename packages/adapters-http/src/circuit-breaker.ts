import type { Clock } from '@portico/core';

/** `half-open`: the pause is over, and one call is let through to see. */
export type CircuitState = 'closed' | 'open' | 'half-open';

export interface CircuitBreakerSettings {
  /** How many failures in a row open it. */
  readonly failures: number;
  /** How long it then stays open, in milliseconds. */
  readonly pauseMs: number;
}

/** `trial`: the one call of a half-open breaker. */
export type Permit = 'ordinary' | 'trial';

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
    if (this.#state === 'closed') return 'ordinary';
    this.#become('half-open');
    return 'trial';
  }

  /** A call that was given up by its caller says nothing of the service: after such a trial there is another. */
  settle(permit: Permit, outcome: 'answered' | 'failed' | 'given-up'): void {
    if (permit === 'trial') this.#settleTrial(outcome);
    else if (this.#state !== 'closed') return;
    else if (outcome === 'answered') this.#failuresInRow = 0;
    else if (outcome === 'failed' && ++this.#failuresInRow >= this.#settings.failures) this.#open();
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

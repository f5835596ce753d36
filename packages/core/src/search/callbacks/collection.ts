import type { CollectLimits } from './callback-exchange.port.ts';

/** The callbacks that a collecting leg has accepted. */
export class Collection {
  readonly #limits: CollectLimits;
  readonly #seen = new Set<string>();
  #bytes = 0;
  #isFull = false;

  constructor(limits: CollectLimits) {
    this.#limits = limits;
  }

  /** Whether a callback is the first with its text and within the limits. After the first that is not, all are `full`. */
  outcomeOf(callback: string, bytes: number): 'delivered' | 'duplicate' | 'full' {
    if (this.#seen.has(callback)) return 'duplicate';
    const { maxCallbacks, maxBytes } = this.#limits;
    this.#isFull ||= this.#seen.size >= maxCallbacks || this.#bytes + bytes > maxBytes;
    return this.#isFull ? 'full' : 'delivered';
  }

  add(callback: string, bytes: number): void {
    this.#seen.add(callback);
    this.#bytes += bytes;
  }
}

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

  get bytes(): number {
    return this.#bytes;
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

/** The length of a string in bytes of UTF-8. */
export const utf8Length = (text: string): number => {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // A surrogate is one of two code units for four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
};

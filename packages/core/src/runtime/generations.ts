import type { Clock } from './clock.port.ts';

/**
 * A map whose entries expire without a timer: they are in two generations, and the older one is dropped whenever the
 * newer one is `keepMs` old or full. An entry is kept for one to two times `keepMs`, unless `keepAtLeast` newer ones
 * were added since.
 */
export class Generations<Value> {
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #keepAtLeast: number;
  #current = new Map<string, Value>();
  #previous = new Map<string, Value>();
  #rotateAt: number;

  constructor(clock: Clock, keepMs: number, keepAtLeast = Infinity) {
    this.#clock = clock;
    this.#keepMs = keepMs;
    this.#keepAtLeast = keepAtLeast;
    this.#rotateAt = clock.monotonic() + keepMs;
  }

  get(key: string): Value | undefined {
    this.#rotate();
    return this.#current.get(key) ?? this.#previous.get(key);
  }

  set(key: string, value: Value): void {
    this.#rotate(this.#current.size >= this.#keepAtLeast);
    this.#current.set(key, value);
  }

  /** The number of entries. An entry that was set again in a later generation counts twice. */
  get size(): number {
    this.#rotate();
    return this.#current.size + this.#previous.size;
  }

  #rotate(isFull = false): void {
    const now = this.#clock.monotonic();
    if (now < this.#rotateAt && !isFull) return;
    this.#previous = now < this.#rotateAt + this.#keepMs ? this.#current : new Map();
    this.#current = new Map();
    this.#rotateAt = now + this.#keepMs;
  }
}

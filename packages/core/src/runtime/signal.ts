/** The subset of `AbortSignal` that the ports use. Every `AbortSignal` is a `Signal`. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A signal with its own `abort`. Kept small, because every pending leg of a search has one. */
export class CoreSignal implements Signal {
  aborted = false;
  #listeners: Set<() => void> | undefined;

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
    if (this.#listeners?.size === 0) this.#listeners = undefined;
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    for (const listener of this.#listeners ?? []) listener();
    this.#listeners = undefined;
  }
}

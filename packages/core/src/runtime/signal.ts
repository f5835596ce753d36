/** The part of an `AbortSignal` that a port needs; every `AbortSignal` is one. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A signal of the core's own, and the way to give it. Small, because one waits with every leg of a search. */
export class OwnSignal implements Signal {
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

/** A signal apart from the way to give it. */
export const createSignal = (): { readonly signal: Signal; abort(): void } => {
  const signal = new OwnSignal();
  return { signal, abort: () => signal.abort() };
};

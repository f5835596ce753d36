import type { Cancel, Clock } from '@portico/core';

/** A callback is kept for so long while Redis is well: by then its owner has read it. */
const readByMs = 2000;

/** And for so long at most: no search waits longer, and what was settled is forgotten by then. */
const mostMs = 60_000;

/** Of so many characters in all: the oldest is given up for the newest. */
const mostLength = 64 * 1024 * 1024;

/**
 * What Redis took lately from this instance. Redis may lose it before its owner has read it, and its seller has our
 * acknowledgement: then it is handed over once more.
 */
export const keptCallbacks = (clock: Clock, isWell: () => boolean) => {
  const kept = new Map<string, { readonly text: string; readonly at: number }>();
  let length = 0;
  let cancel: Cancel | undefined;

  const drop = (transactionId: string): void => {
    length -= kept.get(transactionId)?.text.length ?? 0;
    kept.delete(transactionId);
  };
  /** The oldest come first. */
  const dropWhile = (isSpent: (at: number) => boolean): void => {
    for (const [transactionId, { at }] of kept) {
      if (!isSpent(at)) return;
      drop(transactionId);
    }
  };
  const tidy = (): void => {
    const forMs = isWell() ? readByMs : mostMs;
    dropWhile((at) => clock.monotonic() - at >= forMs);
    cancel = kept.size > 0 ? clock.after(readByMs, tidy) : undefined;
  };

  return {
    keep: (transactionId: string, text: string): void => {
      drop(transactionId);
      kept.set(transactionId, { text, at: clock.monotonic() });
      length += text.length;
      dropWhile(() => length > mostLength);
      cancel ??= clock.after(readByMs, tidy);
    },
    drop,
    all: (): readonly (readonly [transactionId: string, text: string])[] =>
      [...kept].map(([transactionId, { text }]) => [transactionId, text]),
    clear: (): void => {
      dropWhile(() => true);
      cancel?.();
    },
  };
};

import type { Cancel, Clock } from '@portico/core';

/** A callback is kept for so long while Redis is healthy: by then its owner has read it. */
const readByMs = 2000;

/** And for so long at most: no search waits longer, and what was settled is forgotten by then. */
const maxAgeMs = 60_000;

/** In characters, of all together: the oldest is dropped for the newest. */
const maxLength = 64 * 1024 * 1024;

/**
 * The callbacks that Redis took lately from this instance. Redis may lose one before its owner has read it, and its seller
 * has our acknowledgement, so it is handed to Redis once more.
 */
export const redeliveryBuffer = (clock: Clock, isSettled: () => boolean) => {
  const kept = new Map<string, { readonly text: string; readonly at: number }>();
  let length = 0;
  let cancel: Cancel | undefined;

  const drop = (transactionId: string): void => {
    length -= kept.get(transactionId)?.text.length ?? 0;
    kept.delete(transactionId);
  };
  /** Oldest first. */
  const dropWhile = (isSpent: (at: number) => boolean): void => {
    for (const [transactionId, { at }] of kept) {
      if (!isSpent(at)) return;
      drop(transactionId);
    }
  };
  const tidy = (): void => {
    const forMs = isSettled() ? readByMs : maxAgeMs;
    dropWhile((at) => clock.monotonic() - at >= forMs);
    cancel = kept.size > 0 ? clock.after(readByMs, tidy) : undefined;
  };

  return {
    keep: (transactionId: string, text: string): void => {
      drop(transactionId);
      kept.set(transactionId, { text, at: clock.monotonic() });
      length += text.length;
      dropWhile(() => length > maxLength);
      cancel ??= clock.after(readByMs, tidy);
    },
    drop,
    all: (): readonly (readonly [transactionId: string, text: string])[] =>
      [...kept].map(([transactionId, { text }]) => [transactionId, text]),
    clear: (): void => {
      dropWhile(() => true);
      cancel?.();
      cancel = undefined;
    },
  };
};

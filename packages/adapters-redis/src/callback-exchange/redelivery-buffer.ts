import type { Cancel, Clock } from '@portico/core';

/** A callback is kept for so long while Redis is healthy: by then its owner has read it. */
const readByMs = 2000;

/** And for so long at most: no search waits longer, and what was settled is forgotten by then. */
const maxAgeMs = 60_000;

/** In characters, of all together: the oldest is dropped for the newest. */
const maxLength = 64 * 1024 * 1024;

export interface KeptCallback {
  readonly transactionId: string;
  readonly callback: string;
  readonly isVerified: boolean;
}

/**
 * The callbacks that this instance acknowledged lately because Redis has them. Redis may lose one before its owner has read
 * it, and its seller will not send it again, so it is handed to Redis once more.
 */
export const redeliveryBuffer = (clock: Clock, isSettled: () => boolean) => {
  const kept = new Map<string, KeptCallback & { readonly at: number }>();
  let length = 0;
  let isClosed = false;
  let cancel: Cancel | undefined;

  const drop = (transactionId: string): void => {
    length -= kept.get(transactionId)?.callback.length ?? 0;
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
    keep: (transactionId: string, callback: string, isVerified: boolean): void => {
      // A duplicate that is not verified must not take the place of the verified one that was first.
      if (isClosed || (kept.get(transactionId)?.isVerified && !isVerified)) return;
      drop(transactionId);
      kept.set(transactionId, { transactionId, callback, isVerified, at: clock.monotonic() });
      length += callback.length;
      dropWhile(() => length > maxLength);
      cancel ??= clock.after(readByMs, tidy);
    },
    all: (): readonly KeptCallback[] => [...kept.values()],
    /** Drops everything, also what is kept later. */
    close: (): void => {
      isClosed = true;
      dropWhile(() => true);
      cancel?.();
    },
  };
};

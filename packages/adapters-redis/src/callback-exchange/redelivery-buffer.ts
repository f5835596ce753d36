import type { Cancel, Clock } from '@portico/core';

/** How long a callback is buffered while Redis is healthy: by then its owner has read it. */
const readByMs = 2000;

/** How long a callback is buffered at most: no search waits longer, and settled legs are forgotten by then. */
const maxAgeMs = 60_000;

/** The maximum total length in characters. Beyond it, the oldest callbacks are dropped. */
const maxLength = 64 * 1024 * 1024;

export interface BufferedCallback {
  readonly transactionId: string;
  readonly callback: string;
  readonly isVerified: boolean;
}

/**
 * Buffers the callbacks that this instance stored in Redis and acknowledged recently. If Redis loses one before its
 * owner has read it, the seller does not send it again, so the buffered copy is stored in Redis again.
 */
export const redeliveryBuffer = (clock: Clock, isSettled: () => boolean) => {
  const buffered = new Map<string, BufferedCallback & { readonly at: number }>();
  let length = 0;
  let isClosed = false;
  let cancel: Cancel | undefined;

  const drop = (transactionId: string): void => {
    length -= buffered.get(transactionId)?.callback.length ?? 0;
    buffered.delete(transactionId);
  };
  /** Drops callbacks, oldest first. */
  const dropWhile = (isExpired: (at: number) => boolean): void => {
    for (const [transactionId, { at }] of buffered) {
      if (!isExpired(at)) return;
      drop(transactionId);
    }
  };
  const dropExpired = (): void => {
    const forMs = isSettled() ? readByMs : maxAgeMs;
    dropWhile((at) => clock.monotonic() - at >= forMs);
    cancel = buffered.size > 0 ? clock.after(readByMs, dropExpired) : undefined;
  };

  return {
    add: (transactionId: string, callback: string, isVerified: boolean): void => {
      // An unverified duplicate must not replace the verified callback that was first.
      if (isClosed || (buffered.get(transactionId)?.isVerified && !isVerified)) return;
      drop(transactionId);
      buffered.set(transactionId, { transactionId, callback, isVerified, at: clock.monotonic() });
      length += callback.length;
      dropWhile(() => length > maxLength);
      cancel ??= clock.after(readByMs, dropExpired);
    },
    all: (): readonly BufferedCallback[] => [...buffered.values()],
    /** Drops everything, including callbacks that are added later. */
    close: (): void => {
      isClosed = true;
      dropWhile(() => true);
      cancel?.();
    },
  };
};

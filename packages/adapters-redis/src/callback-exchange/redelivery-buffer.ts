import { type Cancel, type Clock, maxSearchMs } from '@portico/core';
import type { OfferedCallback } from './offered-callback.ts';
import type { StoreOutcome } from './store-callback.ts';

/** How long a callback is buffered while Redis is healthy: by then its owner has read it. */
const readByMs = 2000;

/** The maximum total length in characters. Beyond it, the oldest callbacks are dropped. */
const maxLength = 64 * 1024 * 1024;

/** What Redis decided about a callback that was acknowledged. */
export type AcknowledgedOutcome = Extract<StoreOutcome, 'delivered' | 'duplicate' | 'collected' | 'repeated'>;

interface Buffered {
  readonly callback: OfferedCallback;
  readonly outcome: AcknowledgedOutcome;
  readonly at: number;
}

/**
 * Buffers the callbacks that this instance stored in Redis and acknowledged recently. If Redis loses one before its
 * owner has read it, the seller does not send it again, so the buffered copy is stored in Redis again.
 */
export const redeliveryBuffer = (clock: Clock, isSettled: () => boolean) => {
  const buffered = new Map<string, Buffered>();
  let length = 0;
  let isClosed = false;
  let cancel: Cancel | undefined;

  const drop = (key: string): void => {
    length -= buffered.get(key)?.callback.text.length ?? 0;
    buffered.delete(key);
  };
  /** Drops callbacks, oldest first. */
  const dropWhile = (isExpired: (at: number) => boolean): void => {
    for (const [key, { at }] of buffered) {
      if (!isExpired(at)) return;
      drop(key);
    }
  };
  const dropExpired = (): void => {
    // Otherwise, until no search can wait for it any more.
    const forMs = isSettled() ? readByMs : maxSearchMs;
    dropWhile((at) => clock.monotonic() - at >= forMs);
    cancel = buffered.size > 0 ? clock.after(readByMs, dropExpired) : undefined;
  };

  return {
    /** Keeps one callback of a leg, the first one if possible, or each one with another text if the leg collects. */
    add: (callback: OfferedCallback, outcome: AcknowledgedOutcome): void => {
      const { transactionId, digest, isVerified } = callback;
      const isCollected = outcome === 'collected' || outcome === 'repeated';
      const key = isCollected ? `${transactionId} ${digest}` : transactionId;
      const known = buffered.get(key);
      // Redis does not check whether a leg admits a duplicate. If it has lost the first callback, the leg may refuse it.
      const isKnownBetter = known?.outcome === 'delivered' || (known?.callback.isVerified && !isVerified);
      if (isClosed || (outcome === 'duplicate' && isKnownBetter)) return;
      drop(key);
      buffered.set(key, { callback, outcome, at: clock.monotonic() });
      length += callback.text.length;
      dropWhile(() => length > maxLength);
      cancel ??= clock.after(readByMs, dropExpired);
    },
    all: (): readonly OfferedCallback[] => [...buffered.values()].map(({ callback }) => callback),
    /** Drops everything, including callbacks that are added later. */
    close: (): void => {
      isClosed = true;
      dropWhile(() => true);
      cancel?.();
    },
  };
};

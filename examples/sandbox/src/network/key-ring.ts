import { type Subscriber, subscriber } from '../search/subscriber.ts';

/** A key that the registry publishes. Times are in milliseconds since the epoch. */
export interface PublishedKey extends Pick<Subscriber, 'subscriberId' | 'uniqueKeyId' | 'publicKey'> {
  readonly validFrom: number;
  readonly validUntil: number;
}

export interface Rotation {
  readonly keyId: string;
  readonly oldKeyId: string;
  readonly oldKeyValidUntil: string;
}

/** The keys of one participant. */
export interface KeyRing {
  readonly subscriberId: string;
  /** The key that signs. */
  readonly current: Subscriber;
  /** Every key so far, oldest first. */
  readonly published: readonly PublishedKey[];
  /** Adds a key that signs from now on. The key before it stays valid for this many milliseconds. */
  rotate(oldKeyValidMs: number): Rotation;
}

const yearMs = 365 * 86_400_000;

export const keyRing = (subscriberId: string): KeyRing => {
  const published: PublishedKey[] = [];
  const add = (): Subscriber => {
    const added = subscriber(subscriberId, `${subscriberId}.key-${published.length + 1}`);
    const { uniqueKeyId, publicKey } = added;
    const now = Date.now();
    published.push({
      subscriberId,
      uniqueKeyId,
      publicKey,
      validFrom: now - 60_000,
      validUntil: now + yearMs,
    });
    return added;
  };
  let current = add();
  return {
    subscriberId,
    get current() {
      return current;
    },
    published,
    rotate(oldKeyValidMs) {
      const old = published.at(-1)!;
      const validUntil = Date.now() + oldKeyValidMs;
      published[published.length - 1] = { ...old, validUntil };
      current = add();
      return {
        keyId: current.uniqueKeyId,
        oldKeyId: old.uniqueKeyId,
        oldKeyValidUntil: new Date(validUntil).toISOString(),
      };
    },
  };
};

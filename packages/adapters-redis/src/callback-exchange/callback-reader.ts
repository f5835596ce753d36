import type { CallbackExchange, OfferDetails, OfferOutcome } from '@portico/core';
import type { AcceptedCallbacks } from './accepted-callbacks.ts';
import type { RedisClient } from '../client.ts';
import type { KeysOf } from './leg-keys.ts';
import { largeBytes, type OfferedCallback } from './offered-callback.ts';
import type { ReadLimits } from './read-collected.ts';
import type { Registrations } from './registrations.ts';
import { fullField } from './store-callback.ts';

/**
 * Redis closes a connection that subscribes and has more than 32 MiB of unread replies, or 8 MiB for a minute
 * (`client-output-buffer-limit pubsub`). Small callbacks are therefore read in parallel, up to 6.25 MiB, and each large one
 * after the one before it.
 */
const small: ReadLimits = { maxCallbacks: 10, maxBytes: largeBytes };
const large: ReadLimits = { maxCallbacks: 1, maxBytes: Number.MAX_SAFE_INTEGER };
const maxSmallReads = 100;

interface ReaderSettings {
  readonly client: RedisClient;
  readonly keys: KeysOf;
  readonly registrations: Registrations;
  readonly accepted: AcceptedCallbacks;
  /** Delivers callbacks to the legs of this instance. */
  readonly local: CallbackExchange;
}

interface Reading {
  isRequestedAgain: boolean;
  ended: Promise<void>;
}

/** Discards the reply, so that a lane does not keep it in memory. */
const ended = (): void => {};

/** Runs at most `count` reads at once, in order. */
const readsAtOnce = (count: number) => {
  const lanes: Promise<void>[] = Array.from({ length: count }, () => Promise.resolve());
  let started = 0;
  return <T>(read: () => Promise<T>): Promise<T> => {
    const lane = started++ % count;
    const reply = lanes[lane]!.then(read);
    lanes[lane] = reply.then(ended, ended);
    return reply;
  };
};

/** Delivers the callbacks that other instances stored for the legs of this instance. */
export class CallbackReader {
  readonly #settings: ReaderSettings;
  /** The legs whose callbacks are being read. One reading at a time keeps the order. */
  readonly #readings = new Map<string, Reading>();
  /** The legs with callbacks that this instance has no memory for, and the size of the first of these. */
  readonly #stalled = new Map<string, number>();
  #isReadingStalled = false;
  readonly #readSmall = readsAtOnce(maxSmallReads);
  readonly #readLarge = readsAtOnce(1);

  constructor(settings: ReaderSettings) {
    this.#settings = settings;
  }

  /** Resolves when everything that was stored before this call is delivered, or the leg no longer waits. */
  async read(transactionId: string): Promise<void> {
    const leg = this.#settings.registrations.get(transactionId);
    if (!leg) this.#stalled.delete(transactionId);
    else if (leg.collects) await this.#readAll(transactionId);
    else await this.#readFirst(transactionId);
  }

  /** Whether the leg has a callback that this instance has no memory for. */
  isStalled(transactionId: string): boolean {
    return this.#stalled.has(transactionId);
  }

  /** Reads the callbacks that there was no memory for, in the order of their legs. */
  async readStalled(): Promise<void> {
    if (this.#isReadingStalled) return;
    this.#isReadingStalled = true;
    const { registrations, accepted } = this.#settings;
    try {
      for (const [transactionId, size] of this.#stalled) {
        if (registrations.has(transactionId) && !accepted.hasRoomFor(size)) return;
        await this.read(transactionId);
      }
    } finally {
      this.#isReadingStalled = false;
    }
  }

  /** Delivers a callback to a leg of this instance that collects, unless it is a duplicate or the leg has ended. */
  async deliver(
    { transactionId, text, digest, size }: Pick<OfferedCallback, 'transactionId' | 'text' | 'digest' | 'size'>,
    details: OfferDetails,
  ): Promise<OfferOutcome> {
    const { registrations, accepted, local } = this.#settings;
    if (accepted.has(transactionId, digest)) return 'duplicate';
    // Before the delivery, which may release the leg and what it has accepted.
    if (registrations.has(transactionId)) accepted.add(transactionId, digest, size);
    const outcome = (await local.offer(transactionId, text, details)).unwrapOr('late');
    if (outcome !== 'delivered') accepted.forget(transactionId, digest);
    return outcome;
  }

  async #readFirst(transactionId: string): Promise<void> {
    const { client, keys, registrations, accepted, local } = this.#settings;
    const { callback: key } = keys(transactionId);
    const start = (await this.#readSmall(() => client.getRange(key, 0, small.maxBytes - 1))) ?? '';
    const isWhole = Buffer.byteLength(start) < small.maxBytes;
    const callback = isWhole ? start : await this.#readLarge(() => client.get(key));
    const leg = registrations.get(transactionId);
    const size = Buffer.byteLength(callback ?? '');
    if (leg && !accepted.hasRoomFor(size)) {
      this.#stalled.set(transactionId, size);
      return;
    }
    this.#stalled.delete(transactionId);
    if (!callback || !leg) return;
    accepted.keep(size, leg.expectation?.ended);
    registrations.remove(transactionId);
    await local.offer(transactionId, callback, { isVerified: true });
  }

  #readAll(transactionId: string): Promise<void> {
    const current = this.#readings.get(transactionId);
    if (current) {
      current.isRequestedAgain = true;
      return current.ended;
    }
    const reading: Reading = { isRequestedAgain: false, ended: Promise.resolve() };
    this.#readings.set(transactionId, reading);
    reading.ended = this.#readUntilEmpty(transactionId, reading);
    return reading.ended;
  }

  async #readUntilEmpty(transactionId: string, reading: Reading): Promise<void> {
    try {
      do reading.isRequestedAgain = false;
      while ((await this.#readBatch(transactionId)) || reading.isRequestedAgain);
    } finally {
      this.#readings.delete(transactionId);
    }
  }

  /** Returns whether there may be more. Callbacks are removed from Redis only after their delivery. */
  async #readBatch(transactionId: string): Promise<boolean> {
    const { client, keys, registrations } = this.#settings;
    const { callback: key } = keys(transactionId);
    let { entries, hasMore } = await this.#readSmall(() => client.readCollected(key, small));
    if (entries.length === 0 && hasMore)
      ({ entries, hasMore } = await this.#readLarge(() => client.readCollected(key, large)));
    const read: string[] = [];
    for (const { id, digest, text } of entries) {
      if (!(await this.#deliverEntry(transactionId, digest, text))) break;
      read.push(id);
    }
    // A delivery may have released the leg, and thereby removed its callbacks.
    if (!registrations.has(transactionId)) return false;
    if (read.length > 0) await client.xDel(key, read);
    const isStalled = read.length < entries.length;
    if (this.#stalled.has(transactionId)) await registrations.pause(transactionId, isStalled);
    if (!isStalled) this.#stalled.delete(transactionId);
    return hasMore && !isStalled;
  }

  /** Returns false when there is no memory for the callback. */
  async #deliverEntry(transactionId: string, digest: string, text: string): Promise<boolean> {
    const { registrations, accepted } = this.#settings;
    if (digest === fullField) {
      registrations.get(transactionId)?.expectation?.overflow?.();
      return true;
    }
    const size = Buffer.byteLength(text);
    if (!accepted.has(transactionId, digest) && !accepted.hasRoomFor(size)) {
      // At once: the next release, which frees memory, reads only the legs that it finds here.
      this.#stalled.set(transactionId, size);
      return false;
    }
    await this.deliver({ transactionId, text, digest, size }, { isVerified: true });
    return true;
  }
}

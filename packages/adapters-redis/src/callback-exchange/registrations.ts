import type { Clock, CollectLimits, Expectation } from '@portico/core';
import type { Sizes } from './accepted-callbacks.ts';
import { type RedisClient, px } from '../client.ts';
import type { KeysOf } from './leg-keys.ts';
import { digestOf } from './offered-callback.ts';

/** The value of the key of a leg that has ended: delivered (`d`) or released (`r`). */
type EndState = 'd' | 'r';

/** A leg that waits on this instance. */
export interface WaitingLeg {
  readonly isVerifiedOnly: boolean;
  /** The digest of the required `pairingOf`; empty for any. */
  readonly pairing: string;
  readonly collects: CollectLimits | undefined;
  /** Undefined when the leg has ended: it refers to all of its search, which would be kept (docs/decisions/0166). */
  readonly expectation: Expectation | undefined;
  /** When its search ends at the latest, of the clock's `monotonic`. */
  readonly until: number;
}

interface Registered extends WaitingLeg {
  expectation: Expectation | undefined;
  /** Whether this instance has no memory for its callbacks. */
  isPaused: boolean;
}

interface Ended {
  readonly end: EndState;
  readonly hasCollected: boolean;
}

interface RegistrationSettings {
  readonly client: RedisClient;
  readonly clock: Clock;
  /** The id of this instance. */
  readonly instance: string;
  readonly keys: KeysOf;
  readonly rememberMs: number;
  /** The maximum number of ended legs that are reported later. Beyond it, the oldest are dropped. */
  readonly maxUnreported: number;
}

/** The legs that wait on this instance, and their keys in Redis. */
export class Registrations {
  readonly #settings: RegistrationSettings;
  readonly #waiting = new Map<string, Registered>();
  readonly #unreported = new Map<string, Ended>();

  constructor(settings: RegistrationSettings) {
    this.#settings = settings;
  }

  has(transactionId: string): boolean {
    return this.#waiting.has(transactionId);
  }

  get(transactionId: string): WaitingLeg | undefined {
    return this.#waiting.get(transactionId);
  }

  ids(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  /** Registers all legs in one round trip. Rejects when Redis refuses one of them. */
  async add(expectations: readonly Expectation[], ttlMs: number): Promise<void> {
    const until = this.#settings.clock.monotonic() + ttlMs;
    const sent = expectations.map((expectation) => {
      const { transactionId, isVerifiedOnly = false, pairing, collects } = expectation;
      const leg = { isVerifiedOnly, pairing: digestOf(pairing), collects, expectation, until, isPaused: false };
      this.#waiting.set(transactionId, leg);
      return this.#settings.client.set(this.#settings.keys(transactionId).leg, this.#valueOf(leg), {
        expiration: px(this.#ttlMs(leg) + this.#settings.rememberMs),
      });
    });
    await Promise.all(sent);
  }

  /**
   * Registers a leg again, in case Redis has lost it. Does not overwrite an existing key (NX). What the leg has accepted is
   * counted first: a leg without these counts would accept callbacks beyond its limits, which cannot be delivered.
   */
  async restore(transactionId: string, accepted: Sizes): Promise<void> {
    const leg = this.#waiting.get(transactionId);
    if (!leg) return;
    const keys = this.#settings.keys(transactionId);
    if (accepted.size > 0) await this.#settings.client.restoreAccepted(keys.accepted, accepted, this.#ttlMs(leg));
    if (!this.has(transactionId)) return;
    await this.#settings.client.set(keys.leg, this.#valueOf(leg), {
      expiration: px(this.#ttlMs(leg) + this.#settings.rememberMs),
      condition: 'NX',
    });
  }

  /** Lets Redis refuse the callbacks of a leg that arrive at other instances, or accept them again. */
  async pause(transactionId: string, isPaused: boolean): Promise<void> {
    const leg = this.#waiting.get(transactionId);
    if (!leg) return;
    leg.isPaused = isPaused;
    const options = { expiration: 'KEEPTTL', condition: 'XX' } as const;
    await this.#settings.client.set(this.#settings.keys(transactionId).leg, this.#valueOf(leg), options);
  }

  /** Removes a leg. Returns whether it was waiting. */
  remove(transactionId: string): boolean {
    const leg = this.#waiting.get(transactionId);
    if (leg) leg.expectation = undefined;
    return this.#waiting.delete(transactionId);
  }

  /** Removes a released leg and its data in Redis, except the key that records its end. */
  release(transactionId: string): void {
    const leg = this.#waiting.get(transactionId);
    if (!leg) return;
    this.remove(transactionId);
    this.#report(transactionId, { end: 'r', hasCollected: leg.collects !== undefined });
  }

  /** Updates the key of a leg that this instance has delivered without Redis. */
  reportDelivered(transactionId: string): void {
    this.#report(transactionId, { end: 'd', hasCollected: false });
  }

  reportUnreported(): void {
    const unreported = [...this.#unreported];
    this.#unreported.clear();
    for (const [transactionId, ended] of unreported) this.#report(transactionId, ended);
  }

  /** Updates the key of a leg that has ended. If that fails, the update is retried later. */
  #report(transactionId: string, ended: Ended): void {
    const { leg, callback, accepted } = this.#settings.keys(transactionId);
    const updated = this.#settings.client.set(leg, ended.end, {
      expiration: px(this.#settings.rememberMs),
      condition: 'XX',
    });
    const removed = ended.hasCollected ? this.#settings.client.unlink([callback, accepted]) : undefined;
    Promise.all([updated, removed]).catch(() => {
      const [oldest] = this.#unreported.keys();
      if (this.#unreported.size >= this.#settings.maxUnreported && oldest !== undefined)
        this.#unreported.delete(oldest);
      this.#unreported.set(transactionId, ended);
    });
  }

  #ttlMs({ until }: Registered): number {
    return Math.ceil(Math.max(1, until - this.#settings.clock.monotonic()));
  }

  /** The value of the leg's key, as `store-callback.ts` describes it. */
  #valueOf({ isVerifiedOnly, isPaused, pairing, collects }: Registered): string {
    const kind = isPaused ? 'p' : isVerifiedOnly ? 'v' : 'w';
    const limits = collects && [collects.maxCallbacks, collects.maxBytes].map((limit) => Math.min(limit, 2 ** 53 - 1));
    return kind + [this.#settings.instance, ...(pairing || limits ? [pairing] : []), ...(limits ?? [])].join('|');
  }
}

/** Only admitted callbacks are offered to the local exchange, some without the context that has the pairing. */
export const admitted = (expectation: Expectation): Expectation => {
  if (expectation.pairing === undefined) return expectation;
  const { transactionId, legId, collects } = expectation;
  return {
    transactionId,
    legId,
    collects,
    deliver: (...args) => expectation.deliver(...args),
    overflow: () => expectation.overflow?.(),
  };
};

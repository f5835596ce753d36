import type { Clock, Expectation } from '@portico/core';
import { type ExchangeClient, px } from './client.ts';

/** How a leg ended: delivered (`d`) or released (`r`). */
type LegEnd = 'd' | 'r';

interface Waiting {
  readonly isVerifiedOnly: boolean;
  readonly until: number;
}

/** The legs that wait on this instance, and their keys in Redis. */
export class Registrations {
  readonly #client: ExchangeClient;
  readonly #clock: Clock;
  readonly #instance: string;
  readonly #legKey: (transactionId: string) => string;
  readonly #rememberMs: number;
  readonly #maxUnreported: number;
  readonly #waiting = new Map<string, Waiting>();
  readonly #unreported = new Map<string, LegEnd>();

  constructor(
    client: ExchangeClient,
    clock: Clock,
    instance: string,
    legKey: (transactionId: string) => string,
    rememberMs: number,
    maxUnreported: number,
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#instance = instance;
    this.#legKey = legKey;
    this.#rememberMs = rememberMs;
    this.#maxUnreported = maxUnreported;
  }

  has(transactionId: string): boolean {
    return this.#waiting.has(transactionId);
  }

  isVerifiedOnly(transactionId: string): boolean {
    return this.#waiting.get(transactionId)?.isVerifiedOnly === true;
  }

  ids(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  /** Registers all legs in one round trip. Rejects when Redis refuses one of them. */
  async add(expectations: readonly Expectation[], ttlMs: number): Promise<void> {
    const until = this.#clock.monotonic() + ttlMs;
    const sent = expectations.map(({ transactionId, isVerifiedOnly = false }) => {
      const leg = { isVerifiedOnly, until };
      this.#waiting.set(transactionId, leg);
      return this.#register(transactionId, leg);
    });
    await Promise.all(sent);
  }

  /** Registers a leg again, in case Redis has lost it. Does not overwrite an existing key (NX). */
  async restore(transactionId: string): Promise<void> {
    const leg = this.#waiting.get(transactionId);
    if (leg) await this.#register(transactionId, leg, true);
  }

  /** Removes a leg. Returns whether it was waiting. */
  remove(transactionId: string): boolean {
    return this.#waiting.delete(transactionId);
  }

  /** Updates the key of a leg that ended on this instance. If that fails, the update is retried later. */
  reportEnd(transactionId: string, end: LegEnd): void {
    const options = { expiration: px(this.#rememberMs), condition: 'XX' as const };
    this.#client.set(this.#legKey(transactionId), end, options).catch(() => {
      const [oldest] = this.#unreported.keys();
      if (this.#unreported.size >= this.#maxUnreported && oldest !== undefined) this.#unreported.delete(oldest);
      this.#unreported.set(transactionId, end);
    });
  }

  reportUnreported(): void {
    const unreported = [...this.#unreported];
    this.#unreported.clear();
    for (const [transactionId, end] of unreported) this.reportEnd(transactionId, end);
  }

  #register(transactionId: string, { isVerifiedOnly, until }: Waiting, onlyIfNew = false): Promise<unknown> {
    const ttlMs = Math.max(1, until - this.#clock.monotonic());
    return this.#client.set(this.#legKey(transactionId), (isVerifiedOnly ? 'v' : 'w') + this.#instance, {
      expiration: px(Math.ceil(ttlMs) + this.#rememberMs),
      ...(onlyIfNew && { condition: 'NX' as const }),
    });
  }
}

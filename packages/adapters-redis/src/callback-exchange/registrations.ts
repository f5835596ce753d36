import type { Clock, Expectation } from '@portico/core';
import { type ExchangeClient, px } from './client.ts';

/** How a leg ended: delivered or released. */
type Fate = 'd' | 'r';

/** Of so many legs that ended while Redis could not be informed the fate is kept; the oldest are dropped for newer ones. */
const maxUnsaid = 10_000;

interface Waiting {
  readonly isVerifiedOnly: boolean;
  readonly until: number;
}

/** Which legs wait on this instance, and what Redis knows of them. */
export class Registrations {
  readonly #client: ExchangeClient;
  readonly #clock: Clock;
  readonly #instance: string;
  readonly #legKey: (transactionId: string) => string;
  readonly #rememberMs: number;
  readonly #waiting = new Map<string, Waiting>();
  readonly #unsaid = new Map<string, Fate>();

  constructor(
    client: ExchangeClient,
    clock: Clock,
    instance: string,
    legKey: (transactionId: string) => string,
    rememberMs: number,
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#instance = instance;
    this.#legKey = legKey;
    this.#rememberMs = rememberMs;
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

  /** All in one round trip. Rejects when Redis refuses one. */
  async add(expectations: readonly Expectation[], ttlMs: number): Promise<void> {
    const until = this.#clock.monotonic() + ttlMs;
    const sent = expectations.map(({ transactionId, isVerifiedOnly = false }) => {
      const leg = { isVerifiedOnly, until };
      this.#waiting.set(transactionId, leg);
      return this.#register(transactionId, leg);
    });
    await Promise.all(sent);
  }

  /** Registers a leg that Redis may have forgotten. What was decided meanwhile stays decided (NX). */
  async addAgain(transactionId: string): Promise<void> {
    const leg = this.#waiting.get(transactionId);
    if (leg) await this.#register(transactionId, leg, true);
  }

  /** The leg waits no longer. Whether it did. */
  remove(transactionId: string): boolean {
    return this.#waiting.delete(transactionId);
  }

  /** Informs Redis of a leg that ended here; later, when it cannot be informed now. */
  conclude(transactionId: string, fate: Fate): void {
    const options = { expiration: px(this.#rememberMs), condition: 'XX' as const };
    this.#client.set(this.#legKey(transactionId), fate, options).catch(() => {
      const [oldest] = this.#unsaid.keys();
      if (this.#unsaid.size >= maxUnsaid && oldest !== undefined) this.#unsaid.delete(oldest);
      this.#unsaid.set(transactionId, fate);
    });
  }

  concludeAgain(): void {
    const unsaid = [...this.#unsaid];
    this.#unsaid.clear();
    for (const [transactionId, fate] of unsaid) this.conclude(transactionId, fate);
  }

  #register(transactionId: string, { isVerifiedOnly, until }: Waiting, onlyIfNew = false): Promise<unknown> {
    const ttlMs = Math.max(1, until - this.#clock.monotonic());
    return this.#client.set(this.#legKey(transactionId), (isVerifiedOnly ? 'v' : 'w') + this.#instance, {
      expiration: px(Math.ceil(ttlMs) + this.#rememberMs),
      ...(onlyIfNew && { condition: 'NX' as const }),
    });
  }
}

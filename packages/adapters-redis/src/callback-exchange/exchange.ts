import { randomUUID } from 'node:crypto';
import {
  type CallbackExchange,
  type Clock,
  type Expectation,
  type Failure,
  memoryCallbackExchange,
  type OfferOutcome,
} from '@portico/core';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { type ExchangeClient, exchangeClient, px } from './client.ts';
import { ConnectionHealth } from './connection-health.ts';
import { Placements } from './placements.ts';
import { type KeptCallback, redeliveryBuffer } from './redelivery-buffer.ts';
import { Registrations } from './registrations.ts';

export interface RedisExchangeSettings {
  /** `redis:` or `rediss:`; Redis 6.2, Valkey 7.2, or newer. */
  readonly url: string;
  readonly clock: Clock;
  /** Before every key and channel. Default `portico:`. */
  readonly prefix?: string;
  /** How long a search or a callback waits for a reply of Redis. Default 500. */
  readonly commandTimeoutMs?: number;
  /** How long a settled leg is remembered, to tell a late callback from an unknown one. Default 60 000. */
  readonly rememberMs?: number;
  /**
   * How long after each start and reconnection a callback with an unknown id is refused with 503 rather than acknowledged
   * and dropped: another instance may not have registered its legs again. Default 5000.
   */
  readonly settlingMs?: number;
}

export interface RedisCallbackExchange extends CallbackExchange {
  close(): Promise<void>;
}

/** How often callbacks are handed to Redis again while other instances may still be registering their legs. */
const handOverEveryMs = 250;

/** How many legs are registered again at a time. */
const batchSize = 500;

const cannotPlace: Failure = { kind: 'overloaded', retryAfterSeconds: 1 };

/**
 * Callbacks find their search on any instance. Which leg waits where is known to its owner and to Redis; Redis decides
 * which callback is first; one that lands elsewhere is kept there, and its owner is woken. While Redis is slow or gone,
 * searches go on with what their owner knows, and a callback that cannot be placed fails `overloaded`. Connects by itself,
 * and never fails to start.
 */
export const redisCallbackExchange = (settings: RedisExchangeSettings): RedisCallbackExchange =>
  new RedisExchange(settings);

class RedisExchange implements RedisCallbackExchange {
  readonly #instance = randomUUID();
  readonly #client: ExchangeClient;
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #commandTimeoutMs: number;
  readonly #settlingMs: number;
  /** Delivers what is decided, and remembers what was settled here. */
  readonly #local: CallbackExchange;
  readonly #registrations: Registrations;
  readonly #health: ConnectionHealth;
  readonly #placements: Placements;
  readonly #redelivery: ReturnType<typeof redeliveryBuffer>;
  /** After each of them all that is kept is handed to Redis again. */
  #gaps = 0;

  constructor({
    url,
    clock,
    prefix = 'portico:',
    commandTimeoutMs = 500,
    rememberMs = 60_000,
    settlingMs = 5000,
  }: RedisExchangeSettings) {
    this.#client = exchangeClient(url);
    this.#clock = clock;
    this.#prefix = prefix;
    this.#commandTimeoutMs = commandTimeoutMs;
    this.#settlingMs = settlingMs;
    this.#local = memoryCallbackExchange(clock, { rememberMs });
    this.#registrations = new Registrations(this.#client, clock, this.#instance, this.#legKey, rememberMs);
    this.#health = new ConnectionHealth({
      client: this.#client,
      clock,
      commandTimeoutMs,
      // On each connection: the client does not repeat a subscription that broke off before it was made.
      subscribe: () => this.#client.subscribe(this.#wakeChannel + this.#instance, this.#onWake),
      write: this.#write,
      onWritable: () => void this.#catchUp(),
    });
    this.#placements = new Placements(this.#health, (transactionId, callback, isVerified) =>
      this.#client.placeCallback(this.#legKey(transactionId), this.#callbackKey(transactionId), {
        callback,
        isVerified,
        rememberMs,
        wakeChannel: this.#wakeChannel,
        transactionId,
      }),
    );
    this.#redelivery = redeliveryBuffer(clock, () => this.#isSettled());
    this.#client.on('error', () => {}); // `degradedReason` shows it; commands fail by themselves
    this.#client.connect().catch(() => {});
  }

  get pending(): number {
    return this.#local.pending;
  }

  get degradedReason(): string | undefined {
    return this.#health.degradedReason;
  }

  expect(expectations: readonly Expectation[], ttlMs: number): ResultAsync<void, Failure> {
    const registered = this.#registrations.add(expectations, ttlMs);
    const known = this.#local.expect(expectations, ttlMs);
    if (this.#health.isHealthy) return new ResultAsync(this.#health.within(registered).then(() => ok(undefined)));
    registered.catch(() => {}); // registered again when Redis has recovered
    return known;
  }

  release(transactionId: string): void {
    this.#local.release(transactionId);
    if (this.#registrations.remove(transactionId)) this.#registrations.conclude(transactionId, 'r');
  }

  offer(transactionId: string, callback: string, isVerified = false): ResultAsync<OfferOutcome, Failure> {
    return new ResultAsync(
      this.#registrations.has(transactionId)
        ? this.#offerHere(transactionId, callback, isVerified)
        : this.#offerElsewhere(transactionId, callback, isVerified),
    );
  }

  async close(): Promise<void> {
    this.#health.close();
    this.#redelivery.close();
    const late = Promise.withResolvers<void>();
    const cancel = this.#clock.after(this.#commandTimeoutMs, late.resolve);
    if (this.#client.isReady) await Promise.race([this.#client.close().catch(() => {}), late.promise]);
    cancel();
    if (this.#client.isOpen) this.#client.destroy();
  }

  /** The search waits here. Redis decides all the same, because another instance may have been first. */
  async #offerHere(
    transactionId: string,
    callback: string,
    isVerified: boolean,
  ): Promise<Result<OfferOutcome, Failure>> {
    if (this.#registrations.isVerifiedOnly(transactionId) && !isVerified) return ok('unverified');
    const placed = this.#health.isHealthy ? await this.#placements.place(transactionId, '', isVerified) : err('late');
    // The first one is delivered if Redis still has it. Otherwise it is lost, and this one takes its place.
    if (placed.isOk() && placed.value === 'duplicate') await this.#fetch(transactionId).catch(() => {});
    this.#registrations.remove(transactionId);
    if (placed.isErr()) this.#registrations.conclude(transactionId, 'd');
    return this.#local.offer(transactionId, callback, isVerified);
  }

  async #offerElsewhere(
    transactionId: string,
    callback: string,
    isVerified: boolean,
  ): Promise<Result<OfferOutcome, Failure>> {
    const known = await this.#local.offer(transactionId, callback, isVerified);
    if (known.isErr() || known.value !== 'unknown') return known;
    const placed = (await this.#placements.placeInTurn(transactionId, callback, isVerified)).unwrapOr(undefined);
    if (placed === 'delivered' || placed === 'duplicate') this.#redelivery.keep(transactionId, callback, isVerified);
    if (placed === 'not-published') this.#health.report('no-channel');
    if (placed === undefined || placed === 'not-published') return err(cannotPlace);
    if (placed !== 'unknown') return ok(placed);
    // No leg waits, or none could be registered: a Redis that refuses writes knows of none.
    const isSure = this.#isSettled() && (await this.#health.within(this.#write())).isOk();
    return isSure ? ok('unknown') : err(cannotPlace);
  }

  /** Delivers the callback that another instance left for a search that waits here, if there is one. */
  async #fetch(transactionId: string): Promise<void> {
    if (!this.#registrations.has(transactionId)) return;
    const callback = await this.#client.get(this.#callbackKey(transactionId));
    if (callback !== null && this.#registrations.remove(transactionId))
      await this.#local.offer(transactionId, callback, true);
  }

  /** After a gap: Redis may have forgotten which legs wait, and wake-ups may have been missed. */
  async #catchUp(): Promise<void> {
    void this.#handOverAgain();
    this.#registrations.concludeAgain();
    const ids = this.#registrations.ids();
    for (let from = 0; from < ids.length; from += batchSize) {
      const caughtUp = await Promise.allSettled(
        ids
          .slice(from, from + batchSize)
          .flatMap((transactionId) => [this.#registrations.addAgain(transactionId), this.#fetch(transactionId)]),
      );
      // Refused while Redis loads, is full, or became a replica: the next check that passes leads here again.
      if (caughtUp.some(({ status }) => status === 'rejected')) return this.#health.report('refused');
    }
    return undefined;
  }

  /** Those of unknown legs again and again while their owners may not have registered them. */
  async #handOverAgain(): Promise<void> {
    const gap = ++this.#gaps;
    let left = this.#redelivery.all();
    while (left.length > 0 && gap === this.#gaps) {
      const unknown: KeptCallback[] = [];
      for (const kept of left) {
        const placed = await this.#placements.place(kept.transactionId, kept.callback, kept.isVerified);
        if (placed.isErr()) return undefined; // the next check that passes leads here again
        if (placed.value === 'not-published') return this.#health.report('no-channel');
        if (placed.value === 'unknown') unknown.push(kept);
      }
      if (this.#isSettled()) return undefined;
      left = unknown;
      await new Promise<void>((resolve) => void this.#clock.after(handOverEveryMs, resolve));
    }
    return undefined;
  }

  readonly #onWake = (transactionId: string): void => {
    this.#fetch(transactionId).catch(() => this.#health.report('refused'));
  };

  /** Whether every other instance has had the time to find Redis again and to register its legs. */
  #isSettled(): boolean {
    return this.#health.isHealthy && this.#health.healthyForMs >= this.#settlingMs;
  }

  readonly #write = (): Promise<unknown> =>
    this.#client.set(`${this.#prefix}probe`, this.#instance, { expiration: px(1000) });

  // The braces keep both keys of a leg in one slot of a cluster.
  readonly #legKey = (transactionId: string): string => `${this.#prefix}{${transactionId}}:leg`;

  readonly #callbackKey = (transactionId: string): string => `${this.#prefix}{${transactionId}}:callback`;

  get #wakeChannel(): string {
    return `${this.#prefix}wake:`;
  }
}

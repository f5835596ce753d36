import { randomUUID } from 'node:crypto';
import {
  type CallbackExchange,
  type Clock,
  type Expectation,
  type Failure,
  memoryCallbackExchange,
  type OfferDetails,
  type OfferOutcome,
} from '@portico/core';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { maxQueuedCommands } from '../connection.ts';
import { type ExchangeClient, exchangeClient, px } from './client.ts';
import { ConnectionHealth } from './connection-health.ts';
import { CallbackWriter } from './callback-writer.ts';
import { type BufferedCallback, redeliveryBuffer } from './redelivery-buffer.ts';
import { Registrations } from './registrations.ts';

export interface RedisExchangeSettings {
  /** `redis:` or `rediss:`; Redis 6.2, Valkey 7.2, or newer. */
  readonly url: string;
  readonly clock: Clock;
  /** The prefix of every key and channel. Default `portico:`. */
  readonly prefix?: string;
  /** The timeout of a Redis command. Default 500. */
  readonly commandTimeoutMs?: number;
  /** How long a settled leg is remembered, to distinguish late callbacks from unknown ones. Default 60,000. */
  readonly rememberMs?: number;
  /**
   * How long after each start and reconnection a callback with an unknown id is refused with 503, not acknowledged
   * and dropped, because another instance may not have registered its legs again. Default 5000.
   */
  readonly settlingMs?: number;
}

export interface RedisCallbackExchange extends CallbackExchange {
  close(): Promise<void>;
}

/** How often buffered callbacks are stored again while other instances may still be registering their legs. */
const redeliveryIntervalMs = 250;

/** The number of legs that are registered again at once. */
const batchSize = 500;

const cannotStore: Failure = { kind: 'overloaded', retryAfterSeconds: 1 };

/**
 * Creates an exchange that delivers callbacks to searches on any instance. Redis stores which instance owns each leg
 * and decides which callback is first. A callback that arrives on another instance is stored in Redis, and the owner is
 * woken. While Redis is slow or down, each instance delivers only the callbacks of its own legs; others fail
 * `overloaded`. Connects and reconnects in the background, and never fails to start.
 */
export const redisCallbackExchange = (settings: RedisExchangeSettings): RedisCallbackExchange =>
  new RedisExchange(settings);

/** How much an exchange keeps for a Redis that does not reply. Smaller in tests only, which fill the queues. */
export const queueLimits = {
  maxQueuedCommands,
  /** The maximum number of ended legs that are reported later. Beyond it, the oldest are dropped. */
  maxUnreported: 10_000,
};

export class RedisExchange implements RedisCallbackExchange {
  readonly #instance = randomUUID();
  readonly #client: ExchangeClient;
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #commandTimeoutMs: number;
  readonly #settlingMs: number;
  /** Delivers callbacks to the legs of this instance, and remembers settled legs. */
  readonly #local: CallbackExchange;
  readonly #registrations: Registrations;
  readonly #health: ConnectionHealth;
  readonly #writer: CallbackWriter;
  readonly #redelivery: ReturnType<typeof redeliveryBuffer>;
  /** The number of recoveries. Each one starts a new redelivery and ends the previous one. */
  #recoveries = 0;

  constructor(
    {
      url,
      clock,
      prefix = 'portico:',
      commandTimeoutMs = 500,
      rememberMs = 60_000,
      settlingMs = 5000,
    }: RedisExchangeSettings,
    limits: Readonly<typeof queueLimits> = queueLimits,
  ) {
    this.#client = exchangeClient(url, limits.maxQueuedCommands);
    this.#clock = clock;
    this.#prefix = prefix;
    this.#commandTimeoutMs = commandTimeoutMs;
    this.#settlingMs = settlingMs;
    this.#local = memoryCallbackExchange(clock, { rememberMs });
    this.#registrations = new Registrations(
      this.#client,
      clock,
      this.#instance,
      this.#legKey,
      rememberMs,
      limits.maxUnreported,
    );
    this.#health = new ConnectionHealth({
      client: this.#client,
      clock,
      commandTimeoutMs,
      // On each connection: the client does not retry a subscription whose connection was lost before the reply.
      subscribe: () => this.#client.subscribe(this.#wakeChannel + this.#instance, this.#onWake),
      write: this.#write,
      onWritable: () => void this.#catchUp(),
    });
    this.#writer = new CallbackWriter(this.#health, (transactionId, callback, isVerified) =>
      this.#client.storeCallback(this.#legKey(transactionId), this.#callbackKey(transactionId), {
        callback,
        isVerified,
        rememberMs,
        wakeChannel: this.#wakeChannel,
        transactionId,
      }),
    );
    this.#redelivery = redeliveryBuffer(clock, () => this.#isSettled());
    this.#client.on('error', () => {}); // reported by `degradedReason`; commands fail on their own
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
    const registeredLocally = this.#local.expect(expectations, ttlMs);
    if (this.#health.isHealthy) return new ResultAsync(this.#health.within(registered).then(() => ok(undefined)));
    registered.catch(() => {}); // registered again when Redis has recovered
    return registeredLocally;
  }

  release(transactionId: string): void {
    this.#local.release(transactionId);
    if (this.#registrations.remove(transactionId)) this.#registrations.reportEnd(transactionId, 'r');
  }

  offer(transactionId: string, callback: string, details: OfferDetails = {}): ResultAsync<OfferOutcome, Failure> {
    return new ResultAsync(
      this.#registrations.has(transactionId)
        ? this.#offerHere(transactionId, callback, details)
        : this.#offerElsewhere(transactionId, callback, details),
    );
  }

  async close(): Promise<void> {
    this.#health.close();
    this.#redelivery.close();
    const timedOut = Promise.withResolvers<void>();
    const cancel = this.#clock.after(this.#commandTimeoutMs, timedOut.resolve);
    if (this.#client.isReady) await Promise.race([this.#client.close().catch(() => {}), timedOut.promise]);
    cancel();
    if (this.#client.isOpen) this.#client.destroy();
  }

  /** Offers a callback to a leg of this instance. Redis still decides, because another instance may have been first. */
  async #offerHere(
    transactionId: string,
    callback: string,
    details: OfferDetails,
  ): Promise<Result<OfferOutcome, Failure>> {
    const { isVerified = false } = details;
    if (this.#registrations.isVerifiedOnly(transactionId) && !isVerified) return ok('unverified');
    const stored = this.#health.isHealthy ? await this.#writer.write(transactionId, '', isVerified) : err('timeout');
    // Delivers the first callback if Redis still has it. Otherwise it is lost, and this one replaces it.
    if (stored.isOk() && stored.value === 'duplicate') await this.#fetch(transactionId).catch(() => {});
    this.#registrations.remove(transactionId);
    if (stored.isErr()) this.#registrations.reportEnd(transactionId, 'd');
    return this.#local.offer(transactionId, callback, details);
  }

  async #offerElsewhere(
    transactionId: string,
    callback: string,
    details: OfferDetails,
  ): Promise<Result<OfferOutcome, Failure>> {
    const { isVerified = false } = details;
    const localOutcome = await this.#local.offer(transactionId, callback, details);
    if (localOutcome.isErr() || localOutcome.value !== 'unknown') return localOutcome;
    const stored = (await this.#writer.writeInTurn(transactionId, callback, isVerified)).unwrapOr(undefined);
    if (stored === 'delivered' || stored === 'duplicate') this.#redelivery.add(transactionId, callback, isVerified);
    if (stored === 'not-published') this.#health.report('no-channel');
    if (stored === undefined || stored === 'not-published') return err(cannotStore);
    if (stored !== 'unknown') return ok(stored);
    // Either no leg waits, or it could not be registered, because Redis refuses writes.
    const isReliable = this.#isSettled() && (await this.#health.within(this.#write())).isOk();
    return isReliable ? ok('unknown') : err(cannotStore);
  }

  /** Delivers the callback that another instance stored for a leg of this instance, if there is one. */
  async #fetch(transactionId: string): Promise<void> {
    if (!this.#registrations.has(transactionId)) return;
    const callback = await this.#client.get(this.#callbackKey(transactionId));
    if (callback !== null && this.#registrations.remove(transactionId))
      await this.#local.offer(transactionId, callback, { isVerified: true });
  }

  /** Runs after an interruption: Redis may have lost the registered legs, and wake-ups may have been missed. */
  async #catchUp(): Promise<void> {
    void this.#redeliver();
    this.#registrations.reportUnreported();
    const ids = this.#registrations.ids();
    for (let from = 0; from < ids.length; from += batchSize) {
      const caughtUp = await Promise.allSettled(
        ids
          .slice(from, from + batchSize)
          .flatMap((transactionId) => [this.#registrations.restore(transactionId), this.#fetch(transactionId)]),
      );
      // Refused while Redis is loading, full or a replica. The next check that passes calls this method again.
      if (caughtUp.some(({ status }) => status === 'rejected')) return this.#health.report('refused');
    }
    return undefined;
  }

  /** Stores buffered callbacks again. Retries those of unknown legs while their owners may not have registered them. */
  async #redeliver(): Promise<void> {
    const recovery = ++this.#recoveries;
    let left = this.#redelivery.all();
    while (left.length > 0 && recovery === this.#recoveries) {
      const unknown: BufferedCallback[] = [];
      for (const buffered of left) {
        const stored = await this.#writer.write(buffered.transactionId, buffered.callback, buffered.isVerified);
        if (stored.isErr()) return undefined; // retried after the next check that passes
        if (stored.value === 'not-published') return this.#health.report('no-channel');
        if (stored.value === 'unknown') unknown.push(buffered);
      }
      if (this.#isSettled()) return undefined;
      left = unknown;
      await new Promise<void>((resolve) => void this.#clock.after(redeliveryIntervalMs, resolve));
    }
    return undefined;
  }

  readonly #onWake = (transactionId: string): void => {
    this.#fetch(transactionId).catch(() => this.#health.report('refused'));
  };

  /** Whether every other instance has had time to reconnect to Redis and to register its legs. */
  #isSettled(): boolean {
    return this.#health.isHealthy && this.#health.healthyForMs >= this.#settlingMs;
  }

  readonly #write = (): Promise<unknown> =>
    this.#client.set(`${this.#prefix}probe`, this.#instance, { expiration: px(1000) });

  // The braces put both keys of a leg in the same cluster slot.
  readonly #legKey = (transactionId: string): string => `${this.#prefix}{${transactionId}}:leg`;

  readonly #callbackKey = (transactionId: string): string => `${this.#prefix}{${transactionId}}:callback`;

  get #wakeChannel(): string {
    return `${this.#prefix}wake:`;
  }
}

import { randomUUID } from 'node:crypto';
import {
  type CallbackExchange,
  callbackExchangeDefaults,
  type Clock,
  type Expectation,
  type Failure,
  memoryCallbackExchange,
  type OfferDetails,
  type OfferOutcome,
  overloaded,
} from '@portico/core';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { px, type RedisClient, redisClient } from '../client.ts';
import {
  closeWithin,
  connectionOptions,
  maxQueuedCommands,
  settlingMs as usualSettlingMs,
  unlessReplica,
} from '../connection/connection.ts';
import { AcceptedCallbacks } from './accepted-callbacks.ts';
import { CallbackReader } from './callback-reader.ts';
import { CallbackWriter } from './callback-writer.ts';
import { ConnectionHealth } from './connection-health.ts';
import { legKeys } from './leg-keys.ts';
import { largeBytes, type OfferedCallback, offeredCallback } from './offered-callback.ts';
import { redelivery } from './redelivery.ts';
import { admitted, Registrations, type WaitingLeg } from './registrations.ts';
import type { StoreOutcome } from './store-callback.ts';

export const redisExchangeDefaults = {
  prefix: 'portico:',
  commandTimeoutMs: 500,
  rememberMs: callbackExchangeDefaults.rememberMs,
  settlingMs: usualSettlingMs,
  maxCollectedBytes: callbackExchangeDefaults.maxCollectedBytes,
} as const;

/** Defaults: `redisExchangeDefaults`. */
export interface RedisExchangeSettings {
  /** `redis:` or `rediss:`; Redis 6.2, Valkey 7.2, or newer. */
  readonly url: string;
  readonly clock: Clock;
  /** The prefix of every key and channel. */
  readonly prefix?: string;
  /** The timeout of a Redis command. */
  readonly commandTimeoutMs?: number;
  /** How long a settled leg is remembered, to distinguish late callbacks from unknown ones. */
  readonly rememberMs?: number;
  /**
   * How long after each start and reconnection a callback with an unknown id is refused with 503, not acknowledged
   * and dropped, because another instance may not have registered its legs again.
   */
  readonly settlingMs?: number;
  /**
   * The maximum total size, in bytes, of the callbacks that were delivered to searches of this instance which have not ended.
   * Beyond it, callbacks that arrive at this instance fail `overloaded`, and so do those for legs that collect on every
   * instance. Other callbacks stay in Redis until there is memory. Catalogs in acknowledgements are delivered even then.
   */
  readonly maxCollectedBytes?: number;
}

export interface RedisCallbackExchange extends CallbackExchange {
  close(): Promise<void>;
}

/** The number of legs that are registered again at once. */
const batchSize = 500;

const cannotStore = overloaded();

/** What Redis has decided; undefined without a reply. */
type Stored = StoreOutcome | undefined;

type Offered = Promise<Result<OfferOutcome, Failure>>;

/**
 * Creates an exchange that delivers callbacks to searches on any instance. Redis stores which instance owns each leg,
 * and decides which callback is first, or which ones a leg that collects accepts. A callback that arrives on another
 * instance is stored in Redis, and the owner is woken. While Redis is slow or down, each instance delivers only the
 * callbacks of its own legs; others fail `overloaded`. Connects and reconnects in the background, and never fails to
 * start.
 */
export const redisCallbackExchange = (settings: RedisExchangeSettings): RedisCallbackExchange =>
  new RedisExchange(settings);

/** Queue limits while Redis does not reply. Tests use smaller ones. */
export const queueLimits = {
  maxQueuedCommands,
  /** The maximum number of ended legs that are reported later. Beyond it, the oldest are dropped. */
  maxUnreported: 10_000,
};

export class RedisExchange implements RedisCallbackExchange {
  readonly #instance = randomUUID();
  readonly #client: RedisClient;
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #commandTimeoutMs: number;
  readonly #settlingMs: number;
  /** Delivers callbacks to the legs of this instance, and remembers settled legs. */
  readonly #local: CallbackExchange;
  readonly #registrations: Registrations;
  readonly #accepted: AcceptedCallbacks;
  readonly #reader: CallbackReader;
  readonly #health: ConnectionHealth;
  readonly #writer: CallbackWriter;
  readonly #redelivery: ReturnType<typeof redelivery>;

  constructor(settings: RedisExchangeSettings, limits: Readonly<typeof queueLimits> = queueLimits) {
    const {
      url,
      clock,
      prefix = redisExchangeDefaults.prefix,
      commandTimeoutMs = redisExchangeDefaults.commandTimeoutMs,
      rememberMs = redisExchangeDefaults.rememberMs,
      settlingMs = redisExchangeDefaults.settlingMs,
      maxCollectedBytes = redisExchangeDefaults.maxCollectedBytes,
    } = settings;
    const { maxUnreported } = limits;
    const client = redisClient({
      ...connectionOptions(url),
      commandsQueueMaxLength: limits.maxQueuedCommands,
    });
    const keys = legKeys(prefix);
    const wakeChannel = `${prefix}wake:`;
    this.#client = client;
    this.#clock = clock;
    this.#prefix = prefix;
    this.#commandTimeoutMs = commandTimeoutMs;
    this.#settlingMs = settlingMs;
    // The limit applies before Redis accepts a callback.
    const local = memoryCallbackExchange(clock, { rememberMs, maxCollectedBytes: Infinity });
    const registrations = new Registrations({
      client,
      clock,
      instance: this.#instance,
      keys,
      rememberMs,
      maxUnreported,
    });
    const accepted = new AcceptedCallbacks(maxCollectedBytes, () => this.#readStalled());
    this.#local = local;
    this.#registrations = registrations;
    this.#accepted = accepted;
    this.#reader = new CallbackReader({ client, keys, registrations, accepted, local });
    const checked = unlessReplica(client);
    const health = new ConnectionHealth({
      client,
      clock,
      commandTimeoutMs,
      // On each connection: the client does not retry a subscription whose connection was lost before the reply.
      subscribe: () => client.subscribe(wakeChannel + this.#instance, this.#onWake),
      write: () => checked(this.#write()),
      onWritable: () => void this.#catchUp(),
    });
    this.#health = health;
    const writer = new CallbackWriter(health, async (callback) => {
      const keysOfLeg = keys(callback.transactionId);
      // Anyone can send large callbacks with invented ids, which would delay others on their way to Redis.
      const isLarge = callback.text !== '' && callback.size >= largeBytes;
      if (isLarge && (await client.exists(keysOfLeg.leg)) === 0) return 'unknown';
      return client.storeCallback(keysOfLeg, callback, { rememberMs, wakeChannel });
    });
    this.#writer = writer;
    this.#redelivery = redelivery({ clock, health, writer, isSettled: () => this.#isSettled() });
    client.on('error', () => {}); // reported by `degradedReason`; commands fail on their own
    client.connect().catch(() => {});
  }

  get pending(): number {
    return this.#local.pending;
  }

  get degradedReason(): string | undefined {
    return this.#health.degradedReason;
  }

  expect(expectations: readonly Expectation[], ttlMs: number): ResultAsync<void, Failure> {
    const registered = this.#registrations.add(expectations, ttlMs);
    const registeredLocally = this.#local.expect(expectations.map(admitted), ttlMs);
    if (this.#health.isHealthy) return new ResultAsync(this.#health.within(registered).then(() => ok(undefined)));
    registered.catch(() => {}); // registered again when Redis has recovered
    return registeredLocally;
  }

  release(transactionId: string): void {
    this.#local.release(transactionId);
    this.#accepted.remove(transactionId, this.#registrations.get(transactionId)?.expectation?.ended);
    this.#registrations.release(transactionId);
    this.#readStalled();
  }

  offer(transactionId: string, text: string, details: OfferDetails = {}): ResultAsync<OfferOutcome, Failure> {
    const callback = offeredCallback(transactionId, text, details);
    const leg = this.#registrations.get(transactionId);
    return new ResultAsync(leg ? this.#offerHere(leg, callback, details) : this.#offerElsewhere(callback, details));
  }

  async close(): Promise<void> {
    this.#health.close();
    this.#redelivery.close();
    await closeWithin(this.#client, this.#commandTimeoutMs, this.#clock.after);
  }

  /** Offers a callback to a leg of this instance. Redis still decides, because another instance may have been first. */
  async #offerHere(leg: WaitingLeg, callback: OfferedCallback, details: OfferDetails): Offered {
    const { transactionId, digest, size } = callback;
    if (leg.isVerifiedOnly && !callback.isVerified) return ok('unverified');
    if (leg.pairing && leg.pairing !== callback.pairing) return ok('mismatched');
    if (this.#accepted.has(transactionId, digest)) return ok('duplicate');
    if (!this.#accepted.hasRoomFor(size)) return err(cannotStore);
    const written = this.#writer.writeHere(callback, leg.until);
    // Others must not take the same memory while Redis decides.
    this.#accepted.keep(size, written);
    const stored = await written;
    return leg.collects
      ? this.#collectHere(leg, stored.unwrapOr(undefined), callback, details)
      : this.#deliverHere(leg, stored.unwrapOr(undefined), callback, details);
  }

  async #deliverHere(leg: WaitingLeg, stored: Stored, callback: OfferedCallback, details: OfferDetails): Offered {
    const { transactionId, text, size } = callback;
    if (stored === 'duplicate') {
      // Delivers the first callback if Redis still has it. Otherwise it is lost, and this one replaces it.
      await this.#health.withinQueue(this.#reader.read(transactionId), leg.until);
      if (this.#reader.isStalled(transactionId)) return err(cannotStore);
    }
    const ended = leg.expectation?.ended;
    this.#registrations.remove(transactionId);
    if (stored === undefined) this.#registrations.reportDelivered(transactionId);
    const outcome = await this.#local.offer(transactionId, text, details);
    if (outcome.isOk() && outcome.value === 'delivered') this.#accepted.keep(size, ended);
    return outcome;
  }

  /** Like `#deliverHere`, for a leg that collects. Redis knows what others have accepted and this instance has not read. */
  async #collectHere(leg: WaitingLeg, stored: Stored, callback: OfferedCallback, details: OfferDetails): Offered {
    if (stored === 'full') {
      // Delivers those before it, and then reports the overflow.
      await this.#health.within(this.#reader.read(callback.transactionId), leg.until);
      return ok('full');
    }
    // Delivers also what another instance has stored: it arrives once, even if Redis loses it.
    const outcome = await this.#reader.deliver(callback, details);
    return ok(stored === 'repeated' && outcome === 'delivered' ? 'duplicate' : outcome);
  }

  async #offerElsewhere(callback: OfferedCallback, details: OfferDetails): Offered {
    const localOutcome = await this.#local.offer(callback.transactionId, callback.text, details);
    if (localOutcome.isErr() || localOutcome.value !== 'unknown') return localOutcome;
    const stored = (await this.#writer.writeInTurn(callback)).unwrapOr(undefined);
    const isCollected = stored === 'collected' || stored === 'repeated';
    if (isCollected || stored === 'delivered' || stored === 'duplicate') this.#redelivery.add(callback, stored);
    if (isCollected) return ok(stored === 'collected' ? 'delivered' : 'duplicate');
    if (stored === 'not-published') this.#health.report('no-channel');
    if (stored === undefined || stored === 'not-published' || stored === 'overloaded') return err(cannotStore);
    if (stored !== 'unknown') return ok(stored);
    // Either no leg waits, or it could not be registered, because Redis refuses writes.
    const isReliable = this.#isSettled() && (await this.#health.within(this.#write())).isOk();
    return isReliable ? ok('unknown') : err(cannotStore);
  }

  /** Runs after an interruption: Redis may have lost the registered legs, and wake-ups may have been missed. */
  async #catchUp(): Promise<void> {
    void this.#redelivery.run();
    this.#registrations.reportUnreported();
    const ids = this.#registrations.ids();
    for (let from = 0; from < ids.length; from += batchSize) {
      const caughtUp = await Promise.allSettled(
        ids
          .slice(from, from + batchSize)
          .flatMap((id) => [this.#registrations.restore(id, this.#accepted.of(id)), this.#reader.read(id)]),
      );
      // Refused while Redis is loading, full or a replica. The next check that passes calls this method again.
      if (caughtUp.some(({ status }) => status === 'rejected')) return this.#health.report('refused');
    }
    return undefined;
  }

  readonly #onWake = (transactionId: string): void => {
    this.#reader.read(transactionId).catch(this.#reportRefused);
  };

  #readStalled(): void {
    this.#reader.readStalled().catch(this.#reportRefused);
  }

  readonly #reportRefused = (): void => this.#health.report('refused');

  /** Whether every other instance has had time to reconnect to Redis and to register its legs. */
  #isSettled(): boolean {
    return this.#health.isHealthy && this.#health.healthyForMs >= this.#settlingMs;
  }

  readonly #write = (): Promise<unknown> =>
    this.#client.set(`${this.#prefix}probe`, this.#instance, { expiration: px(1000) });
}

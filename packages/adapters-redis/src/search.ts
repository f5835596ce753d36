import { randomUUID } from 'node:crypto';
import {
  type CallbackExchange,
  type CallbackFate,
  type Clock,
  type Failure,
  type Json,
  memoryCallbackExchange,
} from '@portico/core';
import { createClient } from '@redis/client';
import { err, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import { placeCallback } from './place-callback.ts';

export interface RedisExchangeSettings {
  /** `redis:` or `rediss:`; Redis 6.2, Valkey 7.2, or newer. */
  readonly url: string;
  readonly clock: Clock;
  /** Before every key and channel. Default `portico:`. */
  readonly prefix?: string;
  /** How long a search or a callback waits for an answer of Redis. Default 500. */
  readonly commandTimeoutMs?: number;
  /** How long a settled leg is remembered, to tell a late callback from an unknown one. Default 60 000. */
  readonly rememberMs?: number;
}

export interface RedisCallbackExchange extends CallbackExchange {
  close(): Promise<void>;
}

/** How long a callback stays when its owner has read it: that answer may be lost on the way. */
const readAgainMs = 5000;

/**
 * Callbacks find their search on any instance. Who waits for what is known to its owner and to Redis; Redis decides which
 * callback is first; one that lands elsewhere is kept there, and its owner is woken. While Redis is slow or gone, searches
 * go on with what their owner knows, and a callback that cannot be placed fails `overloaded`. Connects by itself, and
 * never fails to start.
 */
export const redisCallbackExchange = ({
  url,
  clock,
  prefix = 'portico:',
  commandTimeoutMs = 500,
  rememberMs = 60_000,
}: RedisExchangeSettings): RedisCallbackExchange => {
  const instance = randomUUID();
  const local = memoryCallbackExchange(clock, { rememberMs });
  /** What waits here: to be registered again when Redis has forgotten it. */
  const waiting = new Map<string, { readonly legId: string; readonly until: number }>();
  const wakeChannel = `${prefix}wake:`;
  // The braces keep both keys of a leg in one slot of a cluster.
  const legKey = (transactionId: string) => `${prefix}{${transactionId}}:leg`;
  const callbackKey = (transactionId: string) => `${prefix}{${transactionId}}:callback`;

  const client = createClient({
    url,
    scripts: { placeCallback },
    disableOfflineQueue: true,
    commandsQueueMaxLength: 50_000,
    // A connection that is dead without a word is found out by the pings that get no answer.
    pingInterval: 1000,
    socket: {
      connectTimeout: 2000,
      socketTimeout: 5000,
      reconnectStrategy: (retries) => Math.min(25 * 2 ** retries, 1000),
    },
  });

  let isSlow = false;
  const probe = () => void client.ping().then(recover, () => void clock.after(1000, probe));
  const recover = () => {
    isSlow = false;
  };

  /** The answer of Redis, or nothing when it does not come in time. */
  const within = async <T>(asked: Promise<T>): Promise<Result<T, undefined>> => {
    const late = Promise.withResolvers<'late'>();
    const cancel = clock.after(commandTimeoutMs, () => late.resolve('late'));
    const settled: Promise<Result<T, undefined>> = asked.then(
      (answer) => ok(answer),
      () => err(undefined),
    );
    const answer = await Promise.race([settled, late.promise]);
    cancel();
    if (answer !== 'late') {
      if (answer.isOk()) recover();
      return answer;
    }
    if (!isSlow) void clock.after(1000, probe);
    isSlow = true;
    return err(undefined);
  };

  const register = (transactionId: string, legId: string, ttlMs: number, onlyIfNew = false) =>
    client.set(legKey(transactionId), `w${instance}:${legId}`, {
      expiration: { type: 'PX', value: Math.ceil(ttlMs) + rememberMs },
      ...(onlyIfNew && { condition: 'NX' as const }),
    });

  const place = (transactionId: string, callback = ''): Promise<CallbackFate> =>
    client.placeCallback(legKey(transactionId), callbackKey(transactionId), {
      callback,
      rememberMs,
      wakeChannel,
      transactionId,
    });

  /** Brings home a callback that was left for somebody who waits here. */
  const fetch = async (transactionId: string): Promise<void> => {
    if (!waiting.has(transactionId)) return;
    const text = await client.getEx(callbackKey(transactionId), { type: 'PX', value: readAgainMs });
    if (text === null) return;
    waiting.delete(transactionId);
    await local.offer(transactionId, { text, value: JSON.parse(text) as unknown });
  };

  /** After a gap: Redis may have forgotten who waits, and we may have slept through a wake-up. */
  const catchUp = async (): Promise<void> => {
    const all = [...waiting];
    for (let next = all.splice(0, 500); next.length > 0; next = all.splice(0, 500))
      await Promise.all(
        next.flatMap(([transactionId, { legId, until }]) => [
          register(transactionId, legId, Math.max(1, until - clock.monotonic()), true),
          fetch(transactionId),
        ]),
      );
  };

  let isSubscribed = false;
  client.on('error', () => {}); // told by `trouble`; what was asked fails by itself
  client.on('ready', () => {
    const subscribed = isSubscribed
      ? Promise.resolve()
      : client.subscribe(wakeChannel + instance, (transactionId) => void fetch(transactionId).catch(() => {}));
    isSubscribed = true;
    subscribed.then(catchUp).catch(() => {
      // The connection is gone again; the next one begins anew.
    });
  });
  client.connect().catch(() => {});

  const forget = (transactionId: string): void => {
    waiting.delete(transactionId);
  };

  /** Somebody waits here. Redis is asked all the same, because another instance may have been first. */
  const offerHere = async (transactionId: string, callback: Json): Promise<Result<CallbackFate, Failure>> => {
    const placed = client.isReady && !isSlow ? await within(place(transactionId)) : err(undefined);
    if (placed.isOk() && placed.value === 'duplicate') return ok('duplicate');
    forget(transactionId);
    return local.offer(transactionId, callback);
  };

  const offerElsewhere = async (transactionId: string, { text }: Json): Promise<Result<CallbackFate, Failure>> => {
    const known = await local.offer(transactionId, { text, value: undefined });
    if (known.isErr() || known.value !== 'unknown') return known;
    const placed = client.isReady ? await within(place(transactionId, text)) : err(undefined);
    return placed.mapErr((): Failure => ({ kind: 'overloaded', retryAfterSeconds: 1 }));
  };

  /** Asked twice for each callback where signatures count, before and after its body is parsed. */
  const askedLegs = new Map<string, Promise<Result<string | undefined, Failure>>>();
  const legElsewhere = async (transactionId: string): Promise<Result<string | undefined, Failure>> => {
    const found = client.isReady ? await within(client.get(legKey(transactionId))) : err(undefined);
    return found
      .map((state) => /^w[^:]*:(.*)$/s.exec(state ?? '')?.[1])
      .mapErr((): Failure => ({ kind: 'overloaded', retryAfterSeconds: 1 }));
  };

  return {
    expect: (expectations, ttlMs) => {
      const until = clock.monotonic() + ttlMs;
      for (const { transactionId, legId } of expectations) waiting.set(transactionId, { legId, until });
      // Asked for in one go, so that they are one round trip.
      const registered = Promise.all(
        expectations.map(({ transactionId, legId }) => register(transactionId, legId, ttlMs)),
      );
      const known = local.expect(expectations, ttlMs);
      if (client.isReady && !isSlow) return new ResultAsync(within(registered).then(() => ok(undefined)));
      registered.catch(() => {});
      return known;
    },
    release: (transactionId) => {
      local.release(transactionId);
      if (!waiting.delete(transactionId)) return;
      client
        .set(legKey(transactionId), 'r', { expiration: { type: 'PX', value: rememberMs }, condition: 'XX' })
        .catch(() => {});
    },
    offer: (transactionId, callback) =>
      new ResultAsync(
        waiting.has(transactionId) ? offerHere(transactionId, callback) : offerElsewhere(transactionId, callback),
      ),
    legOf: (transactionId) => {
      const here = waiting.get(transactionId);
      if (here) return okAsync(here.legId);
      const asked = askedLegs.get(transactionId) ?? legElsewhere(transactionId);
      if (!askedLegs.delete(transactionId)) {
        if (askedLegs.size >= 1000) askedLegs.clear();
        askedLegs.set(transactionId, asked);
      }
      return new ResultAsync(asked);
    },
    get pending() {
      return local.pending;
    },
    get trouble() {
      if (!client.isReady) return 'Redis cannot be reached: callbacks must land where their search waits';
      return isSlow ? 'Redis is slow: callbacks must land where their search waits' : undefined;
    },
    close: async () => {
      if (client.isReady) await client.close();
      else client.destroy();
    },
  };
};

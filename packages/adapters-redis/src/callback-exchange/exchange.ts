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
import { connectionOptions } from './connection-options.ts';
import { keptCallbacks } from './kept-callbacks.ts';
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

/** Without an answer for so long, a connection is given up. */
const deadAfterMs = 4000;

/** By then every instance has found Redis again and said who waits. */
const unsureMs = 3000;

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
    ...connectionOptions,
  });

  /** Since when Redis has not answered in time, or not taken a key. */
  let troubledSince: number | undefined;
  let isClosed = false;
  /** Until then another instance may not have said again who waits there. */
  let unsureUntil = -Infinity;

  const writeProbe = () => client.set(`${prefix}probe`, instance, { expiration: px(1000) });
  const probe = async (): Promise<void> => {
    if (isClosed || troubledSince === undefined) return;
    // A write, because a Redis that is full or a replica answers everything else.
    if (client.isReady && (await within(writeProbe())).isOk()) return;
    if (isClosed) return;
    // Pings are no help here: what is written meanwhile makes a dead connection look alive.
    if (client.isReady && clock.monotonic() - troubledSince > deadAfterMs) {
      client.destroy();
      client.connect().catch(() => {});
    }
    clock.after(1000, () => void probe());
  };
  const noteTrouble = (): void => {
    if (troubledSince !== undefined || isClosed) return;
    troubledSince = clock.monotonic();
    clock.after(1000, () => void probe());
  };
  const noteAnswer = (): void => {
    if (troubledSince === undefined) return;
    troubledSince = undefined;
    unsureUntil = clock.monotonic() + unsureMs;
    void catchUp();
  };

  /** The answer of Redis, or nothing when it does not come in time. */
  const within = async <T>(asked: Promise<T>): Promise<Result<T, undefined>> => {
    const late = Promise.withResolvers<Result<T, undefined>>();
    const cancel = clock.after(commandTimeoutMs, () => late.resolve(err(undefined)));
    const settled: Promise<Result<T, undefined>> = asked.then(
      (answer) => ok(answer),
      () => err(undefined),
    );
    const answer = await Promise.race([settled, late.promise]);
    cancel();
    if (answer.isErr()) noteTrouble();
    else noteAnswer();
    return answer;
  };
  const isWell = () => client.isReady && troubledSince === undefined;

  const register = (transactionId: string, legId: string, ttlMs: number, onlyIfNew = false) =>
    client.set(legKey(transactionId), `w${instance}:${legId}`, {
      expiration: px(Math.ceil(ttlMs) + rememberMs),
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
    const text = await client.getEx(callbackKey(transactionId), px(readAgainMs));
    if (text === null) return;
    waiting.delete(transactionId);
    await local.offer(transactionId, { text, value: JSON.parse(text) as unknown });
  };

  /** What was settled here while Redis could not be told: the oldest is given up for the newest. */
  const untold = new Map<string, 'd' | 'r'>();
  const tell = (transactionId: string, fate: 'd' | 'r'): void => {
    client.set(legKey(transactionId), fate, { expiration: px(rememberMs), condition: 'XX' }).catch(() => {
      const [oldest] = untold.keys();
      if (untold.size >= 10_000 && oldest !== undefined) untold.delete(oldest);
      untold.set(transactionId, fate);
    });
  };

  // Not while others may still be on their way back: then what was kept may be wanted.
  const kept = keptCallbacks(clock, () => isWell() && clock.monotonic() > unsureUntil);
  const handOverAgain = async (): Promise<void> => {
    for (const [transactionId, text] of kept.all()) {
      const placed = await within(place(transactionId, text));
      if (placed.isErr()) return;
      // While it is unknown, its owner may not have said again that it waits.
      if (placed.value !== 'unknown') kept.drop(transactionId);
    }
    if (kept.all().length > 0 && clock.monotonic() < unsureUntil) clock.after(250, () => void handOverAgain());
  };

  /** After a gap: Redis may have forgotten who waits, and we may have slept through a wake-up. */
  const catchUp = async (): Promise<void> => {
    void handOverAgain();
    const told = [...untold];
    untold.clear();
    for (const [transactionId, fate] of told) tell(transactionId, fate);
    const all = [...waiting];
    for (let next = all.splice(0, 500); next.length > 0; next = all.splice(0, 500))
      await Promise.allSettled(
        next.flatMap(([transactionId, { legId, until }]) => [
          register(transactionId, legId, Math.max(1, until - clock.monotonic()), true),
          fetch(transactionId),
        ]),
      );
  };

  const onWake = (transactionId: string) => void fetch(transactionId).catch(() => {});
  let hasConnected = false;
  client.on('error', () => {}); // told by `trouble`; what was asked fails by itself
  client.on('ready', () => {
    if (hasConnected) unsureUntil = clock.monotonic() + unsureMs;
    hasConnected = true;
    // Every time: a subscription that broke off before it was made is not made up for by the client.
    client
      .subscribe(wakeChannel + instance, onWake)
      .then(catchUp)
      .catch(() => {}); // the connection is gone again; the next one begins anew
  });
  client.connect().catch(() => {});

  const forget = (transactionId: string): void => {
    waiting.delete(transactionId);
  };

  const cannotPlace: Failure = { kind: 'overloaded', retryAfterSeconds: 1 };

  /** Somebody waits here. Redis is asked all the same, because another instance may have been first. */
  const offerHere = async (transactionId: string, callback: Json): Promise<Result<CallbackFate, Failure>> => {
    const placed = isWell() ? await within(place(transactionId)) : err(undefined);
    if (placed.isOk() && placed.value === 'duplicate') return ok('duplicate');
    forget(transactionId);
    if (placed.isErr()) tell(transactionId, 'd');
    return local.offer(transactionId, callback);
  };

  const offerElsewhere = async (transactionId: string, { text }: Json): Promise<Result<CallbackFate, Failure>> => {
    const known = await local.offer(transactionId, { text, value: undefined });
    if (known.isErr() || known.value !== 'unknown') return known;
    const placed = client.isReady ? await within(place(transactionId, text)) : err(undefined);
    if (placed.isErr()) return err(cannotPlace);
    if (placed.value === 'delivered') kept.keep(transactionId, text);
    if (placed.value !== 'unknown') return ok(placed.value);
    // Nobody waits, or nobody could say so: a Redis that takes no keys knows of nobody.
    const isSure = clock.monotonic() > unsureUntil && (await within(writeProbe())).isOk();
    return isSure ? ok('unknown') : err(cannotPlace);
  };

  const legElsewhere = async (transactionId: string): Promise<Result<string | undefined, Failure>> => {
    const found = client.isReady ? await within(client.get(legKey(transactionId))) : err(undefined);
    return found.map((state) => /^w[^:]*:(.*)$/s.exec(state ?? '')?.[1]).mapErr(() => cannotPlace);
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
      if (isWell()) return new ResultAsync(within(registered).then(() => ok(undefined)));
      registered.catch(() => {});
      return known;
    },
    release: (transactionId) => {
      local.release(transactionId);
      if (waiting.delete(transactionId)) tell(transactionId, 'r');
    },
    offer: (transactionId, callback) =>
      new ResultAsync(
        waiting.has(transactionId) ? offerHere(transactionId, callback) : offerElsewhere(transactionId, callback),
      ),
    legOf: (transactionId) => {
      const here = waiting.get(transactionId);
      return here ? okAsync(here.legId) : new ResultAsync(legElsewhere(transactionId));
    },
    get pending() {
      return local.pending;
    },
    get trouble() {
      if (!client.isReady) return 'Redis cannot be reached: callbacks must land where their search waits';
      return isWell() ? undefined : 'Redis is slow or takes no keys: callbacks must land where their search waits';
    },
    close: async () => {
      isClosed = true;
      kept.clear();
      const late = Promise.withResolvers<void>();
      const cancel = clock.after(commandTimeoutMs, late.resolve);
      if (client.isReady) await Promise.race([client.close().catch(() => {}), late.promise]);
      cancel();
      if (client.isOpen) client.destroy();
    },
  };
};

const px = (value: number) => ({ type: 'PX' as const, value });

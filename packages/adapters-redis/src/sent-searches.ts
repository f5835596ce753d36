import {
  type Failure,
  memorySentSearches,
  type SentSearch,
  type SentSearches,
  sentSearchesDefaults,
  upstream,
} from '@portico/core';
import { systemClock } from '@portico/core/system';
import { err, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import type { RedisCommandClient } from './connection/command-client.ts';
import { commandHealth } from './connection/command-health.ts';
import { settlingMs } from './connection/connection.ts';
import { scriptRunner } from './connection/script-runner.ts';

export const redisSentSearchesDefaults = {
  prefix: 'portico:sent:',
  rememberMs: sentSearchesDefaults.rememberMs,
  waitMs: 250,
} as const;

/** Defaults: `redisSentSearchesDefaults`. */
export interface RedisSentSearchesSettings {
  readonly client: RedisCommandClient;
  /** The prefix of every key. */
  readonly prefix?: string;
  /** The time to remember a search. */
  readonly rememberMs?: number;
  /** The maximum time that a search or a callback waits for Redis, in milliseconds. */
  readonly waitMs?: number;
}

/** A search of this instance. */
interface RecentSearch {
  readonly value: string;
  readonly until: number;
  /** Whether it was sent to the Redis of this connection, which did not refuse it. */
  isStored: boolean;
}

const store = "return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])";
const load = "return redis.call('GET', KEYS[1])";

/**
 * Remembers what was sent for all instances, and for this one also in memory: without Redis, the callbacks that arrive at the
 * instance of their search can still be verified. The others fail `upstream`, so that sellers send them again.
 */
export const redisSentSearches = ({
  client,
  prefix = redisSentSearchesDefaults.prefix,
  rememberMs = redisSentSearchesDefaults.rememberMs,
  waitMs = redisSentSearchesDefaults.waitMs,
}: RedisSentSearchesSettings): SentSearches => {
  const local = memorySentSearches({ clock: systemClock, rememberMs });
  const health = commandHealth({ client, prefix, onRecovered: () => storeAgain() });
  const runScript = scriptRunner({ client, waitMs, health });
  const run = async (script: string, transactionId: string, values: string[]): Promise<Result<unknown, Failure>> =>
    (await runScript(script, [prefix + transactionId], values)).mapErr(() => unreachable);
  /** The searches of this instance that are not forgotten, oldest first. */
  const recent = new Map<string, RecentSearch>();
  const forgetExpired = (now: number): void => {
    for (const [transactionId, { until }] of recent) {
      if (until > now && recent.size <= maxRecent) return;
      recent.delete(transactionId);
    }
  };
  let connectedAt = -Infinity;
  const isSettled = () => systemClock.monotonic() - connectedAt >= settlingMs;
  /** Stores what Redis has not confirmed. */
  const storeAgain = (): void => {
    const now = systemClock.monotonic();
    connectedAt = now;
    forgetExpired(now);
    for (const [transactionId, search] of recent) {
      if (search.isStored) continue;
      search.isStored = true;
      const { value, until } = search;
      const keep = { keys: [prefix + transactionId], arguments: [value, String(Math.ceil(until - now))] };
      client.eval(store, keep).catch(() => {
        search.isStored = false;
        // It is stored after the next check, or at the next connection.
        health.report('refused');
      });
    }
  };
  client.onConnected?.(() => {
    // Redis may have lost them.
    for (const search of recent.values()) search.isStored = false;
    storeAgain();
  });
  const findShared = async (transactionId: string): Promise<Result<SentSearch | undefined, Failure>> => {
    const found = await run(load, transactionId, []);
    return found.andThen((text) => (text === null && !isSettled() ? err(unreachable) : ok(sentSearchIn(text))));
  };
  return {
    remember: async (transactionId, sent) => {
      const now = systemClock.monotonic();
      const value = JSON.stringify(sent);
      const search: RecentSearch = { value, until: now + rememberMs, isStored: true };
      recent.set(transactionId, search);
      forgetExpired(now);
      await local.remember(transactionId, sent);
      const stored = await run(store, transactionId, [value, String(rememberMs)]);
      if (stored.isErr()) search.isStored = false;
    },
    find: (transactionId) =>
      local.find(transactionId).andThen((own) => (own ? okAsync(own) : new ResultAsync(findShared(transactionId)))),
    get degradedReason() {
      return health.degradedReason('callbacks of other instances cannot be verified');
    },
  };
};

/** The maximum number of searches that are stored again. Beyond it, the oldest are left out. */
const maxRecent = 10_000;

const unreachable: Failure = upstream('search', 'unreachable');

const sentSearchIn = (text: unknown): SentSearch | undefined => {
  if (typeof text !== 'string') return undefined;
  try {
    const { legId, signature } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof legId !== 'string') return undefined;
    return typeof signature === 'string' ? { legId, signature } : { legId };
  } catch {
    return undefined;
  }
};

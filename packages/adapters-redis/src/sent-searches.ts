import { memorySentSearches, type SentSearch, type SentSearches } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { replyWithin } from './connection.ts';
import type { RedisLimiterClient } from './rate-limiter.ts';

export interface RedisSentSearchesSettings {
  readonly client: RedisLimiterClient;
  /** The prefix of every key. Default `portico:sent:`. */
  readonly prefix?: string;
  /** The time to remember a search. Default 60,000. */
  readonly rememberMs?: number;
  /** The maximum time that a search or a callback waits for Redis, in milliseconds. Default 250. */
  readonly waitMs?: number;
  /** Remembers the searches of this instance, for when Redis does not respond. Default: `memorySentSearches`. */
  readonly local?: SentSearches;
}

const store = "return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])";
const load = "return redis.call('GET', KEYS[1])";

/**
 * Remembers what was sent for all instances, and for this one also in memory: without Redis, the callbacks that arrive at the
 * instance of their search can still be verified.
 */
export const redisSentSearches = ({
  client,
  prefix = 'portico:sent:',
  rememberMs = 60_000,
  waitMs = 250,
  local = memorySentSearches({ clock: systemClock, rememberMs }),
}: RedisSentSearchesSettings): SentSearches => {
  const replyTo = async (script: string, transactionId: string, values: string[] = []): Promise<unknown> => {
    if (!client.isReady) return undefined;
    const reply = client.eval(script, { keys: [prefix + transactionId], arguments: values });
    return (await replyWithin(reply, waitMs, systemClock.after)).unwrapOr(undefined);
  };
  return {
    remember: async (transactionId, sent) => {
      await local.remember(transactionId, sent);
      await replyTo(store, transactionId, [JSON.stringify(sent), String(rememberMs)]);
    },
    find: async (transactionId) =>
      (await local.find(transactionId)) ?? sentSearchIn(await replyTo(load, transactionId)),
  };
};

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

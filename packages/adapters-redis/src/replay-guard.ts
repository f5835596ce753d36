import { memoryReplayGuard, type ReplayCheck, type ReplayGuard } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { replyWithin } from './connection/connection.ts';
import type { RedisCommandClient } from './connection/command-client.ts';
import { commandHealth } from './connection/command-health.ts';

export const redisReplayGuardDefaults = { prefix: 'portico:once:', waitMs: 250 } as const;

/** Defaults: `redisReplayGuardDefaults`. */
export interface RedisReplayGuardSettings {
  /** Can be shared with rate limiters. */
  readonly client: RedisCommandClient;
  /** The prefix of every key. */
  readonly prefix?: string;
  /** The maximum time that a request waits for Redis, in milliseconds. */
  readonly waitMs?: number;
  /** Remembers the values of this instance, for when Redis does not respond. Default: `memoryReplayGuard`. */
  readonly local?: ReplayGuard;
}

/** The value is stored only if the key does not exist, and expires. */
const script = "return redis.call('SET', KEYS[1], '1', 'NX', 'EX', ARGV[1])";

/**
 * Remembers values for all instances. Values are also remembered by this instance: while Redis is down or slow, a value can
 * be used once on each instance, and no request fails. Values must be digests: they become keys of Redis.
 */
export const redisReplayGuard = ({
  client,
  prefix = redisReplayGuardDefaults.prefix,
  waitMs = redisReplayGuardDefaults.waitMs,
  local = memoryReplayGuard({ clock: systemClock }),
}: RedisReplayGuardSettings): ReplayGuard => {
  const health = commandHealth({ client, prefix });

  const useShared = async (value: string, seconds: number): Promise<ReplayCheck> => {
    if (!client.isReady || health.isFailing) return 'first';
    const stored = client.eval(script, { keys: [prefix + value], arguments: [String(seconds)] });
    const reply = await replyWithin(stored, waitMs, systemClock.after);
    return reply
      .orTee(health.report)
      .map((isFirst) => (isFirst === null ? 'repeated' : 'first'))
      .unwrapOr('first');
  };

  return {
    use: async (value, seconds) => {
      const own = await local.use(value, seconds);
      return own === 'first' ? useShared(value, seconds) : own;
    },
    get degradedReason() {
      return health.degradedReason('a DPoP proof or logout token can be used once on each instance');
    },
  };
};

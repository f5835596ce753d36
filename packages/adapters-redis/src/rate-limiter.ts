import { hash } from 'node:crypto';
import type { Allowance, RateLimiter } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisCommandClient } from './connection/command-client.ts';
import { commandHealth } from './connection/command-health.ts';
import { replyWithin } from './connection/connection.ts';

export const redisRateLimiterDefaults = { prefix: 'portico:limit:', waitMs: 250 } as const;

/** Defaults: `redisRateLimiterDefaults`. */
export interface RedisRateLimiterSettings {
  /** Can be shared by several limiters. */
  readonly client: RedisCommandClient;
  /** The number of requests that a caller may make in one window, on all instances together. */
  readonly requests: number;
  /** The length of a window, which starts with a caller's first request. An integer. */
  readonly seconds: number;
  /** The prefix of every key. Limiters that count separately need different prefixes. */
  readonly prefix?: string;
  /** The maximum time that a request waits for Redis. */
  readonly waitMs?: number;
}

const allowed: Allowance = { isAllowed: true };

/**
 * Creates a rate limiter that all instances share. While Redis is down, every request is allowed at once. When it
 * hangs, pending requests are allowed after `waitMs`, and later ones at once until it responds again. Keys are SHA-256
 * digests of the callers and expire with the window. Throws `TypeError` for numbers that are not positive, except
 * `requests: 0`.
 */
export const redisRateLimiter = ({
  client,
  requests,
  seconds,
  prefix = redisRateLimiterDefaults.prefix,
  waitMs = redisRateLimiterDefaults.waitMs,
}: RedisRateLimiterSettings): RateLimiter => {
  if (!(requests >= 0 && seconds > 0 && waitMs > 0))
    throw new TypeError('The numbers of a rate limiter must be positive; requests may be 0.');
  const limiter = new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: true,
    points: requests,
    duration: seconds,
    keyPrefix: '',
    // Callers over their limit are remembered in memory, so that their requests cause no Redis commands.
    inMemoryBlockOnConsumed: requests,
  });
  const health = commandHealth({ client, prefix });
  let lastMs = 0;

  const consume = async (caller: string): Promise<Allowance> => {
    // The callers in memory are remembered until a time of the wall clock, which may be set back.
    const nowMs = systemClock.now();
    if (nowMs < lastMs) limiter.deleteInMemoryBlockedAll();
    lastMs = nowMs;
    try {
      await limiter.consume(prefix + hash('sha256', caller, 'base64url'));
      return allowed;
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal;
      const { msBeforeNext } = refusal as RateLimiterRes;
      return { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
    }
  };

  return {
    take: async (caller) => {
      if (!client.isReady || health.isFailing) return allowed;
      const allowance = await replyWithin(consume(caller), waitMs, systemClock.after);
      return allowance.orTee(health.report).unwrapOr(allowed);
    },
    get degradedReason() {
      return health.degradedReason('rate limits are not enforced');
    },
  };
};

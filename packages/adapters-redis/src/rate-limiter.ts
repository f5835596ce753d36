import { createHash } from 'node:crypto';
import type { Allowance, RateLimiter } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisCommandClient } from './command-client.ts';
import { replyWithin } from './connection.ts';

export interface RedisRateLimiterSettings {
  /** Can be shared by several limiters. */
  readonly client: RedisCommandClient;
  /** The number of requests that a caller may make in one window, on all instances together. */
  readonly requests: number;
  /** The length of a window, which starts with a caller's first request. An integer. */
  readonly seconds: number;
  /** The prefix of every key. Limiters that count separately need different prefixes. Default `portico:limit:`. */
  readonly prefix?: string;
  /** The maximum time that a request waits for Redis. Default 250. */
  readonly waitMs?: number;
}

const allowed: Allowance = { isAllowed: true };

/**
 * Creates a rate limiter that all instances share. While Redis is down, every request is allowed at once. When it
 * hangs, pending requests are allowed after `waitMs`, and later ones at once until it responds again. Keys are SHA-256
 * digests of the callers and expire with the window.
 */
export const redisRateLimiter = ({
  client,
  requests,
  seconds,
  prefix = 'portico:limit:',
  waitMs = 250,
}: RedisRateLimiterSettings): RateLimiter => {
  const limiter = new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: true,
    points: requests,
    duration: seconds,
    keyPrefix: '',
    // Callers over their limit are remembered in memory, so that their requests cause no Redis commands.
    inMemoryBlockOnConsumed: requests,
  });
  /** The number of commands without a reply. Their requests may have timed out and been allowed. */
  let pendingCommands = 0;
  let isFailing = false;

  const consume = async (caller: string): Promise<Allowance> => {
    pendingCommands++;
    try {
      await limiter.consume(prefix + createHash('sha256').update(caller).digest('base64url'));
      isFailing = false;
      return allowed;
    } catch (refusal) {
      if (refusal instanceof Error) {
        isFailing = client.isReady;
        return allowed;
      }
      const { consumedPoints, msBeforeNext } = refusal as RateLimiterRes;
      // Without points it was refused from memory, which shows nothing about Redis.
      if (consumedPoints > 0) isFailing = false;
      return { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
    } finally {
      pendingCommands--;
    }
  };

  const withTimeout = async (pending: Promise<Allowance>): Promise<Allowance> => {
    const allowance = await replyWithin(pending, waitMs, systemClock.after);
    if (allowance.isErr()) isFailing = true;
    return allowance.unwrapOr(allowed);
  };

  return {
    take: async (caller) => {
      if (!client.isReady) return allowed;
      if (!isFailing) return withTimeout(consume(caller));
      // Checks with one command at a time whether Redis responds again. More would make a dead connection look alive.
      if (pendingCommands === 0) void consume(caller);
      return allowed;
    },
    get degradedReason() {
      if (!client.isReady) return 'Redis is unreachable; rate limits are not enforced';
      return isFailing ? 'Redis is slow or refuses writes; rate limits are not enforced' : undefined;
    },
  };
};

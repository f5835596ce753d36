import { createHash } from 'node:crypto';
import type { Allowance, RateLimiter } from '@portico/core';
import { createClient } from '@redis/client';
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { connectionOptions, replyWithin } from './connection.ts';

/** What a limiter needs of a connection; the clients of `@redis/client` have it. */
export interface RedisLimiterClient {
  readonly isReady: boolean;
  eval(script: string, options: { readonly keys: string[]; readonly arguments: string[] }): Promise<unknown>;
}

export interface RedisRateLimiterSettings {
  /** Any number of limiters may share one. */
  readonly client: RedisLimiterClient;
  /** How often a caller is let through in one window, by all instances together. */
  readonly requests: number;
  /** How long a window lasts, from a caller's first request: whole seconds. */
  readonly seconds: number;
  /** Before every key; limiters that count apart need one each. Default `portico:limit:`. */
  readonly prefix?: string;
  /** How long a request waits for Redis. Default 250. */
  readonly waitMs?: number;
}

const letThrough: Allowance = { isAllowed: true };

const after = (ms: number, task: () => void) => {
  const timer = setTimeout(task, ms).unref();
  return () => clearTimeout(timer);
};

/**
 * Counts callers for all instances. While Redis is gone everybody is let through at once; when it hangs, those who asked
 * by then wait for `waitMs`, and nobody after them until it answers again. Redis never learns who a caller is: keys are
 * digests (SHA-256), and live as long as the window.
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
    // Who has had its share is remembered here: its further requests cost Redis nothing.
    inMemoryBlockOnConsumed: requests,
  });
  /** What is asked of Redis and not answered yet, by requests that may have gone on without it. */
  let asking = 0;
  let isFailing = false;

  const ask = async (caller: string): Promise<Allowance> => {
    asking++;
    try {
      await limiter.consume(prefix + createHash('sha256').update(caller).digest('base64url'));
      isFailing = false;
      return letThrough;
    } catch (refusal) {
      if (refusal instanceof Error) {
        isFailing = client.isReady;
        return letThrough;
      }
      const { consumedPoints, msBeforeNext } = refusal as RateLimiterRes;
      // Without points it was refused from memory, and says nothing of Redis.
      if (consumedPoints > 0) isFailing = false;
      return { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
    } finally {
      asking--;
    }
  };

  const inTime = async (asked: Promise<Allowance>): Promise<Allowance> => {
    const allowance = await replyWithin(asked, waitMs, after);
    if (allowance.isErr()) isFailing = true;
    return allowance.unwrapOr(letThrough);
  };

  return {
    take: async (caller) => {
      if (!client.isReady) return letThrough;
      if (!isFailing) return inTime(ask(caller));
      // One at a time looks whether Redis answers again, and is not waited for. More would make a dead connection look alive.
      if (asking === 0) void ask(caller);
      return letThrough;
    },
    get degradedReason() {
      if (!client.isReady) return 'Redis cannot be reached: nobody is limited';
      return isFailing ? 'Redis is slow or takes no keys: nobody is limited' : undefined;
    },
  };
};

/** How long an orderly end may take. */
const closeMs = 500;

/** A connection for limiters. Connects by itself, and never fails to start. */
export const redisLimiterClient = (url: string): RedisLimiterClient & { close(): Promise<void> } => {
  const client = createClient(connectionOptions(url));
  client.on('error', () => {}); // `degradedReason` reports it; commands fail by themselves
  client.connect().catch(() => {});
  return {
    get isReady() {
      return client.isReady;
    },
    eval: (script, options) => client.eval(script, options),
    close: async () => {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, closeMs);
      if (client.isReady) await Promise.race([client.close().catch(() => {}), late.promise]);
      clearTimeout(timer);
      if (client.isOpen) client.destroy();
    },
  };
};

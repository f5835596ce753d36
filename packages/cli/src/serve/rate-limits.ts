import type { ServerSettings } from '@portico/adapters-koa';
import { memoryRateLimiter } from '@portico/core';
import { systemClock as clock } from '@portico/core/system';
import type { Container } from './compose.ts';
import type { Settings } from '../settings/schema.ts';

/** The rate limit settings of a server. */
export type RateLimits = Pick<ServerSettings, 'memberLimiter' | 'addressLimiter' | 'trustedProxies'>;

/**
 * Creates the rate limiters. They count in Redis, across all instances, if one is configured, and otherwise in memory. The
 * Redis client is only loaded when it is used; its connection closes with the container.
 */
export const rateLimits = async (
  { listen: { trustedProxies }, limits, identity, roles, redis }: Settings,
  container: Pick<Container, 'load' | 'get'>,
): Promise<RateLimits> => {
  const member = identity && roles.includes('member') ? limits.memberRequests : undefined;
  const address = limits.addressRequests;
  if (redis.url === undefined || !(member || address))
    return {
      trustedProxies,
      ...(member && { memberLimiter: memoryRateLimiter({ clock, ...member }) }),
      ...(address && { addressLimiter: memoryRateLimiter({ clock, ...address }) }),
    };
  const { rateLimiterTokens, redisLimitModule } = await import('@portico/adapters-redis/inversify');
  container.load(
    redisLimitModule({ url: redis.url, limits: { ...(member && { member }), ...(address && { address }) } }),
  );
  return {
    trustedProxies,
    ...(member && { memberLimiter: container.get(rateLimiterTokens.member) }),
    ...(address && { addressLimiter: container.get(rateLimiterTokens.address) }),
  };
};

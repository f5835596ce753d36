import type { CallbackExchange, RateLimiter, ReplayGuard, SentSearches, SessionStore } from '@portico/core';
import { dpopTokens, searchPortTokens, sentSearchesToken, sessionStoreToken } from '@portico/core/inversify';
import { storesSessions } from '../settings/sections/session-schema.ts';
import type { Container } from './compose.ts';
import { needsReplayStore } from './dpop.ts';
import type { RateLimits } from './rate-limits.ts';
import type { Settings } from '../settings/schema.ts';
import type { RedisProblem } from '../telemetry/lines/redis-lines.ts';

/** Returns the status of the connections to Redis; undefined if no part of this server uses it. */
export const redisStatus = (
  settings: Settings,
  { memberLimiter, addressLimiter }: RateLimits,
  container: Pick<Container, 'get'>,
): RedisProblem | undefined => {
  if (settings.redis.url === undefined) return undefined;
  const users: readonly (CallbackExchange | RateLimiter | ReplayGuard | SentSearches | SessionStore | undefined)[] = [
    // Ordered by the effect on members: the first reason is reported.
    storesSessions(settings) ? container.get(sessionStoreToken) : undefined,
    settings.search.legs ? container.get(searchPortTokens.exchange) : undefined,
    settings.search.legs ? container.get(sentSearchesToken) : undefined,
    memberLimiter,
    addressLimiter,
    needsReplayStore(settings) ? container.get(dpopTokens.replays) : undefined,
  ];
  const used = users.filter((user) => user !== undefined);
  return used.length === 0 ? undefined : () => used.find((user) => user.degradedReason !== undefined)?.degradedReason;
};

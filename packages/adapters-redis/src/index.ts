export { redisCommandClient, type RedisCommandClient, type RedisConnection } from './connection/command-client.ts';
export { redisRateLimiter, type RedisRateLimiterSettings } from './rate-limiter.ts';
export { redisSentSearches, type RedisSentSearchesSettings } from './sent-searches.ts';
export { redisSessionStore, type RedisSessionStoreSettings } from './session-store.ts';
export { redisReplayGuard, type RedisReplayGuardSettings } from './replay-guard.ts';
export {
  type RedisCallbackExchange,
  redisCallbackExchange,
  type RedisExchangeSettings,
} from './callback-exchange/exchange.ts';
export { checkRedisServer, oldestVersions, type RedisServerInfo } from './connection/server-check.ts';

export { redisCommandClient, type RedisCommandClient, type RedisConnection } from './connection/command-client.ts';
export { redisRateLimiter, redisRateLimiterDefaults, type RedisRateLimiterSettings } from './rate-limiter.ts';
export { redisSentSearches, redisSentSearchesDefaults, type RedisSentSearchesSettings } from './sent-searches.ts';
export { redisSessionStore, redisSessionStoreDefaults, type RedisSessionStoreSettings } from './session-store.ts';
export { redisReplayGuard, redisReplayGuardDefaults, type RedisReplayGuardSettings } from './replay-guard.ts';
export {
  type RedisCallbackExchange,
  redisCallbackExchange,
  redisExchangeDefaults,
  type RedisExchangeSettings,
} from './callback-exchange/exchange.ts';
export { checkRedisServer, oldestVersions, type RedisServerInfo } from './connection/server-check.ts';

export { type RedisCallbackExchange, redisCallbackExchange, type RedisExchangeSettings } from './search.ts';

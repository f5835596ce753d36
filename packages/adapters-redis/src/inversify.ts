import type { CallbackExchange, Clock, RateLimiter } from '@portico/core';
import { searchPortTokens } from '@portico/core/inversify';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import {
  redisLimiterClient,
  type RedisLimiterClient,
  redisRateLimiter,
  type RedisRateLimiterSettings,
} from './rate-limiter.ts';
import { redisCallbackExchange, type RedisExchangeSettings } from './callback-exchange/exchange.ts';

/** Callbacks by Redis in place of those in memory: load it after the module that binds those. Ended by `unbindAllAsync`. */
export const redisModule = (settings: Omit<RedisExchangeSettings, 'clock'>): ContainerModule =>
  new ContainerModule(({ bind, isBound, unbind }) => {
    const { clock, exchange } = searchPortTokens;
    if (isBound(exchange)) unbind(exchange);
    bind(exchange)
      .toResolvedValue((clock: Clock): CallbackExchange => redisCallbackExchange({ ...settings, clock }), [clock])
      .inSingletonScope()
      .onDeactivation((made) => (made as Partial<ReturnType<typeof redisCallbackExchange>>).close?.());
  });

/** What is counted apart: members, and the addresses that requests come from. */
export const rateLimiterTokens = {
  member: Symbol('portico:memberLimiter') as ServiceIdentifier<RateLimiter>,
  address: Symbol('portico:addressLimiter') as ServiceIdentifier<RateLimiter>,
};

export interface RedisLimitSettings {
  readonly url: string;
  /** Before every key. Default `portico:limit:`. */
  readonly prefix?: string;
  readonly limits: {
    readonly [Kind in keyof typeof rateLimiterTokens]?: Pick<RedisRateLimiterSettings, 'requests' | 'seconds'> | null;
  };
}

/** Limits that all instances share, those that are given; on one connection, which `unbindAllAsync` ends. */
export const redisLimitModule = ({ url, prefix = 'portico:limit:', limits }: RedisLimitSettings): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const connection = Symbol('portico:limiterConnection') as ServiceIdentifier<ReturnType<typeof redisLimiterClient>>;
    bind(connection)
      .toDynamicValue(() => redisLimiterClient(url))
      .inSingletonScope()
      .onDeactivation((client) => client.close());
    for (const kind of ['member', 'address'] as const) {
      const limit = limits[kind];
      if (limit)
        bind(rateLimiterTokens[kind])
          .toResolvedValue(
            (client: RedisLimiterClient) => redisRateLimiter({ client, prefix: `${prefix}${kind}:`, ...limit }),
            [connection],
          )
          .inSingletonScope();
    }
  });

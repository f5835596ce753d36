import type { CallbackExchange, Clock } from '@portico/core';
import { searchPortTokens } from '@portico/core/inversify';
import { ContainerModule } from 'inversify';
import { redisCallbackExchange, type RedisExchangeSettings } from './search.ts';

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

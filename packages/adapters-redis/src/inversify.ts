import type { CallbackExchange, Clock, RateLimiter } from '@portico/core';
import { dpopTokens, searchPortTokens, sentSearchesToken, sessionStoreToken } from '@portico/core/inversify';
import { ContainerModule, type ContainerModuleLoadOptions, type ServiceIdentifier } from 'inversify';
import { redisCommandClient, type RedisCommandClient, type RedisConnection } from './connection/command-client.ts';
import { redisRateLimiter, redisRateLimiterDefaults, type RedisRateLimiterSettings } from './rate-limiter.ts';
import { redisReplayGuard, type RedisReplayGuardSettings } from './replay-guard.ts';
import { redisSentSearches, type RedisSentSearchesSettings } from './sent-searches.ts';
import { redisSessionStore } from './session-store.ts';
import { redisCallbackExchange, type RedisExchangeSettings } from './callback-exchange/exchange.ts';

/** Binds a connection, which `unbindAllAsync` closes. */
const bindConnection = (bind: ContainerModuleLoadOptions['bind'], url: string): ServiceIdentifier<RedisConnection> => {
  const connection = Symbol('portico:redisConnection') as ServiceIdentifier<RedisConnection>;
  bind(connection)
    .toDynamicValue(() => redisCommandClient(url))
    .inSingletonScope()
    .onDeactivation((client) => client.close());
  return connection;
};

/** Replaces the bound adapter by one with a connection of its own. */
const replaceWith = <T>(token: ServiceIdentifier<T>, url: string, create: (client: RedisConnection) => T) =>
  new ContainerModule(({ bind, isBound, unbind }) => {
    const connection = bindConnection(bind, url);
    if (isBound(token)) unbind(token);
    bind(token).toResolvedValue(create, [connection]).inSingletonScope();
  });

/** Replaces the bound exchange. Load it after the module that binds one. `unbindAllAsync` closes the connection. */
export const redisModule = (settings: Omit<RedisExchangeSettings, 'clock'>): ContainerModule =>
  new ContainerModule(({ bind, isBound, unbind }) => {
    const { clock, exchange } = searchPortTokens;
    if (isBound(exchange)) unbind(exchange);
    bind(exchange)
      .toResolvedValue((clock: Clock): CallbackExchange => redisCallbackExchange({ ...settings, clock }), [clock])
      .inSingletonScope()
      .onDeactivation((exchange) => (exchange as Partial<ReturnType<typeof redisCallbackExchange>>).close?.());
  });

/**
 * Replaces the bound replay guard, so that a DPoP proof is accepted once on all instances together. Load it after the module
 * that binds one. `unbindAllAsync` closes its connection. `prefix`: of every key; default: `redisReplayGuardDefaults.prefix`.
 */
export const redisReplayModule = ({
  url,
  ...settings
}: { readonly url: string } & Pick<RedisReplayGuardSettings, 'prefix'>): ContainerModule =>
  replaceWith(dpopTokens.replays, url, (client) => redisReplayGuard({ client, ...settings }));

/**
 * Replaces the bound memory of sent searches, so that a callback can be verified on any instance. Load it after the module
 * that binds one. `unbindAllAsync` closes its connection.
 */
export const redisSentSearchesModule = ({
  url,
  ...settings
}: { readonly url: string } & Pick<RedisSentSearchesSettings, 'prefix' | 'rememberMs'>): ContainerModule =>
  replaceWith(sentSearchesToken, url, (client) => redisSentSearches({ client, ...settings }));

/**
 * Binds the store of browser sessions. `unbindAllAsync` closes its connection. `prefix`: of every key; default:
 * `redisSessionStoreDefaults.prefix`.
 */
export const redisSessionModule = ({ url, ...settings }: RedisSessionSettings): ContainerModule =>
  replaceWith(sessionStoreToken, url, (client) => redisSessionStore({ client, ...settings }));

export interface RedisSessionSettings {
  readonly url: string;
  readonly prefix?: string;
}

/** The tokens of the rate limiters: by member, and by client IP address. */
export const rateLimiterTokens = {
  member: Symbol('portico:memberLimiter') as ServiceIdentifier<RateLimiter>,
  address: Symbol('portico:addressLimiter') as ServiceIdentifier<RateLimiter>,
};

export interface RedisLimitSettings {
  readonly url: string;
  /** The prefix of every key. Default: `redisRateLimiterDefaults.prefix`. */
  readonly prefix?: string;
  readonly limits: {
    readonly [Kind in keyof typeof rateLimiterTokens]?: Pick<RedisRateLimiterSettings, 'requests' | 'seconds'> | null;
  };
}

/** Binds a rate limiter for each given limit. They share one connection, which `unbindAllAsync` closes. */
export const redisLimitModule = ({
  url,
  prefix = redisRateLimiterDefaults.prefix,
  limits,
}: RedisLimitSettings): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const connection = bindConnection(bind, url);
    for (const kind of ['member', 'address'] as const) {
      const limit = limits[kind];
      if (limit)
        bind(rateLimiterTokens[kind])
          .toResolvedValue(
            (client: RedisCommandClient) => redisRateLimiter({ client, prefix: `${prefix}${kind}:`, ...limit }),
            [connection],
          )
          .inSingletonScope();
    }
  });

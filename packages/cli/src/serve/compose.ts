import { httpModule, httpSearchModule, serviceObserverToken } from '@portico/adapters-http/inversify';
import { httpIdentity, type IdentitySettings } from '@portico/adapters-http';
import { type AccessRules, type Identity, type OwnService, serviceNames } from '@portico/core';
import { coreModule, ownServiceToken, portTokens, searchModule } from '@portico/core/inversify';
import { Container, type ContainerModule } from 'inversify';
import { type Connections, connectionsOf, proxyOf } from '../connection/connections.ts';
import { storesSessions } from '../settings/sections/session-schema.ts';
import { needsReplayStore } from './dpop.ts';
import { type IdentityProvider, identityProviders } from '../settings/sections/identity-schema.ts';
import type { Settings } from '../settings/schema.ts';
import { ownServices, type ServedServices, servicesIn } from '../settings/own-services.ts';
import type { ConfiguredService } from '../settings/configured-services.ts';
import { serviceCredentials } from './service-credentials.ts';
import type { Observer } from '../telemetry/metrics/metrics.ts';

export type { Container };

/** What a program, or a module of `portico serve --with`, binds in addition to the settings. */
export interface OwnBindings {
  /** Inversify modules. They are loaded after Portico's, so `rebind(portTokens.claims)` replaces that port. */
  readonly modules?: readonly ContainerModule[];
  /** Services of your own with their adapters, made with `ownService`; those of the settings are served beside them. */
  readonly services?: readonly OwnService[];
}

/** The composition root: binds the adapters for these settings. Each command adds its driving adapter, such as a server. */
export const compose = (settings: Settings, observer: Observer = {}): Container => {
  const { identity, downstreams, limits, search } = settings;
  const container = new Container();
  container.bind(serviceObserverToken).toConstantValue(observer);
  const connections = connectionsOf(settings, observer.tlsReloaded);
  const common = { maxResponseBytes: limits.maxResponseBytes, observer };
  const providers = identityProviders({ identity });
  if (providers.length > 0) {
    const credentialsOf = serviceCredentials(providers, connections.common, observer);
    const settingsOf = ({ tls: _unused, headers, ...service }: ConfiguredService, name: string) => ({
      ...service,
      ...(headers && { headers }),
      ...common,
      ...connections.service(name),
      credentials: credentialsOf(service.credentials),
    });
    container.load(
      coreModule({
        issuers: Object.fromEntries(providers.map((provider) => [provider.issuer, identityOf(provider).rules])),
      }),
      httpModule({
        identity: providers.map((provider) => ({
          ...identityOf(provider).identity,
          ...connections.common,
          observer: observer.keySetObserver?.() ?? {},
        })),
        downstreams: Object.fromEntries(
          servicesIn({ downstreams }).builtIn.map((name) => [name, settingsOf(downstreams![name]!, name)]),
        ),
        services: ownServices({ downstreams }).map(({ declaration, settings }) => ({
          declaration,
          settings: settingsOf(settings, declaration.name),
        })),
      }),
    );
  }
  if (search.legs) container.load(...searchModules(search, search.legs, connections, limits));
  return container;
};

/** The modules of the search API. */
const searchModules = (
  search: Settings['search'],
  configured: NonNullable<Settings['search']['legs']>,
  { common }: Connections,
  { maxCallbackBytes }: Settings['limits'],
): readonly ContainerModule[] => {
  const { ackTimeoutMs, registryUrl, registry, legs: _unused, ...rest } = search;
  const legs = Object.entries(configured);
  const ofLegs = <T>(read: (leg: (typeof legs)[number][1]) => T | undefined): Readonly<Record<string, T>> =>
    Object.fromEntries(
      legs.flatMap(([id, leg]) => {
        const value = read(leg);
        return value === undefined ? [] : [[id, value]];
      }),
    );
  const shared = registry ?? (registryUrl === undefined ? undefined : { url: registryUrl });
  return [
    searchModule({
      legs: legs.map(([id, { signing: _1, registry: _2, extraContext = {}, ...leg }]) => ({
        id,
        ...leg,
        extraContext,
      })),
      ...rest,
    }),
    httpSearchModule({
      transport: { ...common, ackTimeoutMs, signing: ofLegs((leg) => leg.signing), maxResponseBytes: maxCallbackBytes },
      ...(shared && { registry: { ...common, ...shared } }),
      registries: ofLegs((leg) => leg.registry && { ...common, signing: leg.signing, ...leg.registry }),
      rememberMs: search.timeoutMs,
    }),
  ];
};

/**
 * Composes an instance of a server. With Redis, callbacks reach a search on any instance, a DPoP proof is accepted once on
 * all of them, and browser sessions can be stored. Its client is only loaded then. Modules of the user are loaded last,
 * before anything is resolved, so that they can replace every port.
 */
export const composeInstance = async (
  settings: Settings,
  observer?: Observer,
  { modules = [], services = [] }: OwnBindings = {},
): Promise<Container> => {
  const container = compose(settings, observer);
  const { url } = settings.redis;
  if (url !== undefined) {
    const redis = await import('@portico/adapters-redis/inversify');
    const { legs, timeoutMs: rememberMs } = settings.search;
    const isVerified = Object.values(legs ?? {}).some((leg) => leg.verifyCallbacks);
    if (legs) container.load(redis.redisModule({ url }));
    if (isVerified) container.load(redis.redisSentSearchesModule({ url, rememberMs }));
    if (needsReplayStore(settings)) container.load(redis.redisReplayModule({ url }));
    if (storesSessions(settings)) container.load(redis.redisSessionModule({ url }));
  }
  for (const service of services) container.bind(ownServiceToken).toConstantValue(service);
  await container.loadAsync(...modules);
  return container;
};

/** The services whose ports are bound, by the settings or by a module. */
export const boundServices = (container: Pick<Container, 'isBound' | 'getAll'>): ServedServices => ({
  builtIn: serviceNames.filter((name) => container.isBound(portTokens[name])),
  own: container.isBound(ownServiceToken)
    ? container.getAll(ownServiceToken).map(({ declaration }) => declaration)
    : [],
});

/** Composes the identity provider alone: requesting a token does not need the services. */
export const composeIdentity = (provider: IdentityProvider, proxy: Settings['proxy']): Identity =>
  httpIdentity({ ...identityOf(provider).identity, ...proxyOf(proxy) });

/** The settings of a provider without Portico's client: those of the adapter, and those that are rules of the core. */
const identityOf = ({
  locatorClaim,
  memberTokensOnly,
  clients,
  scopes,
  dpop,
  client: _unused,
  ...identity
}: IdentityProvider): { readonly identity: IdentitySettings; readonly rules: AccessRules } => ({
  identity,
  rules: { locatorClaim, memberTokensOnly, ...(clients && { clients }), scopes, dpop },
});

import { httpModule, httpSearchModule } from '@portico/adapters-http/inversify';
import { httpIdentity, type IdentitySettings, type KeySetObserver, type ServiceObserver } from '@portico/adapters-http';
import { type Identity, type ServiceName, serviceNames } from '@portico/core';
import { coreModule, portTokens, searchModule } from '@portico/core/inversify';
import { Container, type ContainerModule } from 'inversify';
import type { Settings } from '../settings/schema.ts';
import { withoutNulls } from '../settings/without-nulls.ts';

/** Observes the services and the keys of the identity provider. */
export type Observer = ServiceObserver & KeySetObserver;

/** An inversify module with own bindings, such as `rebind(portTokens.claims)`. */
export type Module = ContainerModule;

/** The composition root: binds the adapters for these settings. Each command adds what drives them, such as a server. */
export const compose = ({ identity, downstreams, limits, search }: Settings, observer: Observer = {}): Container => {
  const container = new Container();
  const { maxResponseBytes, maxCallbackBytes } = limits;
  const common = { maxResponseBytes, observer };
  if (identity) {
    container.load(
      coreModule({ locatorClaim: identity.locatorClaim }),
      httpModule({
        identity: { ...identitySettings(identity), observer },
        downstreams: Object.fromEntries(
          Object.entries(downstreams ?? {}).map(([name, service]) => [name, { ...service, ...common }]),
        ),
      }),
    );
  }
  if (search.legs) {
    const { ackTimeoutMs, registryUrl, legs: _unused, ...settings } = withoutNulls(search);
    const legs = Object.entries(search.legs);
    const signing = Object.fromEntries(legs.flatMap(([id, leg]) => (leg.signing ? [[id, leg.signing]] : [])));
    container.load(
      searchModule({
        legs: legs.map(([id, { signing: _unused, extraContext = {}, ...leg }]) => ({ id, ...leg, extraContext })),
        ...settings,
      }),
      httpSearchModule({
        transport: { ackTimeoutMs, signing, maxResponseBytes: maxCallbackBytes },
        ...(registryUrl !== undefined && { registry: { url: registryUrl } }),
      }),
    );
  }
  return container;
};

/**
 * Composes an instance of a server. With Redis, callbacks reach a search on any instance; its client is only loaded then.
 * The given modules are loaded last and before anything is resolved, so that they can replace every port.
 */
export const composeInstance = async (
  settings: Settings,
  observer?: Observer,
  modules: readonly Module[] = [],
): Promise<Container> => {
  const container = compose(settings, observer);
  if (settings.search.legs && settings.redis.url) {
    const { redisModule } = await import('@portico/adapters-redis/inversify');
    container.load(redisModule({ url: settings.redis.url }));
  }
  await container.loadAsync(...modules);
  return container;
};

/** The services whose ports are bound, by the settings or by a module. */
export const boundServices = (container: Pick<Container, 'isBound'>): readonly ServiceName[] =>
  serviceNames.filter((name) => container.isBound(portTokens[name]));

/** Composes the identity provider alone: requesting a token does not need the services. */
export const composeIdentity = (identity: NonNullable<Settings['identity']>): Identity =>
  httpIdentity(identitySettings(identity));

const identitySettings = (identity: NonNullable<Settings['identity']>): IdentitySettings => {
  const { locatorClaim: _unused, ...settings } = withoutNulls(identity);
  return settings;
};

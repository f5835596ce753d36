import { httpModule, httpSearchModule } from '@portico/adapters-http/inversify';
import { httpIdentity, type IdentitySettings, type KeySetObserver, type ServiceObserver } from '@portico/adapters-http';
import type { AccessRules, Identity } from '@portico/core';
import { coreModule, searchModule } from '@portico/core/inversify';
import { Container } from 'inversify';
import { acceptsDpop } from './dpop.ts';
import { type IdentityProvider, identityProviders } from '../settings/identity-schema.ts';
import type { Settings } from '../settings/schema.ts';
import { withoutNulls } from '../settings/without-nulls.ts';

/** Observes the services and the keys of the identity provider. */
export type Observer = ServiceObserver & KeySetObserver;

/** The composition root: binds the adapters for these settings. Each command adds what drives them, such as a server. */
export const compose = ({ identity, downstreams, limits, search }: Settings, observer: Observer = {}): Container => {
  const container = new Container();
  const { maxResponseBytes, maxCallbackBytes } = limits;
  const common = { maxResponseBytes, observer };
  const providers = identityProviders({ identity });
  if (providers.length > 0 && downstreams) {
    container.load(
      coreModule({
        issuers: Object.fromEntries(providers.map((provider) => [provider.issuer, accessRules(provider)])),
      }),
      httpModule({
        identity: providers.map((provider) => ({ ...identitySettings(provider), observer })),
        downstreams: Object.fromEntries(
          Object.entries(downstreams).map(([name, service]) => [name, { ...service, ...common }]),
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
 * Composes an instance of a server. With Redis, callbacks reach a search on any instance, and a DPoP proof is accepted once on
 * all of them; its client is only loaded then.
 */
export const composeInstance = async (settings: Settings, observer?: Observer): Promise<Container> => {
  const container = compose(settings, observer);
  if (settings.search.legs && settings.redis.url) {
    const { redisModule } = await import('@portico/adapters-redis/inversify');
    container.load(redisModule({ url: settings.redis.url }));
  }
  if (acceptsDpop(settings) && settings.redis.url) {
    const { redisReplayModule } = await import('@portico/adapters-redis/inversify');
    container.load(redisReplayModule({ url: settings.redis.url }));
  }
  return container;
};

/** Composes the identity provider alone: requesting a token does not need the services. */
export const composeIdentity = (provider: IdentityProvider): Identity => httpIdentity(identitySettings(provider));

/** The settings of a provider without those that are rules of the core (`accessRules`). */
const identitySettings = (provider: IdentityProvider): IdentitySettings => {
  const { locatorClaim: _1, memberTokensOnly: _2, clients: _3, scopes: _4, dpop: _5, ...settings } = provider;
  return withoutNulls(settings);
};

const accessRules = ({ locatorClaim, memberTokensOnly, clients, scopes, dpop }: IdentityProvider): AccessRules => ({
  locatorClaim,
  memberTokensOnly,
  ...(clients && { clients }),
  scopes: withoutNulls(scopes),
  dpop,
});

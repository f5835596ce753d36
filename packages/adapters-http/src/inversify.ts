import {
  memoryCallbackExchange,
  memoryReplayGuard,
  memorySentSearches,
  type Clock,
  ownService,
  type ReplayGuard,
  type SentSearches,
  type ServiceDeclaration,
} from '@portico/core';
import { dpopTokens, ownServiceToken, portTokens, searchPortTokens, sentSearchesToken } from '@portico/core/inversify';
import { ContainerModule, type ContainerModuleLoadOptions, type ServiceIdentifier } from 'inversify';
import { httpClaims } from './downstreams/claims.ts';
import { httpConsent } from './downstreams/consent.ts';
import { httpDocuments } from './downstreams/documents.ts';
import type { DownstreamSettings, ServiceSettings } from './downstreams/downstream.ts';
import { httpEligibility } from './downstreams/eligibility.ts';
import { dpopProofs } from './identity/dpop-proofs.ts';
import { httpIdentities } from './identity/identity-providers.ts';
import type { IdentitySettings } from './identity/identity.ts';
import { httpNotifications } from './downstreams/notifications.ts';
import type { DownstreamName } from './downstreams/paths.ts';
import { httpService } from './downstreams/own-service.ts';
import type { ServiceObserver } from './resilience/service-guard.ts';
import { httpPolicy } from './downstreams/policy.ts';
import { becknVerifier } from './beckn/callback-verifier.ts';
import { becknRegistry } from './beckn/registry.ts';
import type { RegistrySettings } from './beckn/registry-lookup.ts';
import { randomIds, systemClock } from '@portico/core/system';
import { httpSearchTransport, type SearchTransportSettings } from './beckn/search-transport.ts';

/**
 * The token of the observer that a host passes to its own adapters, if it has one: a module can pass it to others. A
 * registered symbol, so that another copy of this package finds it.
 */
export const serviceObserverToken = Symbol.for('portico:serviceObserver') as ServiceIdentifier<ServiceObserver>;

/** The settings of the identity provider, or of several, and of each downstream service. A service without settings is not bound. */
export interface HttpModuleSettings {
  readonly identity: IdentitySettings | readonly IdentitySettings[];
  readonly downstreams: { readonly [Name in DownstreamName]?: DownstreamSettings<Name> | undefined };
  /** Services of your own. */
  readonly services?: readonly { readonly declaration: ServiceDeclaration; readonly settings: ServiceSettings }[];
}

/** Binds the ports of the member API to their HTTP adapters. Each adapter uses the clock in its own settings. */
export const httpModule = ({ identity, downstreams, services = [] }: HttpModuleSettings): ContainerModule =>
  new ContainerModule(({ bind, isBound }) => {
    if (!isBound(portTokens.clock)) bind(portTokens.clock).toConstantValue(systemClock);
    // Created at once, so that invalid settings are rejected here and not on the first request.
    bind(portTokens.identity).toConstantValue(httpIdentities([identity].flat()));
    bindDpop(bind);
    const { eligibility, claims, documents, policy, notifications, consent } = downstreams;
    if (eligibility) bind(portTokens.eligibility).toConstantValue(httpEligibility(eligibility));
    if (claims) bind(portTokens.claims).toConstantValue(httpClaims(claims));
    if (documents) bind(portTokens.documents).toConstantValue(httpDocuments(documents));
    if (policy) bind(portTokens.policy).toConstantValue(httpPolicy(policy));
    if (notifications) bind(portTokens.notifications).toConstantValue(httpNotifications(notifications));
    if (consent) bind(portTokens.consent).toConstantValue(httpConsent(consent));
    for (const { declaration, settings } of services)
      bind(ownServiceToken).toConstantValue(ownService(declaration, httpService(declaration, settings)));
  });

/** DPoP proofs, remembered in this process. They have an effect only if the core's rules accept DPoP. */
const bindDpop = (bind: ContainerModuleLoadOptions['bind']): void => {
  const { clock } = portTokens;
  bind(dpopTokens.replays)
    .toResolvedValue((clock: Clock): ReplayGuard => memoryReplayGuard({ clock }), [clock])
    .inSingletonScope();
  bind(dpopTokens.proofs)
    .toResolvedValue(
      (clock: Clock, replays: ReplayGuard) => dpopProofs({ clock, replays }),
      [clock, dpopTokens.replays],
    )
    .inSingletonScope();
};

export interface HttpSearchModuleSettings {
  readonly transport?: Omit<SearchTransportSettings, 'sent'>;
  /** The registry of sellers' keys. Required when a leg without its own registry verifies callbacks. */
  readonly registry?: RegistrySettings;
  /** The registries of legs that have their own, by leg id. */
  readonly registries?: Readonly<Record<string, RegistrySettings>>;
  /**
   * The minimum time to remember what was sent, for the verification of callbacks, in milliseconds: at least the
   * `timeoutMs` of the search. Default: `sentSearchesDefaults.rememberMs`.
   */
  readonly rememberMs?: number;
}

/** Binds every port of the search API: posts over HTTP, and a callback exchange in this process. */
export const httpSearchModule = ({
  transport = {},
  registry,
  registries = {},
  rememberMs,
}: HttpSearchModuleSettings = {}): ContainerModule =>
  new ContainerModule(({ bind, isBound }) => {
    const { clock } = searchPortTokens;
    if (!isBound(clock)) bind(clock).toConstantValue(systemClock);
    bind(searchPortTokens.ids).toConstantValue(randomIds);
    bind(sentSearchesToken)
      .toResolvedValue(
        (clock: Clock) => memorySentSearches({ clock, ...(rememberMs !== undefined && { rememberMs }) }),
        [clock],
      )
      .inSingletonScope();
    bind(searchPortTokens.transport)
      .toResolvedValue(
        (clock: Clock, sent: SentSearches) => httpSearchTransport({ clock, ...transport, sent }),
        [clock, sentSearchesToken],
      )
      .inSingletonScope();
    bind(searchPortTokens.exchange)
      .toResolvedValue((clock: Clock) => memoryCallbackExchange(clock), [clock])
      .inSingletonScope();
    if (registry || Object.keys(registries).length > 0)
      bind(searchPortTokens.verifier)
        .toResolvedValue(
          (clock: Clock, sent: SentSearches) => {
            const registryOf = (settings: RegistrySettings) => becknRegistry({ clock, ...settings });
            return becknVerifier({
              clock,
              sent,
              registry: registry && registryOf(registry),
              registries: Object.fromEntries(
                Object.entries(registries).map(([leg, settings]) => [leg, registryOf(settings)]),
              ),
            });
          },
          [clock, sentSearchesToken],
        )
        .inSingletonScope();
  });

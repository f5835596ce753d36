import { memoryCallbackExchange, type Clock } from '@portico/core';
import { portTokens, searchPortTokens } from '@portico/core/inversify';
import { ContainerModule } from 'inversify';
import { httpClaims } from './downstreams/claims.ts';
import { httpConsent } from './downstreams/consent.ts';
import { httpDocuments } from './downstreams/documents.ts';
import type { DownstreamSettings } from './downstreams/downstream.ts';
import { httpEligibility } from './downstreams/eligibility.ts';
import { httpIdentity, type IdentitySettings } from './identity/identity.ts';
import { httpNotifications } from './downstreams/notifications.ts';
import type { DownstreamName } from './downstreams/paths.ts';
import { httpPolicy } from './downstreams/policy.ts';
import { becknVerifier } from './beckn/callback-verifier.ts';
import { becknRegistry, type RegistrySettings } from './beckn/registry.ts';
import { randomIds, systemClock } from '@portico/core/system';
import { httpSearchTransport, type SearchTransportSettings } from './beckn/search-transport.ts';

/** Where each outside system is. */
export interface HttpModuleSettings {
  readonly identity: IdentitySettings;
  readonly downstreams: { readonly [Name in DownstreamName]: DownstreamSettings<Name> };
}

/** Answers every port of the member portal over HTTP. Each adapter's clock is its settings' own. */
export const httpModule = ({ identity, downstreams }: HttpModuleSettings): ContainerModule =>
  new ContainerModule(({ bind, isBound }) => {
    if (!isBound(portTokens.clock)) bind(portTokens.clock).toConstantValue(systemClock);
    // Made at once, so that settings that cannot work are refused here and not when a member asks.
    bind(portTokens.identity).toConstantValue(httpIdentity(identity));
    bind(portTokens.eligibility).toConstantValue(httpEligibility(downstreams.eligibility));
    bind(portTokens.claims).toConstantValue(httpClaims(downstreams.claims));
    bind(portTokens.documents).toConstantValue(httpDocuments(downstreams.documents));
    bind(portTokens.policy).toConstantValue(httpPolicy(downstreams.policy));
    bind(portTokens.notifications).toConstantValue(httpNotifications(downstreams.notifications));
    bind(portTokens.consent).toConstantValue(httpConsent(downstreams.consent));
  });

export interface HttpSearchModuleSettings {
  readonly transport?: SearchTransportSettings;
  /** Who vouches for sellers' signatures; needed when a leg verifies callbacks. */
  readonly registry?: RegistrySettings;
}

/** Answers every port of the search half: posts over HTTP, and callbacks that wait in this process. */
export const httpSearchModule = ({ transport = {}, registry }: HttpSearchModuleSettings = {}): ContainerModule =>
  new ContainerModule(({ bind, isBound }) => {
    const { clock } = searchPortTokens;
    if (!isBound(clock)) bind(clock).toConstantValue(systemClock);
    bind(searchPortTokens.ids).toConstantValue(randomIds);
    bind(searchPortTokens.transport)
      .toResolvedValue((clock: Clock) => httpSearchTransport({ clock, ...transport }), [clock])
      .inSingletonScope();
    bind(searchPortTokens.exchange)
      .toResolvedValue((clock: Clock) => memoryCallbackExchange(clock), [clock])
      .inSingletonScope();
    if (registry)
      bind(searchPortTokens.verifier)
        .toResolvedValue(
          (clock: Clock) => becknVerifier({ registry: becknRegistry({ clock, ...registry }), clock }),
          [clock],
        )
        .inSingletonScope();
  });

import { portTokens } from '@portico/core/inversify';
import { ContainerModule } from 'inversify';
import { httpClaims } from './claims.ts';
import { httpConsent } from './consent.ts';
import { httpDocuments } from './documents.ts';
import { httpEligibility } from './eligibility.ts';
import { httpIdentity, type IdentitySettings } from './identity.ts';
import { httpNotifications } from './notifications.ts';
import { httpPolicy } from './policy.ts';

/** Where each outside system is. */
export interface HttpModuleSettings {
  readonly identity: IdentitySettings;
  readonly downstreams: {
    readonly eligibility: Parameters<typeof httpEligibility>[0];
    readonly claims: Parameters<typeof httpClaims>[0];
    readonly documents: Parameters<typeof httpDocuments>[0];
    readonly policy: Parameters<typeof httpPolicy>[0];
    readonly notifications: Parameters<typeof httpNotifications>[0];
    readonly consent: Parameters<typeof httpConsent>[0];
  };
}

/** Answers every port of the member portal over HTTP. */
export const httpModule = ({ identity, downstreams }: HttpModuleSettings): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(portTokens.identity).toConstantValue(httpIdentity(identity));
    bind(portTokens.eligibility).toConstantValue(httpEligibility(downstreams.eligibility));
    bind(portTokens.claims).toConstantValue(httpClaims(downstreams.claims));
    bind(portTokens.documents).toConstantValue(httpDocuments(downstreams.documents));
    bind(portTokens.policy).toConstantValue(httpPolicy(downstreams.policy));
    bind(portTokens.notifications).toConstantValue(httpNotifications(downstreams.notifications));
    bind(portTokens.consent).toConstantValue(httpConsent(downstreams.consent));
  });

import type { RequestListener } from 'node:http';
import { type DownstreamName, httpIdentity } from '@portico/adapters-http';
import { systemClock } from '@portico/core/system';
import { authenticate, createUseCases, type Identity } from '@portico/core';
import {
  fakeClaims,
  fakeConsent,
  fakeDocuments,
  fakeEligibility,
  fakeNotifications,
  fakePolicy,
} from '@portico/core/testing';
import type { SeedMember } from './seed/members.ts';
import { service } from './service.ts';
import { claimsService } from './services/claims.ts';
import { consentService } from './services/consent.ts';
import { documentsService } from './services/documents.ts';
import { eligibilityService } from './services/eligibility.ts';
import { notificationsService } from './services/notifications.ts';
import { policyService } from './services/policy.ts';

/**
 * The six services: the core's fakes behind HTTP, filled with these members. They accept this issuer's tokens.
 * `identityFor` can share verifiers, and so their keys, between several sets of services.
 */
export const sandboxServices = (
  issuer: string,
  members: readonly SeedMember[],
  // The provider runs in this process, so a slow response means that the process is busy, not that the provider is down.
  identityFor = (audience: readonly string[]): Identity => httpIdentity({ issuer, audience, timeoutMs: 60_000 }),
): Readonly<Record<DownstreamName, RequestListener>> => {
  const of = <T>(pick: (member: SeedMember) => T): Record<string, T> =>
    Object.fromEntries(members.map((member) => [member.partyLocator, pick(member)]));
  const use = createUseCases({
    identity: identityFor(['portico']),
    eligibility: fakeEligibility(of((member) => member)),
    claims: fakeClaims(of(({ claims }) => claims)),
    documents: fakeDocuments(of(({ documents }) => documents)),
    policy: fakePolicy(of(({ profile }) => profile)),
    notifications: fakeNotifications(of((member) => member)),
    consent: fakeConsent(of(({ consent }) => consent)),
    clock: systemClock,
  });
  /** A token for Portico, or one that was exchanged for the service. */
  const accepted = (name: DownstreamName) => authenticate(identityFor(['portico', name]));
  return {
    eligibility: service(accepted('eligibility'), eligibilityService(use)),
    claims: service(accepted('claims'), claimsService(use)),
    documents: service(accepted('documents'), documentsService(use)),
    policy: service(accepted('policy'), policyService(use)),
    notifications: service(accepted('notifications'), notificationsService(use)),
    consent: service(accepted('consent'), consentService(use)),
  };
};

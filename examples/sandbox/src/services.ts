import type { RequestListener } from 'node:http';
import { type DownstreamName, httpIdentity } from '@portico/adapters-http';
import { systemClock } from '@portico/core/system';
import { createUseCases } from '@portico/core';
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

/** The six services: the core's fakes behind HTTP, filled with these members. They accept this issuer's tokens. */
export const sandboxServices = (
  issuer: string,
  members: readonly SeedMember[],
): Readonly<Record<DownstreamName, RequestListener>> => {
  const of = <T>(pick: (member: SeedMember) => T): Record<string, T> =>
    Object.fromEntries(members.map((member) => [member.partyLocator, pick(member)]));
  const use = createUseCases({
    identity: httpIdentity({ issuer, audience: ['portico'] }),
    eligibility: fakeEligibility(of((member) => member)),
    claims: fakeClaims(of(({ claims }) => claims)),
    documents: fakeDocuments(of(({ documents }) => documents)),
    policy: fakePolicy(of(({ profile }) => profile)),
    notifications: fakeNotifications(of((member) => member)),
    consent: fakeConsent(of(({ consent }) => consent)),
    clock: systemClock,
  });
  return {
    eligibility: service(use.authenticate, eligibilityService(use)),
    claims: service(use.authenticate, claimsService(use)),
    documents: service(use.authenticate, documentsService(use)),
    policy: service(use.authenticate, policyService(use)),
    notifications: service(use.authenticate, notificationsService(use)),
    consent: service(use.authenticate, consentService(use)),
  };
};

import type {
  Claims,
  ClaimLocator,
  Consent,
  DocumentLocator,
  Documents,
  Eligibility,
  Failure,
  Member,
  Notifications,
  Policy,
} from '@portico/core';
import {
  aMember,
  claimsContract,
  consentContract,
  documentsContract,
  eligibilityContract,
  notificationsContract,
  policyContract,
} from '@portico/core/testing';
import type { ResultAsync } from 'neverthrow';
import { describe, it } from 'vitest';
import { type ClientFailure, porticoClient } from './index.ts';
import { servePortico } from './portico.test.support.ts';

/** A server with data of its own, and the client of whoever is asked for: their token says who they are. */
const fresh = async () => {
  const { url, tokenOf } = await servePortico();
  const [member, other, neverSet, unknown] = ['PTY-1', 'PTY-2', 'PTY-3', 'PTY-9'].map((locator) =>
    aMember(locator, tokenOf(locator)),
  ) as [Member, Member, Member, Member];
  return { as: ({ token }: Member) => porticoClient({ url, token }), member, other, neverSet, unknown };
};

/** A port promises the core's failures and no others. */
const promised = <T>(result: ResultAsync<T, ClientFailure>): ResultAsync<T, Failure> =>
  result.mapErr((failure) => {
    if (isOfTheCore(failure)) return failure;
    throw new Error(`no port fails as ${failure.kind}`);
  });

const kindsOfTheCore = {
  invalid: true,
  unauthenticated: true,
  'not-found': true,
  'precondition-failed': true,
  upstream: true,
  overloaded: true,
  unexpected: true,
} satisfies Record<Failure['kind'], true>;

const isOfTheCore = (failure: ClientFailure): failure is Failure => Object.hasOwn(kindsOfTheCore, failure.kind);

eligibilityContract({ describe, it }, async () => {
  const { as, ...members } = await fresh();
  const eligibility: Eligibility = {
    coverage: (member) => promised(as(member).getCoverage()),
    accumulators: (member) => promised(as(member).getAccumulators()),
  };
  return { eligibility, ...members };
});

claimsContract({ describe, it }, async () => {
  const { as, ...members } = await fresh();
  const claims: Claims = {
    list: (member, query) => promised(as(member).listClaims(query)),
    get: (member, locator) => promised(as(member).getClaim(locator)),
    submit: (member, { idempotencyKey, ...body }) => promised(as(member).submitClaim(body, idempotencyKey)),
  };
  return { claims, claim: 'CLM-1' as ClaimLocator, ...members };
});

documentsContract({ describe, it }, async () => {
  const { as, ...members } = await fresh();
  const documents: Documents = {
    list: (member, query) => promised(as(member).listDocuments(query)),
    get: (member, ...asked) => promised(as(member).getDocument(...asked)),
  };
  return { documents, document: 'DOC-1' as DocumentLocator, ...members };
});

policyContract({ describe, it }, async () => {
  const { as, ...members } = await fresh();
  const policy: Policy = {
    profile: (member) => promised(as(member).getProfile()),
    patchProfile: (member, { mediaType, ...patch }, ifMatch) =>
      promised(as(member).patchProfile(patch, mediaType, ifMatch)),
  };
  return { policy, ...members };
});

notificationsContract({ describe, it }, async () => {
  const { as, ...members } = await fresh();
  const notifications: Notifications = {
    preferences: (member) => promised(as(member).getPreferences()),
    // A client never says whose.
    ownPreferences: (member) => promised(as(member).getPreferences()),
    replacePreferences: (member, value, ifMatch) =>
      promised(as(member).putPreferences({ text: JSON.stringify(value), value }, ifMatch)),
    list: (member, query) => promised(as(member).listNotifications(query)),
    log: (member, query) => promised(as(member).readNotificationLog(query)),
  };
  return { notifications, ...members };
});

consentContract({ describe, it }, async () => {
  const { as, ...members } = await fresh();
  const consent: Consent = {
    get: (member) => promised(as(member).getConsent()),
    replace: (member, state, ifMatch) => promised(as(member).putConsent(state, ifMatch)),
  };
  return { consent, ...members };
});

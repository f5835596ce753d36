import {
  type Claims,
  type ClaimLocator,
  type Consent,
  type DocumentLocator,
  type Documents,
  type Eligibility,
  type Failure,
  type Member,
  type Notifications,
  type Policy,
  upstream,
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

/** The contract suites must pass on a busy machine. */
const runner = { describe, it, deadlineMs: 60_000 };

/** Starts a server with fresh data. `as` returns the client of a member. */
const startServer = async () => {
  const { url, tokenOf } = await servePortico();
  const [member, other, neverSet, unknown] = ['PTY-1', 'PTY-2', 'PTY-3', 'PTY-9'].map((locator) =>
    aMember(locator, tokenOf(locator)),
  ) as [Member, Member, Member, Member];
  return { as: ({ token }: Member) => porticoClient({ url, token }), member, other, neverSet, unknown };
};

/** Throws on a failure that ports do not have. */
const asPortResult = <T>(result: ResultAsync<T, ClientFailure>): ResultAsync<T, Failure> =>
  result.mapErr((failure) => {
    if (isCoreFailure(failure)) return failure;
    // Ports have no such failure.
    if (failure.kind === 'cancelled') return upstream('portico', 'unreachable');
    throw new Error(`Not a failure of a port: ${failure.kind}`);
  });

const coreFailureKinds = {
  invalid: true,
  unauthenticated: true,
  'insufficient-scope': true,
  'not-found': true,
  'precondition-failed': true,
  upstream: true,
  overloaded: true,
  unexpected: true,
} satisfies Record<Failure['kind'], true>;

const isCoreFailure = (failure: ClientFailure): failure is Failure => Object.hasOwn(coreFailureKinds, failure.kind);

eligibilityContract(runner, async () => {
  const { as, ...members } = await startServer();
  const eligibility: Eligibility = {
    coverage: (member) => asPortResult(as(member).getCoverage()),
    accumulators: (member) => asPortResult(as(member).getAccumulators()),
  };
  return { eligibility, own: { coverage: 'gold', accumulators: '1.00' }, ...members };
});

claimsContract(runner, async () => {
  const { as, ...members } = await startServer();
  const claims: Claims = {
    list: (member, query) => asPortResult(as(member).listClaims(query)),
    get: (member, locator) => asPortResult(as(member).getClaim(locator)),
    submit: (member, { idempotencyKey, ...body }) => asPortResult(as(member).submitClaim(body, idempotencyKey)),
  };
  return { claims, claim: 'CLM-1' as ClaimLocator, unmatched: [['status', 'denied']], ...members };
});

documentsContract(runner, async () => {
  const { as, ...members } = await startServer();
  const documents: Documents = {
    list: (member, query) => asPortResult(as(member).listDocuments(query)),
    get: (member, ...input) => asPortResult(as(member).getDocument(...input)),
  };
  return { documents, document: 'DOC-1' as DocumentLocator, unmatched: [['type', 'policy']], ...members };
});

policyContract(runner, async () => {
  const { as, ...members } = await startServer();
  const policy: Policy = {
    profile: (member) => asPortResult(as(member).getProfile()),
    patchProfile: (member, { mediaType, ...patch }, ifMatch) =>
      asPortResult(as(member).patchProfile(patch, mediaType, ifMatch)),
  };
  return { policy, own: 'Springfield', ...members };
});

notificationsContract(runner, async () => {
  const { as, ...members } = await startServer();
  const notifications: Notifications = {
    preferences: (member) => asPortResult(as(member).getPreferences()),
    // The token identifies the member in both cases.
    ownPreferences: (member) => asPortResult(as(member).getPreferences()),
    replacePreferences: (member, value, ifMatch) =>
      asPortResult(as(member).putPreferences({ text: JSON.stringify(value), value }, ifMatch)),
    list: (member, query) => asPortResult(as(member).listNotifications(query)),
    log: (member, query) => asPortResult(as(member).readNotificationLog(query)),
  };
  return { notifications, ...members };
});

consentContract(runner, async () => {
  const { as, ...members } = await startServer();
  const consent: Consent = {
    get: (member) => asPortResult(as(member).getConsent()),
    replace: (member, state, ifMatch) => asPortResult(as(member).putConsent(state, ifMatch)),
  };
  return { consent, ...members };
});

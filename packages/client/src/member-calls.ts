import { type ClaimLocator, readAndWritePreferences, toJson } from '@portico/core';
import type { ResultAsync } from 'neverthrow';
import type { Claim } from './routes/bodies.ts';
import type { JsonOf, MemberCalls } from './calls.ts';
import { getDocument } from './documents.ts';
import type { ClientFailure } from './failures/failure.ts';
import { withLocator, withQuery } from './paths.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** Calls the routes of contract, section 2. Each call has the name of the use case behind its route. */
export const memberCalls = (transport: Transport): MemberCalls => {
  const json = <Body>(request: RequestOptions): ResultAsync<JsonOf<Body>, ClientFailure> =>
    transport.requestJson(request).map(({ json }) => json as JsonOf<Body>);
  const calls: MemberCalls = {
    getCoverage: (signal) => json({ path: '/me/coverage', signal }),
    getAccumulators: (signal) => json({ path: '/me/accumulators', signal }),
    listClaims: (query = '', signal) => json({ path: withQuery('/me/claims', query), signal }),
    getClaim: (locator, signal) => withLocator('/me/claims', locator).asyncAndThen((path) => json({ path, signal })),
    submitClaim: (body, idempotencyKey, signal) =>
      transport
        .requestJson({
          method: 'POST',
          path: '/me/claims',
          body,
          headers: { 'Idempotency-Key': idempotencyKey },
          signal,
        })
        .map(({ json: claim, response }) => ({
          outcome: response.status === 202 ? 'accepted' : 'created',
          claim: claim as JsonOf<Claim>,
          ...locatorIn(response),
        })),
    listDocuments: (query = '', signal) => json({ path: withQuery('/me/documents', query), signal }),
    getDocument: getDocument(transport),
    getProfile: (signal) => json({ path: '/me/profile', signal }),
    patchProfile: (body, mediaType = 'application/merge-patch+json', ifMatch, signal) =>
      json({ method: 'PATCH', path: '/me/profile', body, mediaType, headers: { 'If-Match': ifMatch }, signal }),
    getPreferences: (signal) => json({ path: '/me/preferences', signal }),
    putPreferences: (body, ifMatch, signal) =>
      json({ method: 'PUT', path: '/me/preferences', body, headers: { 'If-Match': ifMatch }, signal }),
    // There is no route for this: it reads and writes, as in the core. Another member may sign in between.
    changePreferences: (change, signal) => {
      const { getPreferences, putPreferences } = memberCalls(transport.withOneToken());
      return readAndWritePreferences(
        () => getPreferences(signal),
        (preferences, etag) => putPreferences(toJson(preferences), etag, signal),
        change,
      );
    },
    getConsent: (signal) => json({ path: '/me/consent', signal }),
    putConsent: (body, ifMatch, signal) =>
      json({ method: 'PUT', path: '/me/consent', body, headers: { 'If-Match': ifMatch }, signal }),
    listNotifications: (query = '', signal) => json({ path: withQuery('/me/notifications', query), signal }),
    readNotificationLog: (query = '', signal) => json({ path: withQuery('/me/notifications/log', query), signal }),
  };
  return calls;
};

/** The new claim's locator. The server sends it only when it is valid. */
const locatorIn = ({ headers }: Response): { readonly locator?: ClaimLocator } => {
  const locator = /\/me\/claims\/([^/?#]+)$/.exec(headers.get('Location') ?? '')?.[1];
  return locator === undefined ? {} : { locator: locator as ClaimLocator };
};

import { type ClaimLocator, readPreferences, toJson, upstream } from '@portico/core';
import { errAsync, okAsync } from 'neverthrow';
import type { MemberCalls } from './calls.ts';
import { getDocument } from './documents.ts';
import { withLocator, withQuery } from './paths.ts';
import type { Question, Transport } from './transport.ts';

/** The routes of contract, section 2, under the names of the use cases that they serve. */
export const memberCalls = (transport: Transport): MemberCalls => {
  const json = (question: Question) => transport.ask(question).map(({ json }) => json);
  const calls: MemberCalls = {
    getCoverage: (signal) => json({ path: '/me/coverage', signal }),
    getAccumulators: (signal) => json({ path: '/me/accumulators', signal }),
    listClaims: (query, signal) => json({ path: withQuery('/me/claims', query), signal }),
    getClaim: (locator, signal) => withLocator('/me/claims', locator).asyncAndThen((path) => json({ path, signal })),
    submitClaim: (body, idempotencyKey, signal) =>
      transport
        .ask({ method: 'POST', path: '/me/claims', body, headers: { 'Idempotency-Key': idempotencyKey }, signal })
        .map(({ json: claim, response }) => ({
          outcome: response.status === 202 ? 'accepted' : 'created',
          claim,
          ...locatorIn(response),
        })),
    listDocuments: (query, signal) => json({ path: withQuery('/me/documents', query), signal }),
    getDocument: getDocument(transport),
    getProfile: (signal) => json({ path: '/me/profile', signal }),
    patchProfile: (body, mediaType = 'application/merge-patch+json', signal) =>
      json({ method: 'PATCH', path: '/me/profile', body, mediaType, signal }),
    getPreferences: (signal) => json({ path: '/me/preferences', signal }),
    putPreferences: (body, signal) => json({ method: 'PUT', path: '/me/preferences', body, signal }),
    // No route of its own: it reads and writes, as in the core.
    changePreferences: (change, signal) => {
      const whole = readPreferences(change);
      const current = whole
        ? okAsync(whole)
        : calls.getPreferences(signal).andThen(({ value }) => {
            const found = readPreferences(value);
            return found ? okAsync(found) : errAsync(upstream('notifications', 'malformed'));
          });
      return current.andThen((preferences) => calls.putPreferences(toJson({ ...preferences, ...change }), signal));
    },
    getConsent: (signal) => json({ path: '/me/consent', signal }),
    putConsent: (body, signal) => json({ method: 'PUT', path: '/me/consent', body, signal }),
    listNotifications: (query, signal) => json({ path: withQuery('/me/notifications', query), signal }),
    readNotificationLog: (query, signal) => json({ path: withQuery('/me/notifications/log', query), signal }),
  };
  return calls;
};

/** The server names a new claim's locator when it is a valid one. */
const locatorIn = ({ headers }: Response): { readonly locator?: ClaimLocator } => {
  const locator = /\/me\/claims\/([^/?#]+)$/.exec(headers.get('Location') ?? '')?.[1];
  return locator === undefined ? {} : { locator: locator as ClaimLocator };
};

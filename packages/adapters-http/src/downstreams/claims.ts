import type { Claims } from '@portico/core';
import { downstream, type DownstreamSettings } from './downstream.ts';

/** The claims system over HTTP. */
export const httpClaims = (settings: DownstreamSettings<'claims'>): Claims => {
  const claims = downstream('claims', settings);
  return {
    list: (member, query) => claims.get('list', member, { query }),
    get: (member, locator) => claims.get('get', member, { parameters: { locator } }),
    submit: (member, draft) =>
      claims
        .send('POST', 'submit', member, { body: draft, idempotencyKey: draft.idempotencyKey })
        .map(({ status, ...claim }) => ({ outcome: status === 202 ? 'accepted' : 'created', claim })),
  };
};

import type { Claims } from '@portico/core';
import { downstream, type DownstreamSettings } from './downstream.ts';

const paths = {
  list: '/members/{partyLocator}/claims',
  submit: '/members/{partyLocator}/claims',
  get: '/members/{partyLocator}/claims/{locator}',
};

/** The claims system over HTTP. */
export const httpClaims = (settings: DownstreamSettings<keyof typeof paths>): Claims => {
  const claims = downstream('claims', settings, paths);
  return {
    list: (member, query) => claims.get('list', member, { query }),
    get: (member, locator) => claims.get('get', member, { locator }),
    submit: (member, draft) =>
      claims
        .send('POST', 'submit', member, draft, draft.idempotencyKey ? { 'idempotency-key': draft.idempotencyKey } : {})
        .map(({ status, ...claim }) => ({ outcome: status === 202 ? 'accepted' : 'created', claim })),
  };
};

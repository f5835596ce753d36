import type { ListClaims, Member, Search } from '@portico/core';

/** Summarizes a member's claims in one sentence. */
export const claimsBanner =
  (listClaims: ListClaims) =>
  async (member: Member): Promise<string> =>
    (await listClaims(member, [['status', 'open']])).match(
      ({ value }) => {
        const { length } = (value as { readonly claims: readonly unknown[] }).claims;
        return length === 0
          ? 'You have no open claims.'
          : `${length} of your claims ${length === 1 ? 'is' : 'are'} open.`;
      },
      ({ kind }) => (kind === 'not-found' ? 'You have no claims yet.' : 'Your claims cannot be shown right now.'),
    );

/** Counts the networks that returned offers. */
export const countOffers =
  (search: Search) =>
  async (query: string): Promise<string> =>
    search({ persona: 'member', query, user_id: 'banner' }).match(
      async ({ response }) => {
        const { legs } = await response;
        return `${legs.filter((leg) => 'callback' in leg).length} of ${legs.length} networks responded.`;
      },
      async () => 'The search could not be started.',
    );

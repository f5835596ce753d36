import { type Credentials, refusedToken } from '@portico/core';
import { err } from 'neverthrow';
import { claimedIssuer } from '../identity/identity-providers.ts';

/**
 * Chooses the credentials by the issuer of the member's token, because only that issuer can exchange it. A member's token
 * is verified already; the token of another issuer is refused.
 */
export const credentialsByIssuer = (byIssuer: Readonly<Record<string, Credentials>>): Credentials => {
  const known = new Map(Object.entries(byIssuer));
  return {
    identifiesMember: [...known.values()].every(({ identifiesMember }) => identifiesMember),
    for: (member) => known.get(claimedIssuer(member.token) ?? '')?.for(member) ?? err(refusedToken('issuer')),
  };
};

import { type Credentials, refusedToken } from '@portico/core';
import { decodeJwt } from 'jose';
import { err } from 'neverthrow';

/**
 * Chooses the credentials by the issuer of the member's token, because only that issuer can exchange it. A member's token
 * is verified already; the token of another issuer is refused.
 */
export const credentialsByIssuer = (byIssuer: Readonly<Record<string, Credentials>>): Credentials => {
  const known = new Map(Object.entries(byIssuer));
  return {
    identifiesMember: [...known.values()].every(({ identifiesMember }) => identifiesMember),
    for: (member) => known.get(issuerOf(member.token) ?? '')?.for(member) ?? err(refusedToken('issuer')),
  };
};

const issuerOf = (token: string): string | undefined => {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
};

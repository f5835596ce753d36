import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import { type Failure, refusedToken, unauthenticated } from '../shared/failure.ts';
import { isPartyLocator, Member } from '../shared/member.ts';
import { isCompactJws } from './access-token.ts';
import type { AccessToken, Identity, TokenClaims, TokenRequest } from './identity.port.ts';

/** Returns the member of a bearer token. Fails `missing` without a token, and `invalid` for any bad token. */
export type Authenticate = (token: string | undefined) => ResultAsync<Member, Failure>;

/** The only way to create a `Member`. `locatorClaim`: a claim, or `auto`: `partyLocator` if present, else `sub`. */
export const authenticate =
  (identity: Identity, locatorClaim = 'auto'): Authenticate =>
  (token) => {
    if (!token) return errAsync(unauthenticated('missing'));
    if (!isCompactJws(token)) return errAsync(refusedToken('malformed'));
    return identity.verify(token).andThen((claims) => {
      const locator = claims[locatorClaimOf(claims, locatorClaim)];
      return isPartyLocator(locator) ? okAsync(new Member(locator, token)) : errAsync(refusedToken('locator'));
    });
  };

/** Requests an access token for these credentials. */
export type RequestToken = (request: TokenRequest) => ResultAsync<AccessToken, Failure>;

export const requestToken =
  (identity: Identity): RequestToken =>
  (request) =>
    identity.requestToken(request);

/** The name of the claim that holds the locator: the setting, or with `auto` the first of the two that is present. */
export const locatorClaimOf = (claims: TokenClaims, locatorClaim: string): string => {
  if (locatorClaim !== 'auto') return locatorClaim;
  return Object.hasOwn(claims, 'partyLocator') ? 'partyLocator' : 'sub';
};

/** Whether the claims name a member: the claim that holds the locator is present and valid. */
export const namesMember = (claims: TokenClaims, locatorClaim = 'auto'): boolean =>
  isPartyLocator(claims[locatorClaimOf(claims, locatorClaim)]);

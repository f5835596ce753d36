import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import { type Failure, insufficientScope, refusedToken, unauthenticated } from '../shared/failure.ts';
import { isPartyLocator, Member, type PartyLocator } from '../shared/member.ts';
import {
  type Access,
  accessDefaults,
  accessRefusal,
  type AccessRules,
  type IssuerRules,
  missingScope,
  rulesByIssuer,
  thumbprintOf,
} from './access-rules.ts';
import { isCompactJws } from './access-token.ts';
import type { AccessToken, Identity, TokenClaims, TokenRequest } from './identity.port.ts';
import type { DpopProof, ProofVerifier } from './dpop/proof-verifier.port.ts';

/**
 * Returns the member of an access token. Fails `missing` without a token, `invalid` for any bad token, `invalid-proof` for
 * a bad DPoP proof, and `insufficient-scope` when the token lacks a scope for this access.
 *
 * @param access one, or several that are all needed; default: `write`, so that a caller that leaves it out never allows too
 *   much
 * @param dpop for a token that was sent with the scheme `DPoP` (RFC 9449, section 7.1), not `Bearer`
 */
export type Authenticate = (
  token: string | undefined,
  access?: Access | readonly [Access, ...Access[]],
  dpop?: DpopProof,
) => ResultAsync<Member, Failure>;

/** The only way to create a `Member`. Without `proofs`, every token with the scheme `DPoP` is refused. */
export const authenticate = (identity: Identity, rules: IssuerRules = {}, proofs?: ProofVerifier): Authenticate => {
  const rulesFor = rulesByIssuer(rules);
  return (token, access = 'write', dpop) => {
    if (!token) return errAsync(unauthenticated('missing'));
    if (!isCompactJws(token)) return errAsync(refusedToken('malformed'));
    return identity.verify(token).andThen((claims): Result<Member, Failure> | ResultAsync<Member, Failure> => {
      const issuerRules = rulesFor(claims);
      if (!issuerRules) return err(refusedToken('issuer'));
      const locator = locatorIn(claims, issuerRules, dpop !== undefined);
      if (locator.isErr()) return err(locator.error);
      const member = () => {
        const scope = missingScope(claims, issuerRules, access);
        return scope === undefined ? ok(new Member(locator.value, token)) : err(insufficientScope(scope));
      };
      if (!dpop) return member();
      const thumbprint = thumbprintOf(claims);
      if (thumbprint === undefined || !proofs) return err(refusedToken('scheme'));
      return proofs.verify({ ...dpop, token, thumbprint }).andThen(member);
    });
  };
};

/** The member of a verified token, if the rules of its issuer allow it. */
const locatorIn = (claims: TokenClaims, rules: AccessRules, hasProof: boolean): Result<PartyLocator, Failure> => {
  const refusal = accessRefusal(claims, rules, hasProof);
  if (refusal) return err(refusedToken(refusal));
  const locator = claims[locatorClaimOf(claims, rules.locatorClaim)];
  return isPartyLocator(locator) ? ok(locator) : err(refusedToken('locator'));
};

/** Requests an access token for these credentials. */
export type RequestToken = (request: TokenRequest) => ResultAsync<AccessToken, Failure>;

export const requestToken =
  (identity: Identity): RequestToken =>
  (request) =>
    identity.requestToken(request);

/** The name of the claim that holds the locator: the setting, or with `auto` the first of the two that is present. */
export const locatorClaimOf = (claims: TokenClaims, locatorClaim: string = accessDefaults.locatorClaim): string => {
  if (locatorClaim !== 'auto') return locatorClaim;
  return Object.hasOwn(claims, 'partyLocator') ? 'partyLocator' : 'sub';
};

/** Whether the claims name a member: the claim that holds the locator is present and valid. */
export const namesMember = (claims: TokenClaims, locatorClaim?: string): boolean =>
  isPartyLocator(claims[locatorClaimOf(claims, locatorClaim)]);

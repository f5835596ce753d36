import type { TokenRefusal } from '../shared/failure.ts';
import { givenFields } from '../shared/given-fields.ts';
import { isObject } from '../shared/json/json.ts';
import { isPartyLocator } from '../shared/member.ts';
import type { TokenClaims } from './identity.port.ts';

/** What an operation does with the member's data: `read` for GET and HEAD, `write` for every other method. */
export type Access = 'read' | 'write';

export const accessDefaults = { locatorClaim: 'auto', memberTokensOnly: true, dpop: 'off' } as const;

/**
 * Which verified tokens may act for a member, and what they may do (contract, section 10). Defaults:
 * `accessDefaults`.
 */
export interface AccessRules {
  /** The claim with the member's locator, or `auto`: `partyLocator` if present, else `sub`. */
  readonly locatorClaim?: string;
  /**
   * Whether to refuse the tokens of programs (RFC 9700, section 4.15): those without `partyLocator` whose `sub` is their
   * `client_id` or `azp`.
   */
  readonly memberTokensOnly?: boolean;
  /** The clients, by `client_id` and `azp`, whose tokens are accepted. Default: any. */
  readonly clients?: readonly string[];
  /** The scopes that a token needs for each kind of access, separated by spaces. Default: none. */
  readonly scopes?: { readonly [Name in Access]?: string };
  /**
   * DPoP-bound tokens (RFC 9449): refused (`off`), accepted with a proof beside plain bearer tokens (`accept`), or
   * the only ones that are accepted (`require`).
   */
  readonly dpop?: 'off' | 'accept' | 'require';
}

/**
 * The rules of one issuer or, with `issuers`, of each issuer by its `iss`: a token of another issuer is refused. Rules
 * beside `issuers` are the defaults of each of them.
 */
export type IssuerRules = AccessRules & { readonly issuers?: Readonly<Record<string, AccessRules>> };

/** Returns a function that finds the rules for a token. Undefined: no rules exist for its issuer. */
export const rulesByIssuer = ({
  issuers,
  ...rules
}: IssuerRules): ((claims: TokenClaims) => AccessRules | undefined) => {
  if (issuers === undefined) return () => rules;
  // Merged once, not for each request.
  const merged = new Map<unknown, AccessRules>(
    Object.entries(issuers).map(([issuer, own]) => [issuer, { ...rules, ...givenFields(own) }]),
  );
  return ({ iss }) => merged.get(iss);
};

/** Why a verified token must not act for a member. `hasProof`: it came with the DPoP scheme. */
export const accessRefusal = (
  claims: TokenClaims,
  {
    locatorClaim,
    memberTokensOnly = accessDefaults.memberTokensOnly,
    clients,
    dpop = accessDefaults.dpop,
  }: AccessRules,
  hasProof: boolean,
): TokenRefusal | undefined => {
  if (hasProof ? dpop === 'off' || thumbprintOf(claims) === undefined : dpop === 'require' || isBound(claims))
    return 'scheme';
  if (memberTokensOnly && isProgram(claims, locatorClaim)) return 'program';
  return clients && !isOneOf(claims, clients) ? 'client' : undefined;
};

/** The SHA-256 thumbprint of the key that the token is bound to (RFC 9449, section 6.1). */
export const thumbprintOf = ({ cnf }: TokenClaims): string | undefined => {
  const jkt = isObject(cnf) ? cnf['jkt'] : undefined;
  return typeof jkt === 'string' ? jkt : undefined;
};

/** Any confirmation method (RFC 7800, section 3.1), also one that cannot be checked here, such as a client certificate. */
const isBound = (claims: TokenClaims): boolean => Object.hasOwn(claims, 'cnf');

/** A party locator makes it a member's token, unless the settings read the locator from `sub` anyway. */
const isProgram = (claims: TokenClaims, locatorClaim: string | undefined): boolean => {
  const { sub, client_id: clientId, azp, partyLocator } = claims;
  const namesMember = locatorClaim !== 'sub' && isPartyLocator(partyLocator);
  return sub !== undefined && (sub === clientId || sub === azp) && !namesMember;
};

/** A token with both claims must have allowed values in both. */
const isOneOf = ({ client_id: clientId, azp }: TokenClaims, clients: readonly string[]): boolean => {
  const named = [clientId, azp].filter((client) => client !== undefined);
  return named.length > 0 && named.every((client) => clients.includes(client as string));
};

/**
 * The scopes that the token needs for one of these kinds of access but lacks (RFC 6749, section 3.3; RFC 9068, section
 * 2.2.3).
 */
export const missingScope = (
  claims: TokenClaims,
  { scopes }: AccessRules,
  access: Access | readonly Access[],
): string | undefined => {
  for (const each of typeof access === 'string' ? [access] : access) {
    const needed = scopes?.[each];
    if (needed !== undefined && !hasScopes(claims, needed)) return needed;
  }
  return undefined;
};

const hasScopes = (claims: TokenClaims, needed: string): boolean => {
  const granted = scopesOf(claims);
  return needed.split(' ').every((scope) => granted.has(scope));
};

/** `scope` is a string of scopes; some providers use an array, or the claim `scp`. */
const scopesOf = ({ scope, scp }: TokenClaims): ReadonlySet<string> =>
  new Set(
    [scope, scp]
      .flat()
      .filter((granted) => typeof granted === 'string')
      .flatMap((granted) => granted.split(' ')),
  );

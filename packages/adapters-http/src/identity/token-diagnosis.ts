import {
  accessDefaults,
  accessRefusal,
  type AccessRules,
  isCompactJws,
  locatorClaimOf,
  maxAccessTokenBytes,
  namesMember,
} from '@portico/core';
import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader, errors } from 'jose';
import { fromThrowable } from 'neverthrow';
import { hasTokenType, tokenTypes } from './identity.ts';
import { checkWith, strongKeysIn } from './key-set.ts';

/** The settings that a token is compared with. */
export interface TokenRules extends Omit<AccessRules, 'scopes'> {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  readonly maxLifetimeSeconds: number;
}

/**
 * One rule and what the token has. `holds` is undefined where it could not be tested. Of the token it shows `iss`, `aud`,
 * `exp`, `typ`, `alg`, `kid`, `client_id`, `azp` and the names of claims, never the value of another claim.
 */
export interface TokenFinding {
  readonly rule:
    | 'form'
    | 'algorithm'
    | 'type'
    | 'key'
    | 'signature'
    | 'issuer'
    | 'audience'
    | 'lifetime'
    | 'binding'
    | 'program'
    | 'client'
    | 'locator';
  readonly holds: boolean | undefined;
  readonly expected: string;
  readonly found: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Compares a token with each rule of the contract, section 1, by name. `keys` is the provider's key set, undefined where
 * there is none. A token of another form has nothing else to compare.
 */
export const diagnoseToken = async (
  token: string,
  rules: TokenRules,
  keys: unknown,
  nowMs: number,
): Promise<readonly TokenFinding[]> => {
  const parts = partsOf(token);
  const expected = `a signed JWT of at most ${maxAccessTokenBytes / 1024} KiB`;
  if (!parts) return [{ rule: 'form', holds: false, expected, found: `something else, of ${token.length} characters` }];
  const { header, claims } = parts;
  return [
    { rule: 'form', holds: true, expected, found: 'a signed JWT' },
    algorithmOf(header, rules),
    typeOf(header),
    ...(await signatureOf(token, header, rules, keys)),
    { rule: 'issuer', holds: claims['iss'] === rules.issuer, expected: rules.issuer, found: shown(claims['iss']) },
    audienceOf(claims, rules),
    lifetimeOf(claims, rules, nowMs / 1000),
    ...accessOf(claims, rules),
    locatorOf(claims, rules),
  ];
};

const partsOf = (token: string): { readonly header: Fields; readonly claims: Fields } | undefined =>
  isCompactJws(token) ? decoded(token).unwrapOr(undefined) : undefined;

const decoded = fromThrowable((token: string) => ({ header: decodeProtectedHeader(token), claims: decodeJwt(token) }));

const algorithmOf = ({ alg }: Fields, { algorithms }: TokenRules): TokenFinding => ({
  rule: 'algorithm',
  holds: typeof alg === 'string' && algorithms.includes(alg),
  expected: algorithms.join(', '),
  found: shown(alg),
});

const typeOf = (header: Fields): TokenFinding => ({
  rule: 'type',
  holds: hasTokenType(header),
  expected: `none, ${[...tokenTypes].join(', ')}`,
  found: shown(header['typ']),
});

/** The rules `key` and `signature`. */
const signatureOf = async (
  token: string,
  header: Fields,
  { algorithms }: TokenRules,
  keys: unknown,
): Promise<readonly TokenFinding[]> => {
  const key = { rule: 'key', expected: 'a published key', found: `kid ${shown(header['kid'])}` } as const;
  const signature = { rule: 'signature', expected: 'made with that key' } as const;
  const untested = (why: string) => [
    { ...key, holds: undefined },
    { ...signature, holds: undefined, found: why },
  ];
  if (keys === undefined) return untested('not tested: there is no key set');
  if (!algorithms.includes(String(header['alg']))) return untested('not tested: the algorithm is not allowed');
  try {
    await checkWith(createLocalJWKSet({ keys: strongKeysIn(keys) }), (find) => compactVerify(token, find));
    return [
      { ...key, holds: true },
      { ...signature, holds: true, found: 'made with that key' },
    ];
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey)
      return [
        { ...key, holds: false },
        { ...signature, holds: undefined, found: 'not tested: no key fits' },
      ];
    const isForged = error instanceof errors.JWSSignatureVerificationFailed;
    const found = isForged ? 'made with another key, or the token was changed' : 'cannot be verified';
    return [
      { ...key, holds: isForged || undefined },
      { ...signature, holds: false, found },
    ];
  }
};

const audienceOf = ({ aud }: Fields, { audience }: TokenRules): TokenFinding => ({
  rule: 'audience',
  holds: [aud].flat().some((one) => audience.includes(one as string)),
  expected: audience.join(' or '),
  found: shown(aud),
});

const lifetimeOf = (claims: Fields, rules: TokenRules, now: number): TokenFinding => {
  const { clockToleranceSeconds: tolerance, maxLifetimeSeconds } = rules;
  const problem = timeProblem(claims, tolerance, maxLifetimeSeconds, now);
  return {
    rule: 'lifetime',
    holds: problem === undefined,
    expected: `exp is in the future and at most ${maxLifetimeSeconds} s after iat; iat and nbf are not in the future (tolerance ${tolerance} s)`,
    found: [`exp ${timeText(claims['exp'])}`, ...(problem === undefined ? [] : [problem])].join(': '),
  };
};

const timeProblem = (claims: Fields, tolerance: number, most: number, now: number): string | undefined => {
  const { exp, iat, nbf } = claims;
  if (exp === undefined) return 'there is no exp';
  if (!isTime(exp)) return 'exp is not a number of seconds';
  if (iat !== undefined && !isTime(iat)) return 'iat is not a number of seconds';
  if (nbf !== undefined && !isTime(nbf)) return 'nbf is not a number of seconds';
  if (exp <= now - tolerance) return 'the token has expired';
  if (iat !== undefined && iat > now + tolerance) return 'iat is in the future';
  if (nbf !== undefined && nbf > now + tolerance) return 'nbf is in the future';
  return exp - (iat ?? now) > most ? 'the lifetime is longer than allowed' : undefined;
};

/** The rules of the contract, section 10. A rule is not tested when one before it is broken. */
const accessOf = (claims: Fields, rules: TokenRules): readonly TokenFinding[] => {
  const { dpop = accessDefaults.dpop, memberTokensOnly = accessDefaults.memberTokensOnly, clients } = rules;
  const isBound = Object.hasOwn(claims, 'cnf');
  const refusal = accessRefusal(claims, rules, isBound);
  const holds = (rule: typeof refusal, ...before: readonly (typeof refusal)[]) =>
    before.includes(refusal) ? undefined : refusal !== rule;
  const bindings = { off: 'not bound to a key', accept: 'any', require: 'bound to a key (cnf.jkt)' };
  const { client_id: clientId, azp } = claims;
  const client = `client_id ${shown(clientId)}, azp ${shown(azp)}`;
  return [
    {
      rule: 'binding',
      holds: holds('scheme'),
      expected: bindings[dpop],
      found: isBound ? 'has a cnf' : 'not bound to a key',
    },
    {
      rule: 'program',
      holds: holds('program', 'scheme'),
      expected: memberTokensOnly ? 'partyLocator, or a sub that is not the client' : 'any',
      found: client,
    },
    {
      rule: 'client',
      holds: holds('client', 'scheme', 'program'),
      expected: clients?.join(' or ') ?? 'any',
      found: client,
    },
  ];
};

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const locatorOf = (claims: Fields, { locatorClaim = accessDefaults.locatorClaim }: TokenRules): TokenFinding => {
  const name = locatorClaimOf(claims, locatorClaim);
  const state = namesMember(claims, locatorClaim)
    ? 'is a locator'
    : Object.hasOwn(claims, name)
      ? 'is not a locator'
      : 'is missing';
  return {
    rule: 'locator',
    holds: namesMember(claims, locatorClaim),
    expected: locatorClaim === 'auto' ? 'partyLocator, else sub, is a locator' : `${locatorClaim} is a locator`,
    found: `${name} ${state}; claims: ${Object.keys(claims).join(', ')}`,
  };
};

const shown = (value: unknown): string => {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const timeText = (seconds: unknown): string => {
  const time = new Date(Number(seconds) * 1000);
  return isTime(seconds) && !Number.isNaN(time.getTime()) ? time.toISOString() : shown(seconds);
};

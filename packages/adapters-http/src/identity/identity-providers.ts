import { type Failure, type Identity, refusedToken } from '@portico/core';
import { decodeJwt } from 'jose';
import { err, errAsync, ok, type Result, ResultAsync } from 'neverthrow';
import { httpIdentity, type IdentitySettings } from './identity.ts';

/**
 * Verifies the tokens of several issuers, each with its own settings and keys. The `iss` of a token only selects the
 * settings; it is trusted only after the signature was verified with their keys. Tokens are requested from the first
 * issuer.
 */
export const httpIdentities = (providers: readonly IdentitySettings[]): Identity => {
  const identities = providers.map((settings) => httpIdentity(settings));
  const [first, ...others] = identities;
  if (!first) throw new TypeError('At least one issuer is required.');
  if (others.length === 0) return first;
  const byIssuer = new Map(providers.map(({ issuer }, index) => [issuer, identities[index]!]));
  if (byIssuer.size !== providers.length) throw new TypeError('Each issuer must be listed once.');
  return {
    verify: (token) => {
      const issuer = issuerOf(token);
      if (issuer.isErr()) return errAsync(issuer.error);
      return byIssuer.get(issuer.value ?? '')?.verify(token) ?? errAsync(refusedToken('issuer'));
    },
    requestToken: (request) => first.requestToken(request),
    warm: () => new ResultAsync(firstWarmed(identities)),
  };
};

/** The issuer that an unverified token claims. Use it to select settings only. */
export const claimedIssuer = (token: string): string | undefined => issuerOf(token).unwrapOr(undefined);

/** A token without `iss` matches no issuer. */
const issuerOf = (token: string): Result<string | undefined, Failure> => {
  try {
    const { iss } = decodeJwt(token);
    return ok(typeof iss === 'string' ? iss : undefined);
  } catch {
    return err(refusedToken('malformed'));
  }
};

/** Succeeds with the first provider that has keys: the members of the others get 502 until theirs are loaded. */
const firstWarmed = (identities: readonly Identity[]): Promise<Result<void, Failure>> => {
  const { promise, resolve } = Promise.withResolvers<Result<void, Failure>>();
  const results = identities.map(async ({ warm }) => {
    const result = await warm();
    if (result.isOk()) resolve(result);
    return result;
  });
  void Promise.all(results).then(([first]) => resolve(first!));
  return promise;
};

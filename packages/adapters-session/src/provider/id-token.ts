import { type Clock, signatureAlgorithms } from '@portico/core';
import {
  errors,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose';
import type { Provider } from './discovery.ts';

/** Asymmetric algorithms only: nothing that the client's secret could sign. `Ed25519`: the newer name of EdDSA (RFC 9864). */
const algorithms = [...signatureAlgorithms, 'Ed25519'];

/** The client that tokens are issued for, and the clock for their times. */
export interface TokenAudience {
  readonly clientId: string;
  readonly clock: Clock;
  /** How far the provider's clock may differ. */
  readonly clockToleranceSeconds: number;
}

interface TokenRules extends Pick<JWTVerifyOptions, 'maxTokenAge' | 'requiredClaims'> {
  readonly issuer: string;
  readonly keys: JWTVerifyGetKey;
}

/** Verifies the signature, issuer, audience and times of a token of the provider. Rejects with an error of jose. */
export const verifyToken = async (
  token: string,
  { clientId, clock, clockToleranceSeconds }: TokenAudience,
  { keys, ...rules }: TokenRules,
): Promise<JWTVerifyResult> => {
  const options = {
    audience: clientId,
    algorithms,
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(clock.now()),
    ...rules,
  };
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    // If several keys have one id, any of them may verify (contract, section 1).
    for await (const key of error) {
      const verified = await jwtVerify(token, key, options).catch(exceptSignature);
      if (verified) return verified;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
};

const exceptSignature = (error: unknown): undefined => {
  if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
};

/**
 * Verifies the signature of an ID token, its issuer, audience and times (OpenID Connect Core 1.0, section 3.1.3.7). The
 * other claims were checked by oauth4webapi, which does not verify signatures of tokens that came from the token endpoint.
 */
export const verifyIdToken = async (
  { server: { issuer }, keys }: Provider,
  idToken: string,
  audience: TokenAudience,
): Promise<JWTPayload> => {
  const { payload } = await verifyToken(idToken, audience, { issuer, keys, requiredClaims: ['sub', 'exp', 'iat'] });
  return payload;
};

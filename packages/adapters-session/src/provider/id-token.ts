import type { Clock } from '@portico/core';
import { type JWTPayload, jwtVerify, type JWTVerifyOptions, type JWTVerifyResult } from 'jose';
import type { Provider } from './discovery.ts';

/** Asymmetric algorithms only: nothing that the client's secret could sign. */
const signatureAlgorithms = [
  'RS256',
  'PS256',
  'ES256',
  'EdDSA',
  'Ed25519',
  'RS384',
  'PS384',
  'ES384',
  'RS512',
  'PS512',
  'ES512',
];

/** How far the provider's clock may differ, in seconds. */
export const clockToleranceSeconds = 5;

/** The client that tokens are issued for, and the clock for their times. */
export interface TokenAudience {
  readonly clientId: string;
  readonly clock: Clock;
}

/** Verifies the signature, issuer, audience and times of a token of the provider. Rejects with an error of jose. */
export const verifyToken = (
  { server, keys }: Provider,
  token: string,
  { clientId, clock }: TokenAudience,
  rules: Pick<JWTVerifyOptions, 'maxTokenAge' | 'requiredClaims'>,
): Promise<JWTVerifyResult> =>
  jwtVerify(token, keys, {
    issuer: server.issuer,
    audience: clientId,
    algorithms: signatureAlgorithms,
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(clock.now()),
    ...rules,
  });

/**
 * Verifies the signature of an ID token, its issuer, audience and times (OpenID Connect Core 1.0, section 3.1.3.7). The
 * other claims were checked by oauth4webapi, which does not verify signatures of tokens that came from the token endpoint.
 */
export const verifyIdToken = async (
  provider: Provider,
  idToken: string,
  audience: TokenAudience,
): Promise<JWTPayload> => {
  const { payload } = await verifyToken(provider, idToken, audience, { requiredClaims: ['sub', 'exp', 'iat'] });
  return payload;
};

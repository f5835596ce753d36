import type { Clock } from '@portico/core';
import { type JWTPayload, jwtVerify } from 'jose';
import type { Provider } from './discovery.ts';

/** Asymmetric algorithms only: nothing that the client's secret could sign. */
export const signatureAlgorithms = [
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

/**
 * Verifies the signature of an ID token, its issuer, audience and times (OpenID Connect Core 1.0, section 3.1.3.7). The
 * other claims were checked by oauth4webapi, which does not verify signatures of tokens that came from the token endpoint.
 */
export const verifyIdToken = async (
  { server, keys }: Provider,
  idToken: string,
  { clientId, clock }: { readonly clientId: string; readonly clock: Clock },
): Promise<JWTPayload> => {
  const { payload } = await jwtVerify(idToken, keys, {
    issuer: server.issuer,
    audience: clientId,
    algorithms: signatureAlgorithms,
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(clock.now()),
    requiredClaims: ['sub', 'exp', 'iat'],
  });
  return payload;
};

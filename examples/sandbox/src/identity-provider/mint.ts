import { base64url, CompactSign, importJWK, type JWK } from 'jose';

/** Signs a token with the provider's key, for tests of token verification. */
export type Mint = (
  claims: Readonly<Record<string, unknown>>,
  header?: Readonly<Record<string, unknown>>,
) => Promise<string>;

/** Claims and header replace those of a valid access token; `undefined` removes them. `alg: 'none'` leaves it unsigned. */
export const mintWith =
  (issuer: string, audience: string, key: () => JWK): Mint =>
  async (claims, header = {}) => {
    const iat = Math.floor(Date.now() / 1000);
    const valid = { iss: issuer, aud: audience, sub: 'member-a', partyLocator: 'PTY-1001', iat, exp: iat + 900 };
    const payload = JSON.stringify({ ...valid, ...claims });
    const { alg = 'RS256', kid, ...jwk } = key();
    const protectedHeader = { alg, typ: 'at+jwt', ...(kid !== undefined && { kid }), ...header };
    if (protectedHeader.alg === 'none')
      return `${base64url.encode(JSON.stringify(protectedHeader))}.${base64url.encode(payload)}.`;
    return new CompactSign(new TextEncoder().encode(payload))
      .setProtectedHeader(protectedHeader)
      .sign(await importJWK(jwk, alg));
  };

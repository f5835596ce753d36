import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';

export const issuer = 'https://bench.example';

export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** A new RSA key: its public part as a JSON Web Key Set, and a function that signs access tokens. */
export const createSigner = async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' }] });
  /** The given claims override or complete those of a valid token. */
  const sign = (claims: JWTPayload, kid = 'bench'): Promise<string> => {
    const [iat, exp] = [secondsFromNow(0), secondsFromNow(80_000)];
    return new SignJWT({ iss: issuer, aud: 'portico', iat, exp, jti: randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
      .sign(privateKey);
  };
  return { jwks, sign };
};

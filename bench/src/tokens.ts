import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { exportJWK, SignJWT } from 'jose';

/** So many access tokens of one member, no two alike, and the keys to verify them with. */
export const issueTokens = async (count: number): Promise<{ readonly jwks: string; readonly tokens: string[] }> => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' }] });
  const claims = { scope: 'openid profile', azp: 'portico-web', preferred_username: 'bench', email_verified: true };
  const issue = () =>
    new SignJWT({ ...claims, sid: randomUUID() })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'bench' })
      .setIssuer('https://bench.example')
      .setAudience('portico')
      .setSubject('PTY-1')
      .setIssuedAt()
      .setExpirationTime('1h')
      .setJti(randomUUID())
      .sign(privateKey);
  const tokens: string[] = [];
  while (tokens.length < count) tokens.push(...(await Promise.all(Array.from({ length: 100 }, issue))));
  return { jwks, tokens };
};

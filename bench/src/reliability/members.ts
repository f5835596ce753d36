import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';

export interface Member {
  readonly locator: string;
  readonly token: string;
}

export const issuer = 'https://bench.example';
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

const sign = (key: KeyObject, claims: JWTPayload, { alg = 'RS256', kid = 'bench' } = {}): Promise<string> =>
  new SignJWT({ iss: issuer, aud: 'portico', iat: inSeconds(0), exp: inSeconds(80_000), jti: randomUUID(), ...claims })
    .setProtectedHeader({ alg, kid, typ: 'JWT' })
    .sign(key);

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Members with a good token each, the keys that say so, and tokens (by what is wrong with them) that nobody may get in with. */
export const issueMembers = async (count: number) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' }] });
  const locators = Array.from({ length: count }, (_, nth) => `PTY-${1000 + nth}`);
  const members: readonly Member[] = await Promise.all(
    locators.map(async (locator) => ({ locator, token: await sign(privateKey, { sub: locator }) })),
  );
  const sub = locators[0]!;
  const good = members[0]!.token;
  const [header = '', claims = '', signature = ''] = good.split('.');
  const hostile: Readonly<Record<string, string | undefined>> = {
    none: undefined,
    garbage: 'not-a-token',
    expired: await sign(privateKey, { sub, iat: inSeconds(-7200), exp: inSeconds(-3600) }),
    'not yet good': await sign(privateKey, { sub, nbf: inSeconds(3600) }),
    'another audience': await sign(privateKey, { sub, aud: 'another' }),
    'another issuer': await sign(privateKey, { sub, iss: 'https://another.example' }),
    'without an end': await sign(privateKey, { sub, exp: inSeconds(10 * 365 * 86_400) }),
    "a stranger's key": await sign(stranger, { sub }),
    'an unknown key': await sign(stranger, { sub }, { kid: 'unknown' }),
    'no algorithm': `${base64url({ alg: 'none', kid: 'bench' })}.${claims}.`,
    'other claims': `${header}.${base64url({ iss: issuer, aud: 'portico', sub: 'PTY-1001', exp: inSeconds(60) })}.${signature}`,
    'a bad locator': await sign(privateKey, { sub: '../PTY-1001' }),
    'too long': `${header}.${'A'.repeat(9000)}.${signature}`,
  };
  return { members, jwks, hostile };
};

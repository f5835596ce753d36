import { createSigner, issuer, secondsFromNow } from '../../tokens.ts';

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Members with a valid token each, the keys that verify them, and tokens that must be rejected. */
export const issueIdentities = async () => {
  const { jwks, sign } = await createSigner();
  const foreign = await createSigner();
  const locators = Array.from({ length: 200 }, (_, nth) => `PTY-${1000 + nth}`);
  const members = await Promise.all(locators.map(async (sub) => ({ locator: sub, token: await sign({ sub }) })));
  const { locator: sub, token } = members[0]!;
  const [header = '', claims = '', signature = ''] = token.split('.');
  const otherClaims = { iss: issuer, aud: 'portico', sub: 'PTY-1001', exp: secondsFromNow(60) };
  const badTokens = [
    undefined,
    'not-a-token',
    // Expired, not yet valid, for another audience, from another issuer, valid for too long.
    await sign({ sub, iat: secondsFromNow(-7200), exp: secondsFromNow(-3600) }),
    await sign({ sub, nbf: secondsFromNow(3600) }),
    await sign({ sub, aud: 'another' }),
    await sign({ sub, iss: 'https://another.example' }),
    await sign({ sub, exp: secondsFromNow(10 * 365 * 86_400) }),
    // Signed with a foreign key, with an unknown key, without an algorithm, for other claims.
    await foreign.sign({ sub }),
    await foreign.sign({ sub }, 'unknown'),
    `${base64url({ alg: 'none', kid: 'bench' })}.${claims}.`,
    `${header}.${base64url(otherClaims)}.${signature}`,
    // With an invalid locator, too long.
    await sign({ sub: '../PTY-1001' }),
    `${header}.${'A'.repeat(9000)}.${signature}`,
  ];
  return { members, jwks, badTokens };
};

export type Identities = Awaited<ReturnType<typeof issueIdentities>>;

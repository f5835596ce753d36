import { equal, failsAs, succeeds } from '../contract/assertions.ts';
import { contractSuite } from '../contract/contract-suite.ts';
import type { Identity, TokenClaims } from './identity.port.ts';

export interface IdentitySubject {
  readonly identity: Identity;
  /** A valid token, and its `sub`. */
  readonly token: string;
  readonly subject: string;
  /** A well-formed token that was signed with another key. */
  readonly forged: string;
  /**
   * Signs a token with the provider's key. `claims` and `header` replace those of a valid token; `undefined` removes a
   * claim. With `alg: 'none'` the token has an empty signature (RFC 7519, section 6.1).
   */
  readonly mint: (claims: TokenClaims, header?: Readonly<Record<string, unknown>>) => string | Promise<string>;
  /** Lets this many seconds pass. If it is absent, no token expires after it was verified. */
  readonly pass?: (seconds: number) => Promise<void>;
}

interface Valid {
  readonly iss: string;
  readonly aud: string;
  readonly exp: number;
  readonly iat: unknown;
}

/** How a token differs from a valid one, whose claims are given. */
interface Flaw {
  readonly claims?: (valid: Valid) => TokenClaims;
  readonly header?: Readonly<Record<string, unknown>>;
}

/** Times of 2001. */
const past = { iat: 1_000_000_000, exp: 1_000_000_300 };

const flaws: Readonly<Record<string, Flaw>> = {
  'rejects an expired token': { claims: () => past },
  'rejects a token that expired minutes ago': {
    claims: ({ iat }) => (typeof iat === 'number' ? { iat: iat - 600, exp: iat - 300 } : past),
  },
  'rejects a token that is not valid yet': { claims: ({ exp }) => ({ nbf: exp - 1 }) },
  'rejects a token that was issued in the future': { claims: ({ exp }) => ({ iat: exp - 1 }) },
  'rejects a token without an expiry': { claims: () => ({ exp: undefined }) },
  'rejects a token whose expiry is not a number': { claims: ({ exp }) => ({ exp: String(exp) }) },
  'rejects a token that is valid for years': { claims: ({ exp }) => ({ exp: exp + 315_360_000 }) },
  'rejects a token of another issuer': { claims: () => ({ iss: 'https://other.example' }) },
  'rejects a token of an issuer whose name begins like the right one': {
    claims: ({ iss }) => ({ iss: `${iss}.other.example` }),
  },
  'rejects a token of an issuer whose name ends like the right one': {
    claims: ({ iss }) => ({ iss: `https://other.example/${iss}` }),
  },
  'rejects a token without an issuer': { claims: () => ({ iss: undefined }) },
  'rejects a token for another audience': { claims: () => ({ aud: 'another-audience' }) },
  'rejects a token for an audience whose name begins like the right one': {
    claims: ({ aud }) => ({ aud: `${aud}-2` }),
  },
  'rejects a token for an audience whose name ends like the right one': {
    claims: ({ aud }) => ({ aud: `not-${aud}` }),
  },
  'rejects a token for several other audiences': { claims: ({ aud }) => ({ aud: ['another-audience', `${aud}-2`] }) },
  'rejects a token without an audience': { claims: () => ({ aud: undefined }) },
  'rejects a token without a signature': { header: { alg: 'none' } },
  'rejects a token of another type': { header: { typ: 'logout+jwt' } },
};

/** Checks that a token with the flaw is refused, and one without it is not. */
const refuses = async ({ identity, token, mint }: IdentitySubject, flaw: Flaw) => {
  await succeeds(identity.verify(await mint({})));
  const { iss, aud, exp, iat } = await succeeds(identity.verify(token));
  const audience = String(Array.isArray(aud) ? aud[0] : aud);
  const claims = flaw.claims?.({ iss: String(iss), aud: audience, exp: Number(exp), iat }) ?? {};
  await failsAs('unauthenticated', identity.verify(await mint(claims, flaw.header)));
};

/** Verifies the valid token so often that an adapter which caches claims from their second use on has them. */
const verifyOften = async ({ identity, token }: IdentitySubject): Promise<TokenClaims> => {
  await succeeds(identity.verify(token));
  await succeeds(identity.verify(token));
  return succeeds(identity.verify(token));
};

const partsOf = (token: string) => token.split('.') as [header: string, payload: string, signature: string];

export const identityContract = contractSuite<IdentitySubject>(
  'identity',
  {
    'returns the claims of a valid token': async ({ identity, token, subject, mint }) => {
      equal((await succeeds(identity.verify(token)))['sub'], subject, 'the claim "sub"');
      const minted = await succeeds(identity.verify(await mint({ partyLocator: 'PTY-CONTRACT' })));
      equal(minted['partyLocator'], 'PTY-CONTRACT', 'the claim "partyLocator"');
    },
    'returns the same claims when a token is verified again': async ({ identity, token }) => {
      const first = await succeeds(identity.verify(token));
      equal(await succeeds(identity.verify(token)), first, 'the claims of the second verification');
    },
    'returns the claims of each token when several are verified at the same time': async ({ identity, mint }) => {
      const subjects = ['contract-1', 'contract-2', 'contract-3'];
      const tokens = await Promise.all(subjects.map(async (sub) => mint({ sub })));
      const verified = await Promise.all(tokens.map((token) => succeeds(identity.verify(token))));
      equal(
        verified.map(({ sub }) => sub),
        subjects,
        'the claims "sub"',
      );
    },
    'rejects a forged token': async ({ identity, forged }) => {
      await failsAs('unauthenticated', identity.verify(forged));
    },
    'rejects a token whose claims were replaced': async (subject) => {
      const { identity, token, mint } = subject;
      const [header, , signature] = partsOf(token);
      await verifyOften(subject);
      const [, payload] = partsOf(await mint({ sub: 'someone-else' }));
      await failsAs('unauthenticated', identity.verify(`${header}.${payload}.${signature}`));
    },
    'rejects a token whose signature was replaced': async (subject) => {
      const { identity, token, mint } = subject;
      await verifyOften(subject);
      const [, , signature] = partsOf(await mint({ sub: 'someone-else' }));
      const [header, payload] = partsOf(token);
      await failsAs('unauthenticated', identity.verify(`${header}.${payload}.${signature}`));
    },
    'rejects a token whose signature was changed': async (subject) => {
      const { identity, token } = subject;
      await verifyOften(subject);
      // Not the last character: some of its bits may be unused.
      const [start, changed, end] = [token.slice(0, -3), token.at(-3), token.slice(-2)];
      await failsAs('unauthenticated', identity.verify(`${start}${changed === 'A' ? 'B' : 'A'}${end}`));
    },
    'accepts a token for several audiences': async ({ identity, token, mint }) => {
      const { aud } = await succeeds(identity.verify(token));
      await succeeds(identity.verify(await mint({ aud: ['another-audience', ...[aud].flat()] })));
    },
    'rejects a token that expired after it was verified': async (subject) => {
      const { identity, token, pass } = subject;
      const { exp, iat } = await verifyOften(subject);
      if (!pass || typeof exp !== 'number' || typeof iat !== 'number') return;
      await pass(exp - iat + 60);
      await failsAs('unauthenticated', identity.verify(token));
    },
    'rejects what is not a token': async ({ identity, token }) => {
      const [header, payload] = partsOf(token);
      const cut = [`${header}.${payload}`, `${header}.${payload}.`, `${token}.${token}`];
      for (const broken of ['', 'token', ...cut, ` ${token}`])
        await failsAs('unauthenticated', identity.verify(broken));
    },
    ...Object.fromEntries(
      Object.entries(flaws).map(([promise, flaw]) => [promise, (subject: IdentitySubject) => refuses(subject, flaw)]),
    ),
    'can be warmed more than once': async ({ identity, token }) => {
      await succeeds(identity.warm());
      await succeeds(identity.warm());
      await succeeds(identity.verify(token));
    },
  },
  { secrets: ({ token, forged }) => [token, forged, ...partsOf(token)] },
);

import { errAsync, okAsync } from 'neverthrow';
import { changing, testSuite, type UnsafeAdapter } from '../contract/suite-test.test.support.ts';
import { unsafeInEveryPort } from '../contract/unsafe-adapters.test.support.ts';
import { generalPromises } from '../contract/supervision.ts';
import { cachedFromSecond } from '../contract/unsafe-operations.test.support.ts';
import { fakeClock } from '../runtime/clock.fake.ts';
import { unauthenticated, upstream } from '../shared/failure.ts';
import { type IdentitySubject, identityContract } from './identity.contract.ts';
import { fakeIdentity } from './identity.fake.ts';
import type { Identity, TokenClaims } from './identity.port.ts';

const subject = (): IdentitySubject => {
  const clock = fakeClock(1_767_225_600_000);
  const identity = fakeIdentity({}, clock);
  return {
    pass: async (seconds) => clock.advance(seconds * 1000),
    identity,
    token: identity.mint({}),
    subject: 'PTY-1',
    forged: 'aaaa.bbbb.cccc',
    mint: identity.mint,
  };
};

const withIdentity = changing<'identity', IdentitySubject>('identity');

type Header = Readonly<Record<string, unknown>>;

/** An adapter that also accepts the minted tokens that are `lenient`. */
const accepting =
  (lenient: (claims: TokenClaims, header: Header) => boolean) =>
  (good: IdentitySubject): IdentitySubject => {
    const minted = new Map<string, TokenClaims>();
    return {
      ...good,
      identity: {
        ...good.identity,
        verify: (token) => {
          const claims = minted.get(token);
          return claims ? okAsync(claims) : good.identity.verify(token);
        },
      },
      mint: async (claims, header = {}) => {
        const token = await good.mint(claims, header);
        if (lenient(claims, header)) minted.set(token, claims);
        return token;
      },
    };
  };

const accepts = (
  does: string,
  lenient: Parameters<typeof accepting>[0],
  promise: string,
): UnsafeAdapter<IdentitySubject> => [does, accepting(lenient), promise];

/** Returns the claims of the first token to every caller. */
const cached = (identity: Identity): Partial<Identity> => {
  let first: ReturnType<Identity['verify']> | undefined;
  return {
    verify: (token) => (first ? identity.verify(token).andThen(() => first!) : (first = identity.verify(token))),
  };
};

/** Caches claims by a part of their token. */
const cachedBy =
  (part: (token: string) => string) =>
  (identity: Identity): Partial<Identity> => {
    const known = new Map<string, TokenClaims>();
    return {
      verify: (token) => {
        const claims = known.get(part(token));
        if (claims) return okAsync(claims);
        return identity.verify(token).map((verified) => {
          known.set(part(token), verified);
          return verified;
        });
      },
    };
  };

/** Caches claims by a part of their token, from its second use on. */
const cachedLaterBy =
  (part: (token: string) => string) =>
  ({ verify }: Identity): Partial<Identity> => ({ verify: cachedFromSecond(verify, part) });

/** Caches claims by the whole token until it expires. */
const keepingUntilExpiry = (good: IdentitySubject): IdentitySubject => {
  let now = 1_767_225_600;
  const known = new Map<string, TokenClaims>();
  return {
    ...withIdentity(({ verify }) => ({
      verify: (token) => {
        const claims = known.get(token);
        return claims && Number(claims['exp']) > now
          ? okAsync(claims)
          : verify(token).andTee((verified) => known.set(token, verified));
      },
    }))(good),
    pass: async (seconds) => {
      now += seconds;
      await good.pass?.(seconds);
    },
  };
};

const withoutSignature = (token: string) => token.slice(0, token.lastIndexOf('.'));

testSuite<IdentitySubject>(
  'identity',
  identityContract,
  subject,
  [
    ...unsafeInEveryPort<'identity', IdentitySubject>('identity'),
    [
      'shows the token in a failure',
      withIdentity((identity) => ({
        verify: (token) => identity.verify(token).mapErr((failure) => ({ ...failure, token })),
      })),
      generalPromises.failures,
    ],
    accepts(
      'accepts an expired token for another audience',
      ({ aud, iat }) => aud === 'another-audience' || iat === 1_000_000_000,
      'rejects an expired token',
    ),
    accepts('ignores nbf', ({ nbf }) => nbf !== undefined, 'rejects a token that is not valid yet'),
    accepts(
      'ignores iat',
      ({ iat, exp }) => iat !== undefined && exp === undefined,
      'rejects a token that was issued in the future',
    ),
    accepts('does not require exp', (claims) => 'exp' in claims, 'rejects a token without an expiry'),
    accepts('converts exp', ({ exp }) => typeof exp === 'string', 'rejects a token whose expiry is not a number'),
    accepts(
      'has no maximum lifetime',
      ({ exp }) => typeof exp === 'number' && exp > 2_000_000_000,
      'rejects a token that is valid for years',
    ),
    accepts('ignores the issuer', ({ iss }) => iss !== undefined, 'rejects a token of another issuer'),
    accepts(
      'compares the beginning of the issuer',
      ({ iss }) => String(iss).startsWith('https://id.example.com'),
      'rejects a token of an issuer whose name begins like the right one',
    ),
    accepts(
      'does not require an issuer',
      (claims) => 'iss' in claims && claims['iss'] === undefined,
      'rejects a token without an issuer',
    ),
    accepts('ignores the audience', ({ aud }) => aud !== undefined, 'rejects a token for another audience'),
    accepts(
      'compares the beginning of the audience',
      ({ aud }) => String(aud).startsWith('portico'),
      'rejects a token for an audience whose name begins like the right one',
    ),
    accepts(
      'does not require an audience',
      (claims) => 'aud' in claims && claims['aud'] === undefined,
      'rejects a token without an audience',
    ),
    accepts('accepts alg none', (_, { alg }) => alg === 'none', 'rejects a token without a signature'),
    accepts('ignores typ', (_, { typ }) => typ !== undefined, 'rejects a token of another type'),
    [
      'accepts a forged token',
      withIdentity((identity) => ({
        verify: (token) => identity.verify(token).orElse(() => okAsync({ sub: 'PTY-1' })),
      })),
      'rejects a forged token',
    ],
    [
      'accepts a token without its signature',
      withIdentity((identity) => ({
        verify: (token) => (token.endsWith('.') ? okAsync({ sub: 'PTY-1' }) : identity.verify(token)),
      })),
      'rejects what is not a token',
    ],
    [
      'ignores blanks before a token',
      withIdentity(({ verify }) => ({ verify: (token) => verify(token.trim()) })),
      'rejects what is not a token',
    ],
    ...[['', cachedBy] as const, [', from their second use on', cachedLaterBy] as const].flatMap(
      ([when, cached]): UnsafeAdapter<IdentitySubject>[] => [
        [
          `caches claims by the signature only${when}`,
          withIdentity(cached((token) => token.split('.')[2] ?? '')),
          'rejects a token whose claims were replaced',
        ],
        [
          `caches claims without the signature${when}`,
          withIdentity(cached(withoutSignature)),
          'rejects a token whose signature was replaced',
        ],
        [
          `caches claims by all but the last characters of the token${when}`,
          withIdentity(cached((token) => token.slice(0, -4))),
          'rejects a token whose signature was changed',
        ],
        [
          `caches claims for longer than the token is valid${when}`,
          withIdentity(cached((token) => token)),
          'rejects a token that expired after it was verified',
        ],
      ],
    ),
    accepts(
      'accepts tokens that expired minutes ago',
      ({ exp, iat }) => typeof exp === 'number' && typeof iat === 'number' && iat > 1_000_000_000 && exp - iat === 300,
      'rejects a token that expired minutes ago',
    ),
    accepts(
      'compares the end of the audience',
      ({ aud }) => String(aud).endsWith('portico'),
      'rejects a token for an audience whose name ends like the right one',
    ),
    accepts(
      'compares the end of the issuer',
      ({ iss }) => String(iss).endsWith('https://id.example.com'),
      'rejects a token of an issuer whose name ends like the right one',
    ),
    accepts(
      'accepts any list of audiences',
      ({ aud }) => Array.isArray(aud),
      'rejects a token for several other audiences',
    ),
    [
      'refuses a list of audiences',
      withIdentity((identity) => ({
        verify: (token) =>
          identity
            .verify(token)
            .andThen((claims) =>
              Array.isArray(claims['aud']) ? errAsync(unauthenticated('invalid')) : okAsync(claims),
            ),
      })),
      'accepts a token for several audiences',
    ],
    [
      'caches claims for every token',
      withIdentity(cached),
      'returns the claims of each token when several are verified at the same time',
    ],
    [
      'fails upstream for a forged token',
      withIdentity((identity) => ({
        verify: (token) =>
          token === 'aaaa.bbbb.cccc' ? errAsync(upstream('identity', 'malformed')) : identity.verify(token),
      })),
      'rejects a forged token',
    ],
    [
      'returns only the subject of a token',
      withIdentity((identity) => ({ verify: (token) => identity.verify(token).map(({ sub }) => ({ sub })) })),
      'returns the claims of a valid token',
    ],
    [
      'can be warmed only once',
      withIdentity((identity) => {
        let isWarm = false;
        return {
          warm: () => {
            if (isWarm) return errAsync(unauthenticated('invalid'));
            isWarm = true;
            return identity.warm();
          },
        };
      }),
      'can be warmed more than once',
    ],
  ],
  [['keeps claims until their token expires', keepingUntilExpiry]],
);

import { err, ok } from 'neverthrow';
import { unauthenticated } from '../shared/failure.ts';
import { fakeClock } from '../runtime/clock.fake.ts';
import type { Clock } from '../runtime/clock.port.ts';
import { type Fails, failOnDemand } from '../shared/fake.ts';
import { type Identity, signatureAlgorithms, type TokenClaims } from './identity.port.ts';

const issuer = 'https://id.example.com';
const audience = 'portico';
const toleranceSeconds = 5;

export interface FakeIdentity extends Identity, Fails {
  /** Issues a token that `verify` accepts. */
  issue(claims: TokenClaims): string;
  /**
   * Issues a token with these claims over valid ones of the subject `PTY-1`; `undefined` removes a claim. `verify`
   * refuses it as a real adapter would: by `iss`, `aud`, the times, and `alg` and `typ` of the header.
   */
  mint(claims: TokenClaims, header?: Readonly<Record<string, unknown>>): string;
}

/** A user who can sign in with a password. */
export interface FakeUser {
  readonly password: string;
  readonly claims: TokenClaims;
}

/** Accepts client credentials of any client, and the passwords of `users`, by user name. */
export const fakeIdentity = (
  users: Readonly<Record<string, FakeUser>> = {},
  clock: Clock = fakeClock(),
): FakeIdentity => {
  const { respond, ...failing } = failOnDemand();
  const issued = new Map<string, TokenClaims>();
  const headers = new Map<string, Readonly<Record<string, unknown>>>();
  const seconds = () => Math.floor(clock.now() / 1000);
  const issue = (claims: TokenClaims, isMinted = false) => {
    const number = String(issued.size).padStart(8, '0');
    const token = `fake.${number}.${isMinted ? number : 'sign'}`;
    issued.set(token, claims);
    return token;
  };
  return {
    ...failing,
    issue: (claims) => issue(claims),
    mint: (claims, header = {}) => {
      const valid = { iss: issuer, aud: audience, sub: 'PTY-1', iat: seconds(), exp: seconds() + 300 };
      const token = issue(JSON.parse(JSON.stringify({ ...valid, ...claims })) as TokenClaims, true);
      headers.set(token, header);
      return token;
    },
    verify: (token) =>
      respond(() => {
        const claims = issued.get(token);
        if (!claims) return err(unauthenticated('invalid'));
        const header = headers.get(token);
        return header && isRefused(claims, header, seconds()) ? err(unauthenticated('invalid')) : ok(claims);
      }),
    requestToken: (request) =>
      respond(() => {
        if (request.grant === 'client_credentials')
          return ok({ token: issue({ sub: request.clientId, client_id: request.clientId }) });
        const user = Object.hasOwn(users, request.username) ? users[request.username] : undefined;
        return user?.password === request.password
          ? ok({ token: issue(user.claims) })
          : err(unauthenticated('invalid-grant'));
      }),
    warm: () => respond(() => ok(undefined)),
  };
};

/** The rules of the contract, section 1. Those of section 10 are the core's (`authenticate`). */
const isRefused = (claims: TokenClaims, { alg, typ }: Readonly<Record<string, unknown>>, now: number): boolean => {
  const { iss, aud, exp, iat = now, nbf = now } = claims;
  const isTyped = typ === undefined || (typeof typ === 'string' && /^(?:jwt|(?:application\/)?at\+jwt)$/i.test(typ));
  const isSigned = alg === undefined || signatureAlgorithms.some((supported) => supported === alg);
  const latest = now + toleranceSeconds;
  const isCurrent =
    Number(iat) <= latest && Number(nbf) <= latest && typeof exp === 'number' && exp + toleranceSeconds > now;
  return !(
    isTyped &&
    isCurrent &&
    isSigned &&
    iss === issuer &&
    [aud].flat().includes(audience) &&
    exp - Number(iat) <= 86_400
  );
};

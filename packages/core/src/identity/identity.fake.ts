import { err, ok } from 'neverthrow';
import { unauthenticated } from '../shared/failure.ts';
import { type Fails, failOnDemand } from '../shared/fake.ts';
import type { Identity, TokenClaims } from './identity.port.ts';

export interface FakeIdentity extends Identity, Fails {
  /** Issues a token that `verify` accepts. */
  issue(claims: TokenClaims): string;
}

/** A user who can sign in with a password. */
export interface FakeUser {
  readonly password: string;
  readonly claims: TokenClaims;
}

/** Accepts client credentials of any client, and the passwords of `users`, by user name. */
export const fakeIdentity = (users: Readonly<Record<string, FakeUser>> = {}): FakeIdentity => {
  const { respond, ...failing } = failOnDemand();
  const issued = new Map<string, TokenClaims>();
  const issue = (claims: TokenClaims) => {
    const token = `fake.${String(issued.size).padStart(8, '0')}.sign`;
    issued.set(token, claims);
    return token;
  };
  return {
    ...failing,
    issue,
    verify: (token) =>
      respond(() => {
        const claims = issued.get(token);
        return claims ? ok(claims) : err(unauthenticated('invalid'));
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

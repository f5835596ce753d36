import { err, ok } from 'neverthrow';
import { unauthenticated } from '../shared/failure.ts';
import { type Fails, failsOnPurpose } from '../shared/fake.ts';
import type { Identity, TokenClaims } from './identity.port.ts';

export interface FakeIdentity extends Identity, Fails {
  /** A token that this identity provider will verify. */
  issue(claims: TokenClaims): string;
}

/** Somebody who may sign in by password, under a name. */
export interface FakeUser {
  readonly password: string;
  readonly claims: TokenClaims;
}

/** Any client may sign in for itself; members by name and password. */
export const fakeIdentity = (users: Readonly<Record<string, FakeUser>> = {}): FakeIdentity => {
  const { answer, ...failing } = failsOnPurpose();
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
      answer(() => {
        const claims = issued.get(token);
        return claims ? ok(claims) : err(unauthenticated('invalid'));
      }),
    requestToken: (request) =>
      answer(() => {
        if (request.grant === 'client_credentials') return ok({ token: issue({ sub: request.clientId }) });
        const user = Object.hasOwn(users, request.username) ? users[request.username] : undefined;
        return user?.password === request.password
          ? ok({ token: issue(user.claims) })
          : err(unauthenticated('invalid-grant'));
      }),
    warm: () => answer(() => ok(undefined)),
  };
};

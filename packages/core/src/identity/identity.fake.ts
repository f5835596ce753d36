import { err, ok } from 'neverthrow';
import { unauthenticated } from '../shared/failure.ts';
import { type Fails, failsOnPurpose } from '../shared/fake.ts';
import type { Identity, TokenClaims } from './identity.port.ts';

export interface FakeIdentity extends Identity, Fails {
  /** A token that this identity provider will verify. */
  issue(claims: TokenClaims): string;
}

export const fakeIdentity = (): FakeIdentity => {
  const { failWith, answer } = failsOnPurpose();
  const issued = new Map<string, TokenClaims>();
  return {
    failWith,
    issue: (claims) => {
      const token = `fake.${String(issued.size).padStart(8, '0')}.sign`;
      issued.set(token, claims);
      return token;
    },
    verify: (token) =>
      answer(() => {
        const claims = issued.get(token);
        return claims ? ok(claims) : err(unauthenticated('invalid'));
      }),
    warm: () => answer(() => ok(undefined)),
  };
};

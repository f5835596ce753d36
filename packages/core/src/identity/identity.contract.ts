import { contractSuite, equal, failsAs, succeeds } from '../shared/contract.ts';
import type { Identity } from './identity.port.ts';

export interface IdentitySubject {
  readonly identity: Identity;
  /** A good token and the `sub` it holds. */
  readonly token: string;
  readonly subject: string;
  /** A well-formed token that nobody trustworthy signed. */
  readonly forged: string;
}

export const identityContract = contractSuite<IdentitySubject>('identity', {
  'gives the claims of a good token': async ({ identity, token, subject }) => {
    const claims = await succeeds(identity.verify(token));
    equal(claims['sub'], subject, 'the claim "sub"');
  },
  'says the same of a token every time it is asked': async ({ identity, token }) => {
    const first = await succeeds(identity.verify(token));
    equal(await succeeds(identity.verify(token)), first, 'the claims, asked for again');
  },
  'refuses a forged token': async ({ identity, forged }) => {
    await failsAs('unauthenticated', identity.verify(forged));
  },
  'can be warmed more than once': async ({ identity, token }) => {
    await succeeds(identity.warm());
    await succeeds(identity.warm());
    await succeeds(identity.verify(token));
  },
});

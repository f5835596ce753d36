import { contractSuite, equal, failsAs, succeeds } from '../shared/contract.ts';
import type { Identity, TokenRequest } from './identity.port.ts';

export interface IdentitySubject {
  readonly identity: Identity;
  /** A good token and the `sub` it holds. */
  readonly token: string;
  readonly subject: string;
  /** A well-formed token that nobody trustworthy signed. */
  readonly forged: string;
  /** The good credentials of somebody whose token says the same `sub`. */
  readonly credentials: Extract<TokenRequest, { grant: 'password' }>;
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
  'gives a token for a name and its password, and verifies it': async ({ identity, credentials, subject }) => {
    const { token } = await succeeds(identity.requestToken(credentials));
    equal((await succeeds(identity.verify(token)))['sub'], subject, 'the claim "sub"');
  },
  'gives no token for a wrong password': async ({ identity, credentials }) => {
    await failsAs(
      'unauthenticated',
      identity.requestToken({ ...credentials, password: `${credentials.password}-not` }),
    );
  },
  'can be warmed more than once': async ({ identity, token }) => {
    await succeeds(identity.warm());
    await succeeds(identity.warm());
    await succeeds(identity.verify(token));
  },
});

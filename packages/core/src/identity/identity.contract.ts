import { contractSuite, equal, failsAs, succeeds } from '../shared/contract.ts';
import type { Identity, TokenRequest } from './identity.port.ts';

export interface IdentitySubject {
  readonly identity: Identity;
  /** A valid token, and its `sub`. */
  readonly token: string;
  readonly subject: string;
  /** A well-formed token with an invalid signature. */
  readonly forged: string;
  /** Valid credentials of a user whose token has the same `sub`. */
  readonly credentials: Extract<TokenRequest, { grant: 'password' }>;
}

export const identityContract = contractSuite<IdentitySubject>('identity', {
  'returns the claims of a valid token': async ({ identity, token, subject }) => {
    const claims = await succeeds(identity.verify(token));
    equal(claims['sub'], subject, 'the claim "sub"');
  },
  'returns the same claims when a token is verified again': async ({ identity, token }) => {
    const first = await succeeds(identity.verify(token));
    equal(await succeeds(identity.verify(token)), first, 'the claims of the second verification');
  },
  'rejects a forged token': async ({ identity, forged }) => {
    await failsAs('unauthenticated', identity.verify(forged));
  },
  'issues a token for a user name and password, and verifies it': async ({ identity, credentials, subject }) => {
    const { token } = await succeeds(identity.requestToken(credentials));
    equal((await succeeds(identity.verify(token)))['sub'], subject, 'the claim "sub"');
  },
  'issues no token for a wrong password': async ({ identity, credentials }) => {
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

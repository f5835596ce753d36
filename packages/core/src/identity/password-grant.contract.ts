import { failingSourcePromises, type FailingSource } from '../contract/failing-source.ts';
import { canary } from '../contract/supervision.ts';
import { check, equal, failsAs, succeeds } from '../contract/assertions.ts';
import { contractSuite } from '../contract/contract-suite.ts';
import type { Identity, TokenRequest } from './identity.port.ts';

type Credentials = Extract<TokenRequest, { grant: 'password' }>;

export interface PasswordGrantSubject extends FailingSource {
  readonly identity: Identity;
  /** Valid credentials of a user, and the `sub` of this user's tokens. */
  readonly credentials: Credentials;
  readonly subject: string;
}

const withPassword = (credentials: Credentials, password: string): Credentials => ({ ...credentials, password });

/** For providers with the resource owner password grant (RFC 6749, section 4.3). OAuth 2.1 has none. */
export const passwordGrantContract = contractSuite<PasswordGrantSubject>(
  'password grant',
  {
    'issues a token of the user, and verifies it': async ({ identity, credentials, subject }) => {
      const { token } = await succeeds(identity.requestToken(credentials));
      equal((await succeeds(identity.verify(token)))['sub'], subject, 'the claim "sub"');
    },
    'issues no token for a wrong password': async ({ identity, credentials }) => {
      const { password } = credentials;
      for (const wrong of [canary, `${password}${canary}`, password.slice(0, -1)])
        await failsAs('unauthenticated', identity.requestToken(withPassword(credentials, wrong)));
    },
    'issues no token for a wrong password after the right one': async ({ identity, credentials }) => {
      await succeeds(identity.requestToken(credentials));
      await failsAs('unauthenticated', identity.requestToken(withPassword(credentials, canary)));
    },
    'issues no token for an empty password': async ({ identity, credentials }) => {
      const requested = await identity.requestToken(withPassword(credentials, ''));
      // An empty parameter counts as omitted (RFC 6749, section 3.2), so a provider may call the request invalid.
      const kind = requested.isErr() ? requested.error.kind : 'a token';
      check(kind === 'unauthenticated' || kind === 'invalid', `expected a refusal, got ${kind}`);
    },
    'issues no token for a user who does not exist': async ({ identity, credentials }) => {
      await failsAs('unauthenticated', identity.requestToken({ ...credentials, username: canary }));
    },
    'reports a positive lifetime, if any': async ({ identity, credentials }) => {
      const { expiresInSeconds = 1 } = await succeeds(identity.requestToken(credentials));
      equal(Number.isFinite(expiresInSeconds) && expiresInSeconds > 0, true, 'whether the lifetime is positive');
    },
    ...failingSourcePromises<PasswordGrantSubject>('identity', ({ identity, credentials }) => [
      () => identity.requestToken(credentials),
    ]),
  },
  { secrets: ({ credentials }) => [credentials.password, credentials.clientSecret ?? ''] },
);

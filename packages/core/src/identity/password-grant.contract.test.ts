import { errAsync, ok, okAsync, err } from 'neverthrow';
import { changing, failed, testSuite } from '../contract/suite-test.test.support.ts';
import { showsInput, unsafeInEveryPort } from '../contract/unsafe-adapters.test.support.ts';
import { generalPromises } from '../contract/supervision.ts';
import { unauthenticated, upstreamStatus } from '../shared/failure.ts';
import { fakeIdentity } from './identity.fake.ts';
import type { AccessToken } from './identity.port.ts';
import { type PasswordGrantSubject, passwordGrantContract } from './password-grant.contract.ts';

const credentials = { grant: 'password', clientId: 'cli', username: 'member-1', password: 'a good one' } as const;
const users = { 'member-1': { password: credentials.password, claims: { sub: 'PTY-1' } } };

const subject = (): PasswordGrantSubject => {
  const identity = fakeIdentity(users);
  return { identity, credentials, subject: 'PTY-1', fail: (fault) => identity.failWith(failed('identity', fault)) };
};

const withIdentity = changing<'identity', PasswordGrantSubject>('identity');

/** Issues a token for every password for which `accepts` returns true. */
const accepting = (accepts: (password: string, username: string) => boolean) =>
  withIdentity((identity) => ({
    requestToken: (request) =>
      request.grant === 'password' && accepts(request.password, request.username)
        ? identity.requestToken(credentials)
        : identity.requestToken(request),
  }));

testSuite<PasswordGrantSubject>('password grant', passwordGrantContract, subject, [
  ...unsafeInEveryPort<'identity', PasswordGrantSubject>('identity'),
  showsInput<'identity', PasswordGrantSubject>('identity'),
  ['accepts every password', accepting(() => true), 'issues no token for a wrong password'],
  [
    'accepts the beginning of a password',
    accepting((password) => password !== '' && credentials.password.startsWith(password)),
    'issues no token for a wrong password',
  ],
  ['accepts an empty password', accepting((password) => password === ''), 'issues no token for an empty password'],
  [
    'accepts every user name',
    accepting((_, username) => username !== credentials.username),
    'issues no token for a user who does not exist',
  ],
  [
    'caches tokens by user name',
    withIdentity((identity) => {
      const tokens = new Map<string, string>();
      return {
        requestToken: (request) => {
          const key = request.grant === 'password' ? request.username : '';
          const known = tokens.get(key);
          if (known !== undefined) return okAsync({ token: known });
          return identity.requestToken(request).map((issued) => {
            tokens.set(key, issued.token);
            return issued;
          });
        },
      };
    }),
    'issues no token for a wrong password after the right one',
  ],
  [
    'issues a token that it does not accept itself',
    withIdentity(() => ({ requestToken: () => okAsync({ token: 'aaaa.bbbb.cccc' }) })),
    'issues a token of the user, and verifies it',
  ],
  [
    "issues another user's token",
    withIdentity((identity) => ({
      requestToken: (request) =>
        identity
          .requestToken(request)
          .andThen(() => identity.requestToken({ grant: 'client_credentials', clientId: 'x' })),
    })),
    'issues a token of the user, and verifies it',
  ],
  [
    'reports a wrong password as a failure of the provider',
    withIdentity((identity) => ({
      requestToken: (request) =>
        identity
          .requestToken(request)
          .mapErr((failure) => (failure.kind === 'unauthenticated' ? upstreamStatus('identity', 400) : failure)),
    })),
    'issues no token for a wrong password',
  ],
  [
    'reports a provider that is down as a wrong password',
    withIdentity((identity) => ({
      requestToken: (request) => identity.requestToken(request).mapErr(() => unauthenticated('invalid-grant')),
    })),
    'fails as unreachable when its source refuses connections',
  ],
  [
    'issues a token of its own when the provider is slow',
    withIdentity((identity) => ({
      requestToken: (request) =>
        identity
          .requestToken(request)
          .orElse((failure) => (failure.kind === 'upstream' ? ok({ token: 'x' }) : err(failure))),
    })),
    'fails as timeout when its source does not respond in time',
  ],
  [
    'issues the previous token when the provider is down',
    withIdentity(({ requestToken }) => {
      let last: AccessToken | undefined;
      return {
        requestToken: (request) =>
          requestToken(request)
            .andTee((issued) => (last = issued))
            .orElse((failure) => (failure.kind === 'upstream' && last ? ok(last) : err(failure))),
      };
    }),
    'fails as unreachable when its source closes connections',
  ],
  [
    'reports a lifetime of NaN',
    withIdentity((identity) => ({
      requestToken: (request) =>
        identity.requestToken(request).map((issued) => ({ ...issued, expiresInSeconds: Number.NaN })),
    })),
    'reports a positive lifetime, if any',
  ],
  [
    'shows the password in a failure',
    withIdentity((identity) => ({
      requestToken: (request) =>
        identity.requestToken(request).orElse((failure) => errAsync({ ...failure, detail: credentials.password })),
    })),
    generalPromises.failures,
  ],
]);

import { err, ok, ResultAsync } from 'neverthrow';
import { generalPromises } from '../contract/supervision.ts';
import { unsafeInEveryPort } from '../contract/unsafe-adapters.test.support.ts';
import { changing, testSuite } from '../contract/suite-test.test.support.ts';
import { later, mixingMembers } from '../contract/unsafe-operations.test.support.ts';
import { type Failure, upstream } from '../shared/failure.ts';
import { aMember } from '../shared/member.fake.ts';
import type { Member } from '../shared/member.ts';
import { credentialsContract, type CredentialsSubject } from './credentials.contract.ts';
import { type FakeCredentials, fakeCredentials } from './credentials.fake.ts';
import type { Credentials, HeaderFields } from './credentials.port.ts';

const members = [aMember('PTY-1', 'token.of.one'), aMember('PTY-2', 'token.of.other')] as const;

const subjectOf = (credentials: FakeCredentials): CredentialsSubject => ({
  credentials,
  members,
  again: aMember('PTY-1', 'newer.token.of.one'),
  ownerOf: credentials.ownerOf,
  failNext: () => credentials.failOnce(upstream('identity', 'timeout')),
});

const subject = () => subjectOf(fakeCredentials());

const withFor = (change: (credentials: Credentials) => Credentials['for']) =>
  changing<'credentials', CredentialsSubject>('credentials')((credentials) => ({ for: change(credentials) }));

const issue = (credentials: Credentials, member: Member): ResultAsync<HeaderFields, Failure> =>
  later(() => new ResultAsync(Promise.resolve(credentials.for(member))));

/** Uses the credentials that were issued last when none can be issued. */
const lastKnown = (credentials: Credentials): Credentials['for'] => {
  let last: HeaderFields | undefined;
  return (member) =>
    issue(credentials, member)
      .andTee((fields) => (last = fields))
      .orElse((failure) => (last ? ok(last) : err(failure)));
};

/** Changes the fields of every call. */
const withFields = (change: (fields: HeaderFields, member: Member) => HeaderFields) =>
  withFor((credentials) => (member) => issue(credentials, member).map((fields) => change(fields, member)));

/** Caches fields under this name. */
const cachedBy = (nameOf: (member: Member) => string) =>
  withFor((credentials) => {
    const cache = new Map<string, HeaderFields>();
    return (member) => {
      const cached = cache.get(nameOf(member));
      return cached ? ok(cached) : issue(credentials, member).andTee((fields) => cache.set(nameOf(member), fields));
    };
  });

/** Requests credentials only once at a time, for any member. */
const oneAtATime = (credentials: Credentials): Credentials['for'] => {
  let running: ResultAsync<HeaderFields, Failure> | undefined;
  return (member) => {
    running ??= issue(credentials, member).andTee(() => {
      running = undefined;
    });
    return running;
  };
};

/** Uses the other member after a failure. */
const swappedAfterFailure = (credentials: Credentials): Credentials['for'] => {
  let hasFailed = false;
  return (member) =>
    issue(credentials, hasFailed ? members.find((one) => one !== member)! : member).orTee(() => {
      hasFailed = true;
    });
};

testSuite<CredentialsSubject>(
  'credentials',
  credentialsContract,
  subject,
  [
    ...unsafeInEveryPort<'credentials', CredentialsSubject>('credentials'),
    ['issues one token for all members', cachedBy(() => ''), 'identifies the member of the call, or no member'],
    [
      'caches tokens by the beginning of the locator',
      cachedBy(({ locator }) => locator.slice(0, 3)),
      'does not mix up members that call several times',
    ],
    [
      "caches tokens by the locator instead of the member's token",
      cachedBy(({ locator }) => locator),
      'issues other credentials for another token of the same member',
    ],
    [
      'requests one token at a time, for any member',
      withFor(oneAtATime),
      'does not mix up members that call at the same time',
    ],
    [
      'uses the member of the last call',
      withFor((credentials) => mixingMembers((member) => issue(credentials, member))),
      'does not mix up members that call at the same time',
    ],
    [
      'sends no credentials once a token was issued',
      withFor((credentials) => {
        let calls = 0;
        return (member) => issue(credentials, member).map((fields) => (++calls > 1 ? {} : fields));
      }),
      'does not mix up members that call several times',
    ],
    [
      'returns the same object to all calls, and changes it',
      withFor((credentials) => {
        const shared: Record<string, string> = {};
        return (member) => issue(credentials, member).map((fields) => Object.assign(shared, fields));
      }),
      'does not change the fields that it returned',
    ],
    ['uses another member after a failure', withFor(swappedAfterFailure), 'does not mix up members after a failure'],
    [
      'sends a field with a capital letter',
      withFields(({ authorization = '' }) => ({ authorization, 'X-Api-Key': 'key' })),
      'returns fields with lower-case names and values that can be sent',
    ],
    [
      'sends a line break in a field',
      withFields((fields) => ({ ...fields, 'x-trace': 'a\r\nx-admin: true' })),
      'returns fields with lower-case names and values that can be sent',
    ],
    [
      'sends an empty field',
      withFields((fields) => ({ ...fields, 'x-key': '' })),
      'returns fields with lower-case names and values that can be sent',
    ],
    [
      'sends a field that begins with a space',
      withFields((fields) => ({ ...fields, 'x-key': ' k' })),
      'returns fields with lower-case names and values that can be sent',
    ],
    [
      'identifies members although it reports that it does not',
      changing<'credentials', CredentialsSubject>('credentials')(() => ({ identifiesMember: false })),
      'identifies the member of the call, or no member',
    ],
    [
      'sends the locator of the member in a field',
      withFields((fields, { locator }) => ({ ...fields, 'x-member': locator })),
      'puts the locator of the member into no field as it is',
    ],
    [
      "returns another member's credentials after a failure",
      withFor(lastKnown),
      'does not mix up members after a failure',
    ],
    [
      "shows the member's token in a failure",
      withFor(
        (credentials) => (member) =>
          issue(credentials, member).mapErr((failure) => ({ ...failure, cause: member.token })),
      ),
      generalPromises.failures,
    ],
  ],
  [
    ["caches tokens by the member's token", cachedBy(({ token }) => token)],
    ['issues nothing for the token of the member', ({ again: _, ...good }) => cachedBy(({ locator }) => locator)(good)],
    [
      "returns the member's token",
      (good) => ({
        ...withFields((_, { token }) => ({ authorization: `Bearer ${token}` }))(good),
        ownerOf: ({ authorization }) =>
          [...members, good.again!].find(({ token }) => authorization === `Bearer ${token}`)?.locator,
      }),
    ],
    ['identifies no member', () => subjectOf(fakeCredentials({ identifiesMember: false }))],
    [
      'repeats a failure for some seconds',
      (good) => {
        const failed = new Map<string, Failure>();
        return {
          ...withFor((credentials) => (member) => {
            const failure = failed.get(member.locator);
            return failure
              ? err(failure)
              : issue(credentials, member).orTee((error) => failed.set(member.locator, error));
          })(good),
          pass: async () => failed.clear(),
        };
      },
    ],
  ],
);

import { err, ok, ResultAsync } from 'neverthrow';
import { generalPromises } from '../contract/supervision.ts';
import { changing, testSuite } from '../contract/suite-test.test.support.ts';
import { later } from '../contract/unsafe-operations.test.support.ts';
import { type Failure, upstream } from '../shared/failure.ts';
import { aMember } from '../shared/member.fake.ts';
import type { Member } from '../shared/member.ts';
import { credentialsContract, type CredentialsSubject } from './credentials.contract.ts';
import { fakeCredentials } from './credentials.fake.ts';
import type { Credentials, HeaderFields } from './credentials.port.ts';

const members = [aMember('PTY-1', 'token.of.one'), aMember('PTY-2', 'token.of.other')] as const;

const subject = (): CredentialsSubject => {
  const credentials = fakeCredentials();
  return {
    credentials,
    members,
    ownerOf: credentials.ownerOf,
    failNext: () => credentials.failOnce(upstream('identity', 'timeout')),
  };
};

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

testSuite<CredentialsSubject>('credentials', credentialsContract, subject, [
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
]);

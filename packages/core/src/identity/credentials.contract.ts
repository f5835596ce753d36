import type { ResultAsync } from 'neverthrow';
import { check, equal, succeeds } from '../contract/assertions.ts';
import { isSame } from '../contract/json-result.ts';
import { contractSuite } from '../contract/contract-suite.ts';
import type { Failure } from '../shared/failure.ts';
import type { Member } from '../shared/member.ts';
import type { Credentials, HeaderFields } from './credentials.port.ts';

export interface CredentialsSubject {
  readonly credentials: Credentials;
  /** Two members with different locators and valid tokens. */
  readonly members: readonly [Member, Member];
  /**
   * The first member with another valid token. Set it for credentials that are issued for a token of the member: those
   * for the two tokens must be different. If it is absent, that is not tested.
   */
  readonly again?: Member;
  /** Returns the locator of the member that the fields identify, as the service would read it; undefined if none. */
  readonly ownerOf: (fields: HeaderFields) => string | undefined;
  /** Makes the next request for credentials fail. If it is absent, failures are not tested. */
  readonly failNext?: () => void;
  /** Lets this many seconds pass. Needed with `failNext` for credentials that repeat a failure for some seconds. */
  readonly pass?: (seconds: number) => Promise<void>;
}

const fieldsOf = async ({ credentials }: CredentialsSubject, member: Member): Promise<HeaderFields> => {
  const result = credentials.for(member);
  const settled: ResultAsync<HeaderFields, Failure> =
    'then' in result ? result : result.asyncMap(async (fields) => fields);
  return succeeds(settled);
};

const checkOwner = async (subject: CredentialsSubject, member: Member): Promise<void> => {
  const expected = subject.credentials.identifiesMember ? member.locator : undefined;
  equal(subject.ownerOf(await fieldsOf(subject, member)), expected, 'the member that the credentials identify');
};

export const credentialsContract = contractSuite<CredentialsSubject>(
  'credentials',
  {
    'identifies the member of the call, or no member': async (subject) => {
      for (const member of subject.members) await checkOwner(subject, member);
    },
    'does not mix up members that call several times': async (subject) => {
      const [one, other] = subject.members;
      for (const member of [one, other, one, one, other, other, one]) await checkOwner(subject, member);
    },
    'does not mix up members that call at the same time': async (subject) => {
      const [one, other] = subject.members;
      const calls = [one, other, one, other, other, one];
      await Promise.all(calls.map(async (member) => checkOwner(subject, member)));
    },
    'issues other credentials for another token of the same member': async (subject) => {
      const { again, members, credentials } = subject;
      if (!again || !credentials.identifiesMember) return;
      const [one] = members;
      equal(again.locator, one.locator, 'the locator of the member with another token');
      for (const member of [one, one, one, again, one]) await checkOwner(subject, member);
      const [older, newer] = [await fieldsOf(subject, one), await fieldsOf(subject, again)];
      check(!isSame(older, newer), 'the fields for another token are different');
    },
    'does not change the fields that it returned': async (subject) => {
      const [one, other] = subject.members;
      const fields = await fieldsOf(subject, one);
      const before = { ...fields };
      await fieldsOf(subject, other);
      check(isSame(fields, before), 'the fields of the first call are as they were');
    },
    'does not mix up members after a failure': async (subject) => {
      const { failNext, credentials, members, pass = async () => {} } = subject;
      if (!failNext) return;
      const [one, other] = members;
      await checkOwner(subject, one);
      failNext();
      const failed = await credentials.for(other);
      const expected = credentials.identifiesMember ? other.locator : undefined;
      if (failed.isOk()) equal(subject.ownerOf(failed.value), expected, 'the member of the credentials');
      await pass(60);
      for (const member of [other, one]) await checkOwner(subject, member);
    },
    'returns fields with lower-case names and values that can be sent': async (subject) => {
      for (const [name, value] of Object.entries(await fieldsOf(subject, subject.members[0]))) {
        check(
          /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name),
          'a name should be a lower-case field name (RFC 9110, section 5.1)',
        );
        check(/^[!-~](?:[\t -~]*[!-~])?$/.test(value), 'a value should be visible ASCII without surrounding spaces');
      }
    },
    'puts the locator of the member into no field as it is': async (subject) => {
      for (const member of subject.members) {
        const text = JSON.stringify(await fieldsOf(subject, member));
        check(!text.includes(member.locator), 'a field contains the locator of the member');
      }
    },
  },
  { returnsTokens: true },
);

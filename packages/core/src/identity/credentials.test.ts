import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { upstream } from '../shared/failure.ts';
import { aMember } from '../shared/member.fake.ts';
import { credentialsContract, type CredentialsSubject } from './credentials.contract.ts';
import { fakeCredentials } from './credentials.fake.ts';
import type { Credentials } from './credentials.port.ts';

const members = [aMember('PTY-1', 'token.of.one'), aMember('PTY-2', 'token.of.other')] as const;

for (const identifiesMember of [true, false])
  credentialsContract({ describe, it }, () => {
    const credentials = fakeCredentials({ identifiesMember });
    return { credentials, members, ownerOf: credentials.ownerOf };
  });

describe('fakeCredentials', () => {
  it('fails on demand', async () => {
    const credentials = fakeCredentials();
    credentials.failOnce(upstream('identity', 'timeout'));
    expect(await credentials.for(members[0])).toEqual(err(upstream('identity', 'timeout')));
    expect(await credentials.for(members[0])).toEqual(ok({ authorization: 'Bearer issued-0' }));
  });
});

/** Runs the suite as a test of the suite: returns the promises that the adapter breaks. */
const broken = async (credentials: Credentials, ownerOf: CredentialsSubject['ownerOf']) => {
  const tests: (readonly [string, () => Promise<void>])[] = [];
  credentialsContract({ describe: (_, body) => body(), it: (name, body) => void tests.push([name, body]) }, () => ({
    credentials,
    members,
    ownerOf,
  }));
  const outcomes = await Promise.all(
    tests.map(async ([name, run]) =>
      run().then(
        () => undefined,
        () => name,
      ),
    ),
  );
  return outcomes.filter((name) => name !== undefined);
};

const ownerOf: CredentialsSubject['ownerOf'] = ({ authorization }) =>
  members.find(({ token }) => authorization === `Bearer ${token}`)?.locator;

describe('the credentials contract', () => {
  it('detects an adapter that keeps the credentials of the first member', async () => {
    let first: ReturnType<Credentials['for']> | undefined;
    const credentials: Credentials = {
      identifiesMember: true,
      for: ({ token }) => (first ??= ok({ authorization: `Bearer ${token}` })),
    };
    expect(await broken(credentials, ownerOf)).toEqual([
      'identifies the member of the call, or no member',
      'does not mix up members that call several times',
      'does not mix up members that call at the same time',
    ]);
  });

  it('detects an adapter that identifies members although it claims not to', async () => {
    const credentials: Credentials = {
      identifiesMember: false,
      for: ({ token }) => ok({ authorization: `Bearer ${token}` }),
    };
    expect(await broken(credentials, ownerOf)).toContain('identifies the member of the call, or no member');
  });

  it.each([{ 'X-Key': 'k' }, { 'x-key': 'k\r\nx: y' }, { 'x-key': '' }, { 'x-key': ' k' }])(
    'detects fields that cannot be sent: %j',
    async (fields) => {
      const credentials: Credentials = { identifiesMember: false, for: () => ok(fields) };
      expect(await broken(credentials, () => undefined)).toEqual([
        'returns fields with lower-case names and values that can be sent',
      ]);
    },
  );

  it('detects a locator in a field', async () => {
    const credentials: Credentials = { identifiesMember: false, for: ({ locator }) => ok({ 'x-member': locator }) };
    expect(await broken(credentials, () => undefined)).toEqual([
      'puts the locator of the member into no field as it is',
    ]);
  });
});

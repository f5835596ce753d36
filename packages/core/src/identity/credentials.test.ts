import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { upstream } from '../shared/failure.ts';
import { aMember } from '../shared/member.fake.ts';
import { fakeCredentials } from './credentials.fake.ts';

describe('fakeCredentials', () => {
  it('fails on demand', async () => {
    const credentials = fakeCredentials();
    const member = aMember('PTY-1');
    credentials.failOnce(upstream('identity', 'timeout'));
    expect(await credentials.for(member)).toEqual(err(upstream('identity', 'timeout')));
    expect(await credentials.for(member)).toEqual(ok({ authorization: 'Bearer issued-0' }));
  });
});

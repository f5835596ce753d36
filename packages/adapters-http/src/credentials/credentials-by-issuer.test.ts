import { refusedToken, upstream } from '@portico/core';
import { aMember, credentialsContract, fakeCredentials } from '@portico/core/testing';
import { err } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { credentialsByIssuer } from './credentials-by-issuer.ts';
import { noCredentials } from './member-token.ts';

const tokenOf = (claims: object): string =>
  ['{"alg":"none"}', JSON.stringify(claims), ''].map((part) => Buffer.from(part).toString('base64url')).join('.');

const one = aMember('PTY-1', tokenOf({ iss: 'https://one.test', sub: 'PTY-1' }));
const other = aMember('PTY-2', tokenOf({ iss: 'https://other.test', sub: 'PTY-2' }));

credentialsContract({ describe, it }, () => {
  const shared = fakeCredentials();
  return {
    credentials: credentialsByIssuer({ 'https://one.test': shared, 'https://other.test': shared }),
    members: [one, other],
    ownerOf: shared.ownerOf,
    failNext: () => shared.failOnce(upstream('identity', 'timeout')),
  };
});

describe('credentials by issuer', () => {
  it("are those of the issuer of the member's token", async () => {
    const [first, second] = [fakeCredentials(), fakeCredentials()];
    const credentials = credentialsByIssuer({ 'https://one.test': first, 'https://other.test': second });
    const fields = (await credentials.for(other)).unwrapOr({});
    expect([first.ownerOf(fields), second.ownerOf(fields)]).toEqual([undefined, 'PTY-2']);
  });

  it.each([tokenOf({ iss: 'https://third.test' }), tokenOf({ iss: 'constructor' }), tokenOf({}), 'opaque'])(
    'refuse the token of another issuer: %s',
    async (token) => {
      const credentials = credentialsByIssuer({ 'https://one.test': fakeCredentials() });
      expect(await credentials.for(aMember('PTY-1', token))).toEqual(err(refusedToken('issuer')));
    },
  );

  it('identify the member only if those of every issuer do', () => {
    expect(credentialsByIssuer({ 'https://one.test': fakeCredentials() }).identifiesMember).toBe(true);
    const mixed = { 'https://one.test': fakeCredentials(), 'https://other.test': noCredentials };
    expect(credentialsByIssuer(mixed).identifiesMember).toBe(false);
  });
});

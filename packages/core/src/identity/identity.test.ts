import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { refusedToken, unauthenticated, upstream } from '../shared/failure.ts';
import { fakeIdentity } from './identity.fake.ts';
import type { Identity, TokenClaims } from './identity.port.ts';
import { authenticate, namesMember, requestToken } from './identity.ts';

const token = 'aaaa.bbbb.cccc';

/** An identity provider that accepts every token and returns these claims. */
const accepting = (claims: TokenClaims): Identity => ({ ...fakeIdentity(), verify: () => okAsync(claims) });

const locatorIn = async (claims: TokenClaims, locatorClaim?: string) =>
  (await authenticate(accepting(claims), locatorClaim === undefined ? {} : { locatorClaim })(token)).map(
    (member) => member.locator as string,
  );

const refused = err(refusedToken('locator'));

describe('the member of a token', () => {
  it('identifies the member by the subject', async () => {
    expect(await locatorIn({ sub: 'PTY-1' })).toEqual(ok('PTY-1'));
  });

  it('identifies the member by the party locator when the token has one, whatever its subject', async () => {
    expect(await locatorIn({ sub: 'auth0|1', partyLocator: 'PTY-2' })).toEqual(ok('PTY-2'));
    expect(await locatorIn({ sub: '../1', partyLocator: 'PTY-2' })).toEqual(ok('PTY-2'));
  });

  it.each([null, '', '..', 'PTY/2', 7, true, ['PTY-2'], { locator: 'PTY-2' }, 'x'.repeat(129)])(
    'rejects the party locator %j, even with a valid subject',
    async (partyLocator) => {
      expect(await locatorIn({ sub: 'PTY-1', partyLocator })).toEqual(refused);
    },
  );

  it.each([undefined, null, '', '..', 'PTY 1', 7, ['PTY-1'], 'x'.repeat(129)])(
    'rejects the subject %j of a token without party locator',
    async (sub) => {
      expect(await locatorIn({ sub })).toEqual(refused);
    },
  );

  it('rejects a token with neither claim', async () => {
    expect(await locatorIn({ partylocator: 'PTY-1', SUB: 'PTY-1' })).toEqual(refused);
  });

  it('identifies the member only by the configured claim', async () => {
    const claims = { sub: 'PTY-1', partyLocator: 'PTY-2', 'urn:member': 'PTY-3' };
    expect(await locatorIn(claims, 'urn:member')).toEqual(ok('PTY-3'));
    expect(await locatorIn(claims, 'sub')).toEqual(ok('PTY-1'));
    expect(await locatorIn(claims, 'partyLocator')).toEqual(ok('PTY-2'));
    expect(await locatorIn({ sub: 'PTY-1' }, 'partyLocator')).toEqual(refused);
    expect(await locatorIn({ sub: 'PTY-1', partyLocator: 'PTY-2' }, 'urn:member')).toEqual(refused);
    expect(await locatorIn({ sub: 'PTY-1' }, 'constructor')).toEqual(refused);
  });
});

describe('authenticate', () => {
  it('returns a member with the verified token', async () => {
    const identity = fakeIdentity();
    const issued = identity.issue({ sub: 'PTY-1' });
    const member = await authenticate(identity)(issued);
    expect(member.map(({ locator, token }) => [locator, token])).toEqual(ok(['PTY-1', issued]));
  });

  it.each([undefined, ''])('reports a missing token as missing, not invalid: %j', async (missing) => {
    expect(await authenticate(fakeIdentity())(missing)).toEqual(err(unauthenticated('missing')));
  });

  it('rejects a token that was not issued', async () => {
    expect(await authenticate(fakeIdentity())(token)).toEqual(err(unauthenticated('invalid')));
  });

  it.each(['aaaa.bbbb', 'aaaa.bbbb.cccc.dddd', 'aaaa.bbbb.cc==', 'aaaa.bbbb.', `aaaa.bbbb.${'A'.repeat(8183)}`])(
    'rejects a malformed token without calling the identity provider: %s',
    async (malformed) => {
      expect(await authenticate(accepting({ sub: 'PTY-1' }))(malformed)).toEqual(err(refusedToken('malformed')));
    },
  );

  it('fails with upstream, not unauthenticated, when no keys are available', async () => {
    const identity = fakeIdentity();
    const issued = identity.issue({ sub: 'PTY-1' });
    identity.failWith(upstream('identity', 'unreachable'));
    expect(await authenticate(identity)(issued)).toEqual(err(upstream('identity', 'unreachable')));
  });
});

describe('namesMember', () => {
  it.each([
    [{ sub: 'PTY-1' }, undefined, true],
    [{ sub: 'auth0|1', partyLocator: 'PTY-1' }, undefined, true],
    [{ sub: 'PTY-1', partyLocator: '..' }, undefined, false],
    [{ partyLocator: 'PTY-1' }, 'sub', false],
    [{ sub: '../1', member: 'PTY-1' }, 'member', true],
    [{}, undefined, false],
  ])('reports for the claims %j and the locator claim %s: %s', (claims, locatorClaim, expected) => {
    expect(namesMember(claims, locatorClaim)).toBe(expected);
  });
});

describe('requestToken', () => {
  const users = { 'member-1': { password: 'a good one', claims: { sub: 'auth0|1', partyLocator: 'PTY-1' } } };
  const credentials = {
    grant: 'password',
    clientId: 'portico-cli',
    username: 'member-1',
    password: 'a good one',
  } as const;

  it('returns a token of the user who signed in', async () => {
    const identity = fakeIdentity(users);
    const member = requestToken(identity)(credentials)
      .map(({ token }) => token)
      .andThen(authenticate(identity));
    expect(await member.map(({ locator }) => locator)).toEqual(ok('PTY-1'));
  });

  it('returns a token of the client, which belongs to no member', async () => {
    const identity = fakeIdentity();
    const issued = requestToken(identity)({ grant: 'client_credentials', clientId: 'portico-smoke' }).map(
      ({ token }) => token,
    );
    expect(await issued.andThen((token) => authenticate(identity)(token))).toEqual(err(refusedToken('program')));
    const member = issued.andThen((token) => authenticate(identity, { memberTokensOnly: false })(token));
    expect(await member.map(({ locator }) => locator)).toEqual(ok('portico-smoke'));
  });

  it('returns the lifetime that the provider reports', async () => {
    const given = { token, expiresInSeconds: 900 };
    expect(await requestToken({ ...fakeIdentity(), requestToken: () => okAsync(given) })(credentials)).toEqual(
      ok(given),
    );
  });
});

import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { unauthenticated, upstream } from '../shared/failure.ts';
import { identityContract } from './identity.contract.ts';
import { fakeIdentity } from './identity.fake.ts';
import type { Identity, TokenClaims } from './identity.port.ts';
import { authenticate, requestToken } from './identity.ts';

identityContract({ describe, it }, () => {
  const identity = fakeIdentity({ 'member-1': { password: 'a good one', claims: { sub: 'PTY-1' } } });
  return {
    identity,
    token: identity.issue({ sub: 'PTY-1' }),
    subject: 'PTY-1',
    forged: 'aaaa.bbbb.cccc',
    credentials: { grant: 'password', clientId: 'portico-cli', username: 'member-1', password: 'a good one' },
  };
});

const token = 'aaaa.bbbb.cccc';

/** An identity provider for which every token is good and says the same. */
const vouchingFor = (claims: TokenClaims): Identity => ({
  verify: () => okAsync(claims),
  requestToken: () => okAsync({ token }),
  warm: () => okAsync(undefined),
});

const locatorIn = async (claims: TokenClaims, locatorClaim?: string) =>
  (await authenticate(vouchingFor(claims), locatorClaim)(token)).map((member) => member.locator as string);

const refused = err(unauthenticated('invalid'));

describe('who a token speaks for', () => {
  it('is the subject', async () => {
    expect(await locatorIn({ sub: 'PTY-1' })).toEqual(ok('PTY-1'));
  });

  it('is the party locator when the token has one, whatever its subject', async () => {
    expect(await locatorIn({ sub: 'auth0|1', partyLocator: 'PTY-2' })).toEqual(ok('PTY-2'));
    expect(await locatorIn({ sub: '../1', partyLocator: 'PTY-2' })).toEqual(ok('PTY-2'));
  });

  it.each([null, '', '..', 'PTY/2', 7, true, ['PTY-2'], { locator: 'PTY-2' }, 'x'.repeat(129)])(
    'is nobody when the party locator is %j, however good the subject',
    async (partyLocator) => {
      expect(await locatorIn({ sub: 'PTY-1', partyLocator })).toEqual(refused);
    },
  );

  it.each([undefined, null, '', '..', 'PTY 1', 7, ['PTY-1'], 'x'.repeat(129)])(
    'is nobody when the subject is %j and there is no party locator',
    async (sub) => {
      expect(await locatorIn({ sub })).toEqual(refused);
    },
  );

  it('is nobody when there is neither claim', async () => {
    expect(await locatorIn({ partylocator: 'PTY-1', SUB: 'PTY-1' })).toEqual(refused);
  });

  it('is said by the one claim that is configured, and by no other', async () => {
    const claims = { sub: 'PTY-1', partyLocator: 'PTY-2', 'urn:member': 'PTY-3' };
    expect(await locatorIn(claims, 'urn:member')).toEqual(ok('PTY-3'));
    expect(await locatorIn(claims, 'sub')).toEqual(ok('PTY-1'));
    expect(await locatorIn(claims, 'partyLocator')).toEqual(ok('PTY-2'));
    expect(await locatorIn({ sub: 'PTY-1' }, 'partyLocator')).toEqual(refused);
    expect(await locatorIn({ sub: 'PTY-1', partyLocator: 'PTY-2' }, 'urn:member')).toEqual(refused);
    expect(await locatorIn({ sub: 'PTY-1' }, 'constructor')).toEqual(refused);
  });
});

describe('authenticating', () => {
  it('gives the member the very token that was verified', async () => {
    const identity = fakeIdentity();
    const issued = identity.issue({ sub: 'PTY-1' });
    const member = await authenticate(identity)(issued);
    expect(member.map(({ locator, token }) => [locator, token])).toEqual(ok(['PTY-1', issued]));
  });

  it.each([undefined, ''])('tells a missing token from a bad one: %j', async (missing) => {
    expect(await authenticate(fakeIdentity())(missing)).toEqual(err(unauthenticated('missing')));
  });

  it('refuses a token that nobody issued', async () => {
    expect(await authenticate(fakeIdentity())(token)).toEqual(refused);
  });

  it.each(['aaaa.bbbb', 'aaaa.bbbb.cccc.dddd', 'aaaa.bbbb.cc==', 'aaaa.bbbb.', `aaaa.bbbb.${'A'.repeat(8183)}`])(
    'does not bother the identity provider with what is no token: %s',
    async (malformed) => {
      expect(await authenticate(vouchingFor({ sub: 'PTY-1' }))(malformed)).toEqual(refused);
    },
  );

  it('blames the identity provider, not the token, when there are no keys', async () => {
    const identity = fakeIdentity();
    const issued = identity.issue({ sub: 'PTY-1' });
    identity.failWith(upstream('identity', 'unreachable'));
    expect(await authenticate(identity)(issued)).toEqual(err(upstream('identity', 'unreachable')));
  });
});

describe('asking for a token', () => {
  const users = { 'member-1': { password: 'a good one', claims: { sub: 'auth0|1', partyLocator: 'PTY-1' } } };
  const credentials = {
    grant: 'password',
    clientId: 'portico-cli',
    username: 'member-1',
    password: 'a good one',
  } as const;

  it('gives one that speaks for whoever signed in', async () => {
    const identity = fakeIdentity(users);
    const member = requestToken(identity)(credentials)
      .map(({ token }) => token)
      .andThen(authenticate(identity));
    expect(await member.map(({ locator }) => locator)).toEqual(ok('PTY-1'));
  });

  it('gives one that speaks for a client', async () => {
    const identity = fakeIdentity();
    const member = requestToken(identity)({ grant: 'client_credentials', clientId: 'portico-smoke' })
      .map(({ token }) => token)
      .andThen(authenticate(identity));
    expect(await member.map(({ locator }) => locator)).toEqual(ok('portico-smoke'));
  });

  it('gives what the provider says, how long it lives too', async () => {
    const given = { token, expiresInSeconds: 900 };
    expect(await requestToken({ ...fakeIdentity(), requestToken: () => okAsync(given) })(credentials)).toEqual(
      ok(given),
    );
  });

  it.each([
    { ...credentials, password: 'A good one' },
    { ...credentials, password: '' },
    { ...credentials, username: 'member-2' },
    { ...credentials, username: 'constructor' },
  ])('gives none for $username and "$password"', async (wrong) => {
    expect(await requestToken(fakeIdentity(users))(wrong)).toEqual(err(unauthenticated('invalid-grant')));
  });

  it('tells a provider that is down from one that refuses', async () => {
    const identity = fakeIdentity(users);
    identity.failWith(upstream('identity', 'unreachable'));
    expect(await requestToken(identity)(credentials)).toEqual(err(upstream('identity', 'unreachable')));
  });
});

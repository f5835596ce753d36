import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { insufficientScope, refusedToken, type TokenRefusal, unauthenticated } from '../shared/failure.ts';
import { type Access, type IssuerRules } from './access-rules.ts';
import { fakeIdentity } from './identity.fake.ts';
import type { Identity, TokenClaims } from './identity.port.ts';
import { authenticate } from './identity.ts';
import type { DpopProof } from './dpop/proof-verifier.port.ts';
import { fakeProofVerifier } from './dpop/proof-verifier.fake.ts';

const token = 'aaaa.bbbb.cccc';

/** An identity provider that accepts every token and returns these claims. */
const accepting = (claims: TokenClaims): Identity => ({ ...fakeIdentity(), verify: () => okAsync(claims) });

const resultOf = async (claims: TokenClaims, rules: IssuerRules = {}, access: Access = 'read') =>
  (await authenticate(accepting(claims), rules)(token, access)).map(({ locator }) => String(locator));

const refused = (refusal: TokenRefusal) => err(refusedToken(refusal));
const member = ok('PTY-1');

describe('a token of a program', () => {
  it.each([
    ['client_id', { sub: 'billing-batch', client_id: 'billing-batch' }],
    ['azp', { sub: 'billing-batch', azp: 'billing-batch' }],
    ['azp but not client_id', { sub: 'billing-batch', client_id: 'other', azp: 'billing-batch' }],
  ])('is refused when its sub equals its %s', async (_, claims) => {
    expect(await resultOf(claims)).toEqual(refused('program'));
    expect(await resultOf(claims, { locatorClaim: 'sub' })).toEqual(refused('program'));
  });

  it.each([
    ['its sub is another value', { sub: 'PTY-1', client_id: 'portico-web', azp: 'portico-web' }],
    ['it names a client and no sub', { partyLocator: 'PTY-1', client_id: 'portico-web' }],
    ['it names a party locator', { sub: 'portico-web', azp: 'portico-web', partyLocator: 'PTY-1' }],
  ])('the rule for tokens of programs does not include a token when %s', async (_, claims) => {
    expect(await resultOf(claims)).toEqual(member);
  });

  it.each([
    ['sub', 'PTY-1'],
    ['auto', null],
    ['client', '../PTY-1'],
  ])('is refused when the locator is in %s and its party locator is %j', async (locatorClaim, partyLocator) => {
    const claims = { sub: 'batch', client: 'batch', azp: 'batch', partyLocator };
    expect(await resultOf(claims, { locatorClaim })).toEqual(refused('program'));
  });

  it('is accepted when the rules allow it', async () => {
    const claims = { sub: 'PTY-1', client_id: 'PTY-1' };
    expect(await resultOf(claims, { memberTokensOnly: false })).toEqual(member);
    expect(await resultOf(claims, { memberTokensOnly: true })).toEqual(refused('program'));
  });
});

describe('the allowed clients', () => {
  const rules = { clients: ['portico-web', 'portico-app'] };

  it.each([{ client_id: 'portico-web' }, { azp: 'portico-app' }, { client_id: 'portico-web', azp: 'portico-app' }])(
    'include the client of %j',
    async (claims) => {
      expect(await resultOf({ sub: 'PTY-1', ...claims }, rules)).toEqual(member);
    },
  );

  it.each([
    {},
    { client_id: 'other' },
    { azp: 'other' },
    { client_id: 'other', azp: 'portico-web' },
    { client_id: 'portico-web', azp: 'other' },
    { client_id: 'PORTICO-WEB' },
    { client_id: ['portico-web'] },
    { client_id: null },
  ])('do not include the client of %j', async (claims) => {
    expect(await resultOf({ sub: 'PTY-1', ...claims }, rules)).toEqual(refused('client'));
  });
});

describe('the required scopes', () => {
  const rules = { scopes: { read: 'me:read', write: 'me:write me:all' } };

  it.each<[Access, TokenClaims]>([
    ['read', { scope: 'me:read' }],
    ['read', { scope: 'openid me:read profile' }],
    ['read', { scope: ['openid', 'me:read'] }],
    ['read', { scp: 'openid me:read' }],
    ['read', { scp: ['me:read'] }],
    ['read', { scope: 'openid', scp: 'me:read' }],
    ['write', { scope: 'me:all me:write' }],
    ['write', { scope: 'me:all', scp: ['me:write'] }],
  ])('the required scopes for %s are granted by %j', async (access, claims) => {
    expect(await resultOf({ sub: 'PTY-1', ...claims }, rules, access)).toEqual(member);
  });

  it.each<[Access, TokenClaims, string]>([
    ['read', {}, 'me:read'],
    ['read', { scope: '' }, 'me:read'],
    ['read', { scope: 'me:reader' }, 'me:read'],
    ['read', { scope: 'ME:READ' }, 'me:read'],
    ['read', { scope: 'me:read,openid' }, 'me:read'],
    ['read', { scope: { 'me:read': true } }, 'me:read'],
    ['read', { scope: ['openid', ['me:read']] }, 'me:read'],
    ['read', { scope: 7, scp: null }, 'me:read'],
    ['read', { scopes: 'me:read' }, 'me:read'],
    ['read', { scope: 'me:write me:all' }, 'me:read'],
    ['write', { scope: 'me:read' }, 'me:write me:all'],
    ['write', { scope: 'me:write' }, 'me:write me:all'],
  ])('the required scopes for %s are not granted by %j', async (access, claims, scope) => {
    expect(await resultOf({ sub: 'PTY-1', ...claims }, rules, access)).toEqual(err(insufficientScope(scope)));
  });

  it('are those of write access when the access is not stated', async () => {
    const failed = await authenticate(accepting({ sub: 'PTY-1', scope: 'me:read' }), rules)(token);
    expect(failed).toEqual(err(insufficientScope('me:write me:all')));
  });

  it('are none for the access that the rules leave out', async () => {
    expect(await resultOf({ sub: 'PTY-1' }, { scopes: { write: 'me:write' } }, 'read')).toEqual(member);
  });
});

describe('the rules of several issuers', () => {
  const issuers = {
    'https://one.example': { clients: ['web'] },
    'https://two.example': { locatorClaim: 'member', scopes: { read: 'me:read' } },
  };

  it('are those of the issuer of the token', async () => {
    const one = { iss: 'https://one.example', sub: 'PTY-1', member: 'PTY-2', azp: 'web' };
    expect(await resultOf(one, { issuers })).toEqual(member);
    expect(await resultOf({ ...one, azp: 'app' }, { issuers })).toEqual(refused('client'));
    const two = { iss: 'https://two.example', sub: 'PTY-1', member: 'PTY-2', scope: 'me:read' };
    expect(await resultOf(two, { issuers })).toEqual(ok('PTY-2'));
    expect(await resultOf({ ...two, scope: '' }, { issuers })).toEqual(err(insufficientScope('me:read')));
  });

  it.each([
    [{ clients: ['web'] }, refused('client')],
    [{ dpop: 'require' }, refused('scheme')],
    [{ locatorClaim: 'member' }, ok('PTY-2')],
    [{ scopes: { read: 'me:read' } }, err(insufficientScope('me:read'))],
  ] as const)('are added to the rules beside them: %j', async (rules, expected) => {
    const claims = { iss: 'https://four.example', sub: 'PTY-1', member: 'PTY-2', azp: 'app' };
    expect(await resultOf(claims, { ...rules, issuers: { 'https://four.example': {} } })).toEqual(expected);
    const unset: object = { clients: undefined, dpop: undefined, locatorClaim: undefined, scopes: undefined };
    expect(await resultOf(claims, { ...rules, issuers: { 'https://four.example': unset } })).toEqual(expected);
    const own = { clients: ['app'], dpop: 'accept', locatorClaim: 'sub', scopes: {} } as const;
    expect(await resultOf(claims, { ...rules, issuers: { 'https://four.example': own } })).toEqual(member);
  });

  it.each([undefined, 'https://three.example', 'constructor', '__proto__', ['https://one.example'], 7])(
    'do not exist for the issuer %j',
    async (iss) => {
      expect(await resultOf({ iss, sub: 'PTY-1', azp: 'web' }, { issuers })).toEqual(refused('issuer'));
    },
  );
});

describe('a DPoP-bound token', () => {
  const thumbprint = 'k'.repeat(43);
  const bound = { sub: 'PTY-1', cnf: { jkt: thumbprint } };
  const request = { method: 'GET', url: 'https://portal.example/me/claims' };
  const withProof = async (
    claims: TokenClaims,
    rules: IssuerRules,
    proofOf = (verifier: ReturnType<typeof fakeProofVerifier>) => verifier.prove({ ...request, token, thumbprint }),
  ) => {
    const verifier = fakeProofVerifier();
    const dpop: DpopProof = { ...request, proof: proofOf(verifier) };
    const result = await authenticate(accepting(claims), rules, verifier)(token, 'read', dpop);
    return result.map(({ locator }) => String(locator));
  };

  it.each(['accept', 'require'] as const)('is accepted with its proof when DPoP is set to %s', async (dpop) => {
    expect(await withProof(bound, { dpop })).toEqual(member);
  });

  it.each(['off', 'accept', 'require'] as const)(
    'is refused as a plain bearer token when DPoP is set to %s',
    async (dpop) => {
      const confirmations = [{ jkt: thumbprint }, { 'x5t#S256': thumbprint }, {}, null, 'jkt'];
      for (const cnf of confirmations)
        expect(await resultOf({ sub: 'PTY-1', cnf }, { dpop })).toEqual(refused('scheme'));
    },
  );

  it('is refused with its proof when DPoP is off', async () => {
    expect(await withProof(bound, {})).toEqual(refused('scheme'));
    expect(await withProof(bound, { dpop: 'off' })).toEqual(refused('scheme'));
  });

  it('is refused when there is no proof verifier', async () => {
    const dpop = { ...request, proof: 'a proof' };
    expect(await authenticate(accepting(bound), { dpop: 'require' })(token, 'read', dpop)).toEqual(refused('scheme'));
  });

  it('is refused with a proof of another request or key', async () => {
    const others = [{ method: 'POST' }, { url: 'https://other.example' }, { token: 'a.b.c' }, { thumbprint: 'x' }];
    for (const other of others)
      expect(
        await withProof(bound, { dpop: 'accept' }, ({ prove }) => prove({ ...request, token, thumbprint, ...other })),
      ).toEqual(err({ ...unauthenticated('invalid-proof'), refusal: 'proof' }));
  });

  it('is refused by the other rules even with its proof', async () => {
    expect(await withProof({ ...bound, azp: 'PTY-1' }, { dpop: 'accept' })).toEqual(refused('program'));
    expect(await withProof({ ...bound, sub: '../1' }, { dpop: 'accept' })).toEqual(refused('locator'));
    expect(await withProof(bound, { dpop: 'accept', scopes: { read: 'me:read' } })).toEqual(
      err(insufficientScope('me:read')),
    );
  });

  it('needs its proof even if it lacks a scope', async () => {
    const rules = { dpop: 'accept', scopes: { read: 'me:read' } } as const;
    expect(await withProof(bound, rules, () => '')).toMatchObject({ error: { reason: 'invalid-proof' } });
  });
});

describe('a token that is not DPoP-bound', () => {
  it('is a plain bearer token unless DPoP is required', async () => {
    expect(await resultOf({ sub: 'PTY-1' }, { dpop: 'accept' })).toEqual(member);
    expect(await resultOf({ sub: 'PTY-1' }, { dpop: 'require' })).toEqual(refused('scheme'));
  });

  it.each([undefined, null, {}, { jkt: 7 }, 'jkt', { 'x5t#S256': 'A' }])(
    'is refused with the scheme DPoP: cnf %j',
    async (cnf) => {
      const dpop = { proof: 'a proof', method: 'GET', url: 'https://portal.example/me/claims' };
      const verify = authenticate(accepting({ sub: 'PTY-1', cnf }), { dpop: 'accept' }, fakeProofVerifier());
      expect(await verify(token, 'read', dpop)).toEqual(refused('scheme'));
    },
  );

  it('is refused with the scheme DPoP before the other rules apply', async () => {
    const dpop = { proof: 'a proof', method: 'GET', url: 'https://portal.example/me/claims' };
    const program = { sub: 'PTY-1', azp: 'PTY-1' };
    const verify = authenticate(accepting(program), { dpop: 'accept' }, fakeProofVerifier());
    expect(await verify(token, 'read', dpop)).toEqual(refused('scheme'));
  });
});

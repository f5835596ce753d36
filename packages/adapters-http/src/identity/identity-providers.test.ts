import { refusedToken, unauthenticated, upstream } from '@portico/core';
import { fakeClock, identityContract, passwordGrantContract } from '@portico/core/testing';
import { base64url, CompactSign, type CryptoKey, exportJWK, generateKeyPair } from 'jose';
import { err, ok } from 'neverthrow';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contractRunner, httpServer } from '../http/local-servers.test.support.ts';
import { claimedIssuer, httpIdentities } from './identity-providers.ts';
import type { IdentitySettings } from './identity.ts';

const now = 1_767_225_600;
const [one, two] = ['https://one.example', 'https://two.example'] as const;

interface Keys {
  readonly privateKey: CryptoKey;
  readonly keySet: string;
}

let keys: Readonly<Record<string, Keys>>;
let clock = fakeClock();

beforeAll(async () => {
  const made = await Promise.all(
    [one, two].map(async (issuer) => {
      const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
      const jwk = { ...(await exportJWK(publicKey)), kid: 'the same', alg: 'ES256' };
      return [issuer, { privateKey, keySet: JSON.stringify({ keys: [jwk] }) }] as const;
    }),
  );
  keys = Object.fromEntries(made);
});
afterEach(() => {
  clock = fakeClock();
});

const payloadOf = (issuer: string, claims: object) =>
  JSON.stringify({ iss: issuer, aud: 'portico', sub: 'PTY-1', iat: now, exp: now + 300, ...claims });

/** A token of this issuer with these claims, signed with the keys of `signer`. */
const token = (issuer: string, claims: object = {}, signer = issuer, header: object = {}) =>
  new CompactSign(new TextEncoder().encode(payloadOf(issuer, claims)))
    .setProtectedHeader({ alg: 'ES256', kid: 'the same', ...header })
    .sign(keys[signer]!.privateKey);

type How = 'up' | 'down' | 'silent';

/** A provider that counts the requests for its keys. Its token endpoint issues one token. */
const provider = async (issuer: string, how: How = 'up', settings: Partial<IdentitySettings> = {}) => {
  let requests = 0;
  const issued = await token(issuer, { jti: 'by password' });
  const { url } = await httpServer((response, { body }) => {
    requests++;
    if (how === 'down') response.socket?.resetAndDestroy();
    if (how !== 'up') return;
    const form = new URLSearchParams(body);
    const [status, document] =
      body === ''
        ? [200, keys[issuer]!.keySet]
        : form.get('username') === 'member-1' && form.get('password') === 'right'
          ? [200, JSON.stringify({ access_token: issued, token_type: 'Bearer' })]
          : [400, '{"error":"invalid_grant"}'];
    response.writeHead(status, { 'content-type': 'application/json' }).end(document);
  });
  const own = { issuer, audience: ['portico'], jwksUrl: `${url}/keys`, tokenUrl: `${url}/token`, clock, ...settings };
  return { settings: own, requests: () => requests };
};

const anIdentity = async (ofOne?: How | Partial<IdentitySettings>, ofTwo?: How | Partial<IdentitySettings>) => {
  const start = (issuer: string, given: typeof ofOne) =>
    typeof given === 'object' ? provider(issuer, 'up', given) : provider(issuer, given);
  const providers = [await start(one, ofOne), await start(two, ofTwo)] as const;
  return { identity: httpIdentities(providers.map(({ settings }) => settings)), providers };
};

identityContract(contractRunner, async () => ({
  identity: (await anIdentity()).identity,
  token: await token(two),
  subject: 'PTY-1',
  forged: await token(two, {}, one),
  mint: (claims, header = {}) =>
    header['alg'] === 'none'
      ? `${base64url.encode(JSON.stringify(header))}.${base64url.encode(payloadOf(two, claims))}.`
      : token(two, claims, two, header),
}));

passwordGrantContract(contractRunner, async () => ({
  identity: (await anIdentity()).identity,
  subject: 'PTY-1',
  credentials: { grant: 'password', clientId: 'portico-cli', username: 'member-1', password: 'right' },
}));

describe('a token of one of several issuers', () => {
  it('is verified with the keys of its own issuer only', async () => {
    const { identity } = await anIdentity();
    for (const issuer of [one, two]) {
      expect(await identity.verify(await token(issuer))).toMatchObject({ value: { iss: issuer } });
      const forged = await token(issuer, {}, issuer === one ? two : one);
      expect(await identity.verify(forged)).toEqual(err(refusedToken('signature')));
    }
  });

  it('is verified with the settings of its own issuer only', async () => {
    const { identity } = await anIdentity({ audience: ['app one'] }, { audience: ['app two'], maxLifetimeSeconds: 60 });
    expect(await identity.verify(await token(one, { aud: 'app one' }))).toMatchObject({ value: { iss: one } });
    expect(await identity.verify(await token(one, { aud: 'app two' }))).toEqual(err(refusedToken('audience')));
    expect(await identity.verify(await token(two, { aud: 'app one' }))).toEqual(err(refusedToken('audience')));
    expect(await identity.verify(await token(two, { aud: 'app two' }))).toEqual(err(refusedToken('lifetime')));
    const short = { aud: 'app two', exp: now + 30 };
    expect(await identity.verify(await token(two, short))).toMatchObject({ value: { iss: two } });
  });

  it.each([undefined, 'https://three.example', `${one}/`, 'constructor', '__proto__', '', null, [one], { iss: one }])(
    'is refused without a request for keys when its issuer is %j',
    async (iss) => {
      const { identity, providers } = await anIdentity();
      expect(await identity.verify(await token(one, { iss }))).toEqual(err(refusedToken('issuer')));
      expect(providers.map(({ requests }) => requests())).toEqual([0, 0]);
    },
  );

  it.each(['aaaa.bbbb.cccc', `aaaa.${base64url.encode('[]')}.cccc`, `aaaa.${base64url.encode('"x"')}.cccc`, 'x'])(
    'is refused as malformed without claims: %s',
    async (malformed) => {
      expect(await (await anIdentity()).identity.verify(malformed)).toEqual(err(refusedToken('malformed')));
    },
  );

  it('is refused when the same header names another issuer after signing', async () => {
    const { identity } = await anIdentity();
    const [header, , signature] = (await token(one)).split('.');
    const payload = (await token(two)).split('.')[1];
    expect(await identity.verify(`${header}.${payload}.${signature}`)).toEqual(err(refusedToken('signature')));
  });
});

describe('a provider without keys', () => {
  it.each<How>(['down', 'silent'])('affects only the tokens of its own issuer while it is %s', async (how) => {
    const { identity } = await anIdentity(how);
    expect(await identity.verify(await token(two))).toMatchObject({ value: { iss: two } });
    const result = identity.verify(await token(one));
    if (how === 'silent') {
      await expect.poll(() => clock.scheduled, { interval: 1 }).toBeGreaterThan(0);
      clock.advance(5000);
    }
    expect(await result).toMatchObject({ error: { kind: 'upstream', service: 'identity' } });
  });

  it.each<How>(['down', 'silent'])('does not keep the others from being ready while it is %s', async (how) => {
    for (const [ofOne, ofTwo] of [[how], [undefined, how]]) {
      const { identity } = await anIdentity(ofOne, ofTwo);
      expect(await identity.warm()).toEqual(ok(undefined));
      clock.advance(5000);
    }
  });

  it('does not keep the others from being ready when it fails before they respond', async () => {
    const failed = Promise.withResolvers<void>();
    const slow = await httpServer(async (response) => {
      await failed.promise;
      response.writeHead(200, { 'content-type': 'application/json' }).end(keys[two]!.keySet);
    });
    const failing = await provider(one, 'down', { observer: { keysFailed: () => failed.resolve() } });
    const waiting = await provider(two, 'up', { jwksUrl: slow.url });
    expect(await httpIdentities([failing.settings, waiting.settings]).warm()).toEqual(ok(undefined));
  });

  it('makes the instance not ready when no other provider has keys', async () => {
    const { identity } = await anIdentity('down', 'down');
    expect(await identity.warm()).toEqual(err(upstream('identity', 'unreachable')));
  });
});

describe('claimedIssuer', () => {
  it.each([
    ['its iss', { iss: one }, one],
    ['none when its iss is a number', { iss: 1 }, undefined],
    ['none when its iss is a list', { iss: [one] }, undefined],
    ['none when it has no iss', { sub: one }, undefined],
  ])('the claimed issuer of a token is %s', (_, claims, issuer) => {
    expect(claimedIssuer(`${base64url.encode('{}')}.${base64url.encode(JSON.stringify(claims))}.`)).toBe(issuer);
  });

  it('the claimed issuer of a string that is not a token is undefined', () => {
    expect(claimedIssuer('opaque')).toBeUndefined();
  });
});

describe('httpIdentities', () => {
  it('requests tokens from the first issuer', async () => {
    const { identity, providers } = await anIdentity();
    const credentials = { grant: 'password', clientId: 'c', username: 'member-1', password: 'right' } as const;
    const issued = await identity.requestToken(credentials);
    expect(issued.isOk()).toBe(true);
    expect(await identity.requestToken({ ...credentials, password: 'wrong' })).toEqual(
      err(unauthenticated('invalid-grant')),
    );
    expect(providers.map(({ requests }) => requests())).toEqual([2, 0]);
  });

  it('refuses settings without an issuer, and with the same issuer twice', () => {
    const settings = { issuer: one, audience: ['portico'] };
    expect(() => httpIdentities([])).toThrow('At least one issuer is required.');
    expect(() => httpIdentities([settings, { ...settings, audience: ['other'] }])).toThrow(
      'Each issuer must be listed once.',
    );
  });
});

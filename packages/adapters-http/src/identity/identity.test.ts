import { createHmac } from 'node:crypto';
import { type Failure, unauthenticated, upstream } from '@portico/core';
import { type FakeClock, fakeClock, identityContract } from '@portico/core/testing';
import {
  base64url,
  CompactSign,
  type CompactJWSHeaderParameters,
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
} from 'jose';
import { err, ok } from 'neverthrow';
import nock from 'nock';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { httpIdentity, type IdentitySettings } from './identity.ts';
import { httpServer, tcpServer } from '../http/local-servers.test.support.ts';

const issuer = 'https://id.test/realms/portal';
const now = 1_767_225_600;
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

interface Keys {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

const keysFor = async (alg: string, kid = alg): Promise<Keys> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
};

let clock: FakeClock;
let published: Readonly<Record<(typeof algorithms)[number], Keys>>;
let stranger: Keys;

beforeAll(async () => {
  const pairs = await Promise.all(algorithms.map(async (alg) => [alg, await keysFor(alg)] as const));
  published = Object.fromEntries(pairs) as unknown as typeof published;
  stranger = await keysFor('RS256');
});

beforeEach(() => {
  clock = fakeClock();
});

afterEach(async () => {
  nock.cleanAll();
  await expect.poll(() => clock.scheduled, { interval: 1, message: 'timers left behind' }).toBe(0);
});

const good = { iss: issuer, aud: 'portico', sub: 'PTY-1', iat: now, exp: now + 300 };

type Header = Omit<Partial<CompactJWSHeaderParameters>, 'typ'> & { readonly typ?: unknown };

/** A token with exactly this payload; text is signed as it is. */
const token = (payload: unknown = good, header: Header = {}, { privateKey } = published.RS256) =>
  new CompactSign(new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'RS256', kid: 'RS256', ...header } as CompactJWSHeaderParameters)
    .sign(privateKey, { crit: { exp: true, 'urn:x': true } });

const keySetBody = () => JSON.stringify({ keys: Object.values(published).map(({ jwk }) => jwk) });

/** A provider that publishes its keys, or fails in the way it is told. */
const aProvider = async () => {
  const behaviour: { body: string; how: 'up' | 'down' | 'silent' } = { body: keySetBody(), how: 'up' };
  const server = await httpServer((response) => {
    if (behaviour.how === 'down') response.socket?.resetAndDestroy();
    if (behaviour.how !== 'up') return;
    response.writeHead(200, { 'content-type': 'application/json' }).end(behaviour.body);
  });
  return Object.assign(server, { behaviour });
};

/** A token endpoint where one member signs in. */
const signingIn = (given: string) =>
  httpServer((response, { body }) => {
    const form = new URLSearchParams(body);
    const knows = form.get('username') === 'member-1' && form.get('password') === 'right';
    response
      .writeHead(knows ? 200 : 400, { 'content-type': 'application/json' })
      .end(JSON.stringify(knows ? { access_token: given, token_type: 'Bearer' } : { error: 'invalid_grant' }));
  });

const anIdentity = async (settings: Partial<IdentitySettings> = {}) => {
  const provider = await aProvider();
  const identity = httpIdentity({ issuer, audience: ['portico'], jwksUrl: `${provider.url}/jwks`, clock, ...settings });
  return { identity, provider };
};

const bad = err(unauthenticated('invalid'));
const failed = (reason: 'status' | 'unreachable' | 'timeout' | 'malformed' | 'too-large') =>
  err<never, Failure>(upstream('identity', reason));

const said = async (given: string | Promise<string>, settings: Partial<IdentitySettings> = {}) => {
  const { identity } = await anIdentity(settings);
  return identity.verify(await given);
};

identityContract({ describe, it }, async () => {
  const { url } = await signingIn(await token({ ...good, jti: 'by password' }));
  const { identity } = await anIdentity({ tokenUrl: `${url}/token` });
  return {
    identity,
    token: await token(),
    subject: 'PTY-1',
    forged: await token(good, {}, stranger),
    credentials: { grant: 'password', clientId: 'portico-cli', username: 'member-1', password: 'right' },
  };
});

describe('a good token', () => {
  it.each(algorithms)('may be signed with %s', async (alg) => {
    expect(await said(token(good, { alg, kid: alg }, published[alg]))).toEqual(ok(good));
  });

  it.each<[string, unknown]>([
    ['for several audiences', { ...good, aud: ['other', 'portico'] }],
    ['with claims we do not know', { ...good, partyLocator: 'PTY-2', nested: { a: [1] } }],
    ['that does not say when it was issued', { ...good, iat: undefined }],
    ['that lives as long as any may', { ...good, exp: now + 86_400 }],
    ['that lives as long as any may, counted from now', { ...good, iat: undefined, exp: now + 86_400 }],
    ['that expired within the tolerance', { ...good, iat: now - 300, exp: now - 4 }],
    ['issued within the tolerance', { ...good, iat: now + 5 }],
    ['that begins within the tolerance', { ...good, nbf: now + 5 }],
    ['with fractions of a second', { ...good, iat: now - 0.5, exp: now + 299.5 }],
  ])('may be one %s', async (_, payload) => {
    expect(await said(token(payload))).toEqual(ok(JSON.parse(JSON.stringify(payload))));
  });

  it.each(['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', undefined])('may be typed %s', async (typ) => {
    expect(await said(token(good, typ === undefined ? {} : { typ }))).toEqual(ok(good));
  });

  it('need not name its key when only one fits', async () => {
    const header = { alg: 'ES256', kid: undefined } as unknown as Header;
    expect(await said(token(good, header, published.ES256))).toEqual(ok(good));
  });

  it('is for any one of our audiences', async () => {
    expect(await said(token({ ...good, aud: 'second' }), { audience: ['first', 'second'] })).toMatchObject({
      value: { aud: 'second' },
    });
  });

  it('may use another algorithm where the settings allow it, and only those', async () => {
    const header = { alg: 'RS384' };
    const keys = await keysFor('RS384');
    const { identity, provider } = await anIdentity({ algorithms: ['RS384'] });
    provider.behaviour.body = JSON.stringify({ keys: [keys.jwk, published.RS256.jwk] });
    expect(await identity.verify(await token(good, { ...header, kid: 'RS384' }, keys))).toEqual(ok(good));
    expect(await identity.verify(await token())).toEqual(bad);
  });

  it('is good until it expires, and no longer than the tolerance after that', async () => {
    const { identity } = await anIdentity({ clockToleranceSeconds: 0 });
    const given = await token();
    await identity.warm();
    clock.advance(299_999);
    expect(await identity.verify(given)).toEqual(ok(good));
    clock.advance(1);
    expect(await identity.verify(given)).toEqual(bad);
  });
});

const verifications = () => vi.spyOn(crypto.subtle, 'verify');

describe('a token that was verified', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is not verified again while it is good', async () => {
    const { identity } = await anIdentity();
    await identity.warm();
    const given = await token();
    const verified = verifications();
    for (let time = 0; time < 5; time++) expect(await identity.verify(given)).toEqual(ok(good));
    expect(verified).toHaveBeenCalledTimes(1);
    expect(await identity.verify(await token({ ...good, jti: 'another' }))).toEqual(ok({ ...good, jti: 'another' }));
    expect(verified).toHaveBeenCalledTimes(2);
  });

  it('is verified again after as long as keys are relied on', async () => {
    const { identity } = await anIdentity({ keyCacheSeconds: 60 });
    await identity.warm();
    const given = await token();
    const verified = verifications();
    await identity.verify(given);
    clock.advance(59_999);
    await identity.verify(given);
    expect(verified).toHaveBeenCalledTimes(1);
    clock.advance(1);
    expect(await identity.verify(given)).toEqual(ok(good));
    expect(verified).toHaveBeenCalledTimes(2);
  });

  it('is bad as soon as its key is no longer published', async () => {
    const { identity, provider } = await anIdentity();
    await identity.warm();
    const given = await token();
    expect(await identity.verify(given)).toEqual(ok(good));
    const recent = await keysFor('RS256', 'recent');
    provider.behaviour.body = JSON.stringify({ keys: [recent.jwk] });
    expect(await identity.verify(await token(good, { kid: 'recent' }, recent))).toEqual(ok(good));
    expect(await identity.verify(given)).toEqual(bad);
  });

  it('has its keys looked after, though it is not verified again', async () => {
    const { identity, provider } = await anIdentity({ keyCacheSeconds: 60 });
    await identity.warm();
    clock.advance(59_000);
    const given = await token({ ...good, iat: now + 59, exp: now + 359 });
    await identity.verify(given);
    provider.behaviour.body = JSON.stringify({ keys: [(await keysFor('RS256', 'recent')).jwk] });
    clock.advance(2000);
    await identity.verify(given);
    await provider.until(() => provider.requests.length === 2);
    await expect.poll(() => identity.verify(given), { interval: 1 }).toEqual(bad);
  });

  it('is still good while the provider is down, as long as its keys may serve', async () => {
    const { identity, provider } = await anIdentity({ maxLifetimeSeconds: 1_000_000 });
    await identity.warm();
    const given = await token({ ...good, exp: now + 900_000 });
    provider.behaviour.how = 'down';
    for (let hour = 0; hour < 24; hour++) {
      expect((await identity.verify(given)).isOk()).toBe(true);
      clock.advance(3_600_000);
      await expect.poll(() => clock.scheduled, { interval: 1 }).toBe(0);
    }
    clock.advance(1);
    expect(await identity.verify(given)).toMatchObject({ error: { kind: 'upstream', service: 'identity' } });
  });

  it('is not verified again with the keys that its own verification fetched', async () => {
    const { identity, provider } = await anIdentity();
    const given = await token();
    expect(await identity.verify(given)).toEqual(ok(good));
    const verified = verifications();
    expect(await identity.verify(given)).toEqual(ok(good));
    expect(verified).not.toHaveBeenCalled();
    expect(provider.requests).toHaveLength(1);
  });

  it('is bad after a quiet time when its key was withdrawn meanwhile', async () => {
    const { identity, provider } = await anIdentity({ keyCacheSeconds: 60 });
    await identity.warm();
    clock.advance(119_000);
    const given = await token({ ...good, iat: now + 119, exp: now + 419 });
    expect((await identity.verify(given)).isOk()).toBe(true);
    await expect.poll(() => provider.requests.length, { interval: 1 }).toBe(2);
    await expect.poll(() => clock.scheduled, { interval: 1 }).toBe(0);
    provider.behaviour.body = JSON.stringify({ keys: [(await keysFor('RS256', 'recent')).jwk] });
    clock.advance(121_000);
    expect(await identity.verify(given)).toEqual(bad);
  });

  it('says nothing for one that was refused', async () => {
    const { identity } = await anIdentity();
    await identity.warm();
    const given = await token(good, {}, stranger);
    for (let time = 0; time < 3; time++) expect(await identity.verify(given)).toEqual(bad);
  });
});

describe('a token is bad', () => {
  it.each<[string, unknown]>([
    ['without an issuer', { ...good, iss: undefined }],
    ['from another issuer', { ...good, iss: 'https://id.test/realms/other' }],
    ['from an issuer with a slash more', { ...good, iss: `${issuer}/` }],
    ['from an issuer in other letters', { ...good, iss: issuer.toUpperCase() }],
    ['from several issuers', { ...good, iss: [issuer] }],
    ['without an audience', { ...good, aud: undefined }],
    ['for another audience', { ...good, aud: 'other' }],
    ['for other audiences', { ...good, aud: ['other', 'portico2'] }],
    ['for no audience', { ...good, aud: [] }],
    ['for an audience within a list', { ...good, aud: [['portico']] }],
    ['for an audience that is no text', { ...good, aud: { portico: true } }],
    ['without an expiry', { ...good, exp: undefined }],
    ['with an expiry of null', { ...good, exp: null }],
    ['with an expiry in words', { ...good, exp: String(now + 300) }],
    ['with an endless expiry', JSON.stringify(good).replace(String(now + 300), '1e999')],
    ['with an expiry far away', { ...good, exp: 1e15 }],
    ['that has expired', { ...good, iat: now - 300, exp: now - 5 }],
    ['that lives too long', { ...good, exp: now + 86_401 }],
    ['that lives too long from now, not saying since when', { ...good, iat: undefined, exp: now + 86_401 }],
    ['that has lived too long already', { ...good, iat: now - 86_400, exp: now + 60 }],
    ['issued in the future', { ...good, iat: now + 6 }],
    ['issued at a time in words', { ...good, iat: String(now) }],
    ['issued endlessly long ago', JSON.stringify(good).replace(`"iat":${now}`, '"iat":-1e999')],
    ['that begins in the future', { ...good, nbf: now + 6 }],
    ['that begins at a time in words', { ...good, nbf: 'now' }],
    ['that begins endlessly long ago', JSON.stringify({ ...good, nbf: 0 }).replace('"nbf":0', '"nbf":-1e999')],
    ['that holds no claims', '"portico"'],
    ['that holds a list', [good]],
    ['that holds no JSON', 'canary'],
    ['that holds nothing', ''],
  ])('%s', async (_, payload) => {
    expect(await said(token(payload))).toEqual(bad);
  });

  it.each<[string, unknown]>([
    ['JOSE', 'JOSE'],
    ['application/foo', 'application/foo'],
    ['an ID token of another kind', 'id+jwt'],
    ['nothing in words', ''],
    ['null', null],
    ['a list', ['JWT']],
  ])('when it is typed %s', async (_, typ) => {
    expect(await said(token(good, { typ }))).toEqual(bad);
  });

  it.each([
    { crit: ['urn:x'], 'urn:x': 1 },
    { crit: ['exp'], exp: now + 300 },
  ])('when it must be understood in a way we do not: %j', async (header) => {
    expect(await said(token(good, header as Header))).toEqual(bad);
  });

  it('when it is not signed', async () => {
    const [, payload] = (await token()).split('.');
    for (const alg of ['none', 'None', 'NONE', '']) {
      const header = base64url.encode(JSON.stringify({ alg, kid: 'RS256' }));
      expect(await said(`${header}.${payload}.`)).toEqual(bad);
      expect(await said(`${header}.${payload}.c2lnbmF0dXJl`)).toEqual(bad);
    }
  });

  it('when it is signed with what everybody can read: the public key as a secret', async () => {
    const { publicKey, jwk } = published.RS256;
    const pem = await exportSPKI(publicKey);
    const secrets = [pem, pem.trim(), JSON.stringify(jwk), jwk.n ?? '', Buffer.from(jwk.n ?? '', 'base64url')];
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      const input = `${base64url.encode(JSON.stringify({ alg, kid: 'RS256' }))}.${base64url.encode(JSON.stringify(good))}`;
      for (const secret of secrets) {
        const signature = createHmac(alg.replace('HS', 'sha'), secret).update(input).digest('base64url');
        expect(await said(`${input}.${signature}`)).toEqual(bad);
      }
    }
  });

  it('when it is signed with a published key in an algorithm that is not allowed', async () => {
    const { privateKey } = published.RS256;
    const subtleKey = await crypto.subtle.importKey(
      'pkcs8',
      await crypto.subtle.exportKey('pkcs8', privateKey),
      { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
      false,
      ['sign'],
    );
    const given = token(good, { alg: 'RS384' }, { ...published.RS256, privateKey: subtleKey });
    expect(await said(given)).toEqual(bad);
  });

  it('when its algorithm is not the one of its key', async () => {
    expect(await said(token(good, { alg: 'PS256', kid: 'RS256' }, published.PS256))).toEqual(bad);
    expect(await said(token(good, { alg: 'ES256', kid: 'RS256' }, published.ES256))).toEqual(bad);
  });

  it('when somebody else signed it, under the name of a published key', async () => {
    expect(await said(token(good, {}, stranger))).toEqual(bad);
  });

  it('when it was changed after it was signed', async () => {
    const [header, , signature] = (await token()).split('.');
    const payload = base64url.encode(JSON.stringify({ ...good, sub: 'PTY-2' }));
    expect(await said(`${header}.${payload}.${signature}`)).toEqual(bad);
    const [otherHeader] = (await token(good, { typ: 'JWT' })).split('.');
    const [, own] = (await token()).split('.');
    expect(await said(`${otherHeader}.${own}.${signature}`)).toEqual(bad);
  });

  it('when its signature is gone, short or another', async () => {
    const [header, payload, signature = ''] = (await token()).split('.');
    for (const other of ['', 'AA', signature.slice(4), signature.slice(0, -4), `${signature}AAAA`])
      expect(await said(`${header}.${payload}.${other}`)).toEqual(bad);
  });

  it.each(['', '.', '..', '...', 'a.b', 'a.b.c', 'a.b.c.d.e', 'é.é.é', 'e30.e30.e30', 'null.null.null', ' '])(
    'when it is "%s"',
    async (given) => {
      expect(await said(given)).toEqual(bad);
    },
  );

  it('when there are other characters in it', async () => {
    const [header, payload, signature] = (await token()).split('.');
    expect(await said(`${header}.é${payload}.${signature}`)).toEqual(bad);
    expect(await said(`${header}é.${payload}.${signature}`)).toEqual(bad);
    expect(await said(`${header}.${payload}.${signature}é`)).toEqual(bad);
  });

  it('when it brings its own key, which nobody follows', async () => {
    const elsewhere = await httpServer((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [stranger.jwk] })),
    );
    const { identity, provider } = await anIdentity();
    for (const header of [
      { jku: `${elsewhere.url}/jwks` },
      { x5u: `${elsewhere.url}/cert` },
      { jwk: stranger.jwk },
      { jwk: stranger.jwk, kid: 'theirs' },
      { jku: `${elsewhere.url}/jwks`, kid: 'theirs' },
    ])
      expect(await identity.verify(await token(good, header as Header, stranger))).toEqual(bad);
    expect(elsewhere.connections).toBe(0);
    expect(new Set(provider.requests.map(({ path }) => path))).toEqual(new Set(['/jwks']));
  });

  it('and is refused without asking for keys when it could not be good anyway', async () => {
    const { identity, provider } = await anIdentity();
    const hs256 = `${base64url.encode('{"alg":"HS256"}')}.${base64url.encode(JSON.stringify(good))}.c2ln`;
    expect(await identity.verify(hs256)).toEqual(bad);
    expect(provider.connections).toBe(0);
  });
});

describe('the provider', () => {
  it('is asked once for fifty members who come at the same time', async () => {
    const { identity, provider } = await anIdentity();
    const given = await token();
    const answers = await Promise.all(Array.from({ length: 50 }, () => identity.verify(given)));
    expect(answers.filter((answer) => answer.isOk())).toHaveLength(50);
    expect(provider.requests).toHaveLength(1);
  });

  it('is asked for JSON, without anybody’s token', async () => {
    const { identity, provider } = await anIdentity();
    await identity.verify(await token());
    expect(provider.requests[0]).toMatchObject({ method: 'GET', path: '/jwks', body: '' });
    expect(provider.requests[0]?.headers).toMatchObject({ accept: 'application/json, application/jwk-set+json' });
    expect(provider.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each(['application/jwk-set+json; charset=utf-8', 'text/plain', 'application/octet-stream'])(
    'may send its keys as %s',
    async (type) => {
      const { url } = await httpServer((response) =>
        response.writeHead(200, { 'content-type': type }).end(keySetBody()),
      );
      expect(await said(token(), { jwksUrl: url })).toEqual(ok(good));
    },
  );

  it('that is down is a failure of its own, not of the member', async () => {
    const { identity, provider } = await anIdentity();
    provider.behaviour.how = 'down';
    expect(await identity.verify(await token())).toEqual(failed('unreachable'));
    expect(await identity.warm()).toEqual(failed('unreachable'));
    provider.behaviour.how = 'up';
    clock.advance(1000);
    expect(await identity.verify(await token())).toEqual(ok(good));
  });

  it('that is silent is given up after the deadline', async () => {
    const { identity, provider } = await anIdentity({ timeoutMs: 700 });
    provider.behaviour.how = 'silent';
    const answer = identity.verify(await token());
    await provider.until(() => provider.requests.length === 1);
    clock.advance(700);
    expect(await answer).toEqual(failed('timeout'));
    await provider.until(() => provider.open === 0);
  });

  it('that goes silent delays nobody while its keys are known', async () => {
    const { identity, provider } = await anIdentity();
    await identity.warm();
    provider.behaviour.how = 'silent';
    clock.advance(10 * 60_000 + 1);
    const payload = { ...good, exp: now + 3600 };
    expect(await identity.verify(await token(payload))).toEqual(ok(payload));
    await provider.until(() => provider.requests.length === 2);
    expect(await identity.verify(await token(payload))).toEqual(ok(payload));
    clock.advance(5000);
    await provider.until(() => provider.open === 0);
    expect(await identity.verify(await token(payload))).toEqual(ok(payload));
    expect(provider.requests).toHaveLength(2);
  });

  it('that changed its keys is asked again by the first token signed with a new one', async () => {
    const { identity, provider } = await anIdentity();
    await identity.warm();
    const recent = await keysFor('RS256', 'recent');
    provider.behaviour.body = JSON.stringify({ keys: [recent.jwk] });
    expect(await identity.verify(await token(good, { kid: 'recent' }, recent))).toEqual(ok(good));
    expect(await identity.verify(await token())).toEqual(bad);
    expect(provider.requests).toHaveLength(2);
  });

  it.each<[string, string, 'malformed' | 'too-large']>([
    ['no keys', '{"keys":[]}', 'malformed'],
    ['something else', '{"canary":1}', 'malformed'],
    ['no JSON', 'canary', 'malformed'],
    ['more than anybody needs', JSON.stringify({ keys: [], padding: 'x'.repeat(1_048_576) }), 'too-large'],
  ])('that publishes %s has failed', async (_, body, reason) => {
    const { identity, provider } = await anIdentity();
    provider.behaviour.body = body;
    expect(await identity.warm()).toEqual(failed(reason));
    expect(await identity.verify(await token())).toEqual(failed(reason));
  });

  it('that publishes a key nobody can use has failed, when a token needs that key', async () => {
    const { identity, provider } = await anIdentity();
    const { e, kty } = published.RS256.jwk;
    provider.behaviour.body = JSON.stringify({ keys: [{ kty, e, n: 'AQAB', kid: 'RS256' }, published.ES256.jwk] });
    expect(await identity.verify(await token())).toEqual(failed('malformed'));
    const usable = token(good, { alg: 'ES256', kid: 'ES256' }, published.ES256);
    expect(await identity.verify(await usable)).toEqual(ok(good));
  });

  it('is not followed elsewhere', async () => {
    const elsewhere = await aProvider();
    const { url } = await httpServer((response) => response.writeHead(302, { location: `${elsewhere.url}/` }).end());
    expect(await said(token(), { jwksUrl: url })).toEqual(failed('status'));
    expect(elsewhere.connections).toBe(0);
  });

  it('that resets the first connection is asked once more', async () => {
    const body = keySetBody();
    const { url, requests } = await tcpServer((socket, nth) =>
      nth === 1
        ? socket.resetAndDestroy()
        : socket.end(
            `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
          ),
    );
    expect(await said(token(), { jwksUrl: url })).toEqual(ok(good));
    expect(requests).toHaveLength(2);
  });
});

/** An issuer that describes itself, and what it says. */
const anIssuer = async (describeItself: (url: string) => unknown, path = '') => {
  const server = await httpServer((response, { path: asked }) => {
    const body = asked.endsWith('/jwks') ? keySetBody() : JSON.stringify(describeItself(server.url));
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  const own = server.url + path;
  return { server, own, identity: httpIdentity({ issuer: own, audience: ['portico'], clock }) };
};

describe('without an address for its keys', () => {
  it.each([
    ['', '/.well-known/openid-configuration'],
    ['/', '/.well-known/openid-configuration'],
    ['/realms/portal', '/realms/portal/.well-known/openid-configuration'],
  ])('the issuer is asked where they are, when its path is "%s"', async (path, asked) => {
    const document = (url: string) => ({ issuer: url + path, jwks_uri: `${url}/jwks`, token_endpoint: 'unread' });
    const { identity, server, own } = await anIssuer(document, path);
    const payload = { ...good, iss: own };
    expect(await identity.warm()).toEqual(ok(undefined));
    expect(await identity.verify(await token(payload))).toEqual(ok(payload));
    expect(server.requests.map((request) => request.path)).toEqual([asked, '/jwks']);
  });

  it.each<[string, (url: string) => unknown]>([
    ['another issuer', (url) => ({ issuer: 'https://elsewhere.test', jwks_uri: `${url}/jwks` })],
    ['an issuer with a slash more', (url) => ({ issuer: `${url}/`, jwks_uri: `${url}/jwks` })],
    ['no issuer', (url) => ({ jwks_uri: `${url}/jwks` })],
    ['no address of keys', (url) => ({ issuer: url })],
    ['several addresses of keys', (url) => ({ issuer: url, jwks_uri: [`${url}/jwks`] })],
    ['keys that are not on the web', (url) => ({ issuer: url, jwks_uri: 'file:///etc/jwks' })],
    ['nothing', () => null],
    ['text', () => 'canary'],
  ])('a description that names %s is malformed', async (_, document) => {
    const { identity, server, own } = await anIssuer(document);
    expect(await identity.warm()).toEqual(failed('malformed'));
    expect(await identity.verify(await token({ ...good, iss: own }))).toEqual(failed('malformed'));
    expect(server.requests.filter(({ path }) => path.endsWith('/jwks'))).toEqual([]);
  });

  it.each([['http://id.test/jwks'], ['HTTP://id.test/jwks'], ['http://127.0.0.1/jwks']])(
    'an https issuer sends nobody to %s, where anybody could put a key of their own',
    async (address) => {
      const secure = 'https://id.test';
      const description = nock(secure)
        .get('/.well-known/openid-configuration')
        .reply(200, { issuer: secure, jwks_uri: address });
      const identity = httpIdentity({ issuer: secure, audience: ['portico'], clock });
      expect(await identity.warm()).toEqual(failed('malformed'));
      expect(description.isDone()).toBe(true);
    },
  );

  it('an https issuer may keep its keys on another host, by https', async () => {
    const secure = 'https://id.test';
    nock(secure)
      .get('/.well-known/openid-configuration')
      .reply(200, { issuer: secure, jwks_uri: 'https://keys.test/jwks' });
    nock('https://keys.test').get('/jwks').reply(200, keySetBody(), { 'content-type': 'application/json' });
    const identity = httpIdentity({ issuer: secure, audience: ['portico'], clock });
    const payload = { ...good, iss: secure };
    expect(await identity.verify(await token(payload))).toEqual(ok(payload));
  });

  it.each<[string, Partial<IdentitySettings>]>([
    ['', {}],
    [', also when it is known where tokens are issued', { tokenUrl: 'https://id.test/token' }],
  ])('the issuer and its keys have the one deadline together%s', async (_, settings) => {
    const server = await httpServer((response, { path }) => {
      if (path.endsWith('/jwks')) return;
      clock.advance(349);
      const document = { issuer: server.url, jwks_uri: `${server.url}/jwks` };
      const headers = { 'content-type': 'application/json', connection: 'close' };
      response.writeHead(200, headers).end(JSON.stringify(document));
    });
    const identity = httpIdentity({ issuer: server.url, audience: ['portico'], clock, timeoutMs: 700, ...settings });
    const answer = identity.warm();
    await server.until(() => server.requests.length === 2);
    clock.advance(349);
    expect(clock.scheduled).toBe(1);
    clock.advance(1);
    expect(await answer).toEqual(failed('timeout'));
    await server.until(() => server.open === 0);
  });

  it('an issuer without a description has failed', async () => {
    const { url } = await httpServer((response) => response.writeHead(404).end());
    const identity = httpIdentity({ issuer: url, audience: ['portico'], clock });
    expect(await identity.warm()).toEqual(failed('status'));
  });
});

it.each([[[]], [['HS256']], [['RS256', 'none']], [['rs256']]])('cannot be told to trust %j', (allowed) => {
  const settings = { issuer, audience: ['portico'], algorithms: allowed as unknown as readonly 'RS256'[] };
  expect(() => httpIdentity(settings)).toThrow(/^Tokens may be signed with RS256, .* EdDSA only\.$/);
});

it('tells nothing of token, key or address in any failure', async () => {
  const { identity, provider } = await anIdentity();
  const given = await token({ ...good, sub: 'canary', iss: 'https://canary.test' });
  const refused = await identity.verify(given);
  provider.behaviour.body = '{"canary":1}';
  const broken = await identity.warm();
  const told = JSON.stringify([refused, broken]);
  expect(told).not.toMatch(/canary|127\.0\.0\.1|eyJ/);
});

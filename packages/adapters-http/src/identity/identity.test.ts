import { createHmac } from 'node:crypto';
import {
  type Failure,
  refusedToken,
  type TokenRefusal,
  unauthenticated,
  upstream,
  upstreamStatus,
} from '@portico/core';
import {
  type FakeClock,
  fakeClock,
  identityContract,
  passwordGrantContract,
  type SourceFault,
} from '@portico/core/testing';
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
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { httpDefaults } from '../http/client.ts';
import { httpIdentity, type IdentitySettings } from './identity.ts';
import { contractRunner, describeOnce, httpServer, tcpServer } from '../http/local-servers.test.support.ts';

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
let unpublished: Keys;

beforeAll(async () => {
  const pairs = await Promise.all(algorithms.map(async (alg) => [alg, await keysFor(alg)] as const));
  published = Object.fromEntries(pairs) as unknown as typeof published;
  unpublished = await keysFor('RS256');
});

beforeEach(() => {
  clock = fakeClock();
});

afterEach(async () => {
  await expect.poll(() => clock.scheduled, { interval: 1, message: 'timers that are still scheduled' }).toBe(0);
});

const validClaims = { iss: issuer, aud: 'portico', sub: 'PTY-1', iat: now, exp: now + 300 };

type Header = Omit<Partial<CompactJWSHeaderParameters>, 'typ'> & { readonly typ?: unknown };

/** A token with exactly this payload. A string is signed unchanged. */
const token = (payload: unknown = validClaims, header: Header = {}, { privateKey } = published.RS256) =>
  new CompactSign(new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'RS256', kid: 'RS256', ...header } as CompactJWSHeaderParameters)
    .sign(privateKey, { crit: { exp: true, 'urn:x': true } });

const keySetBody = () => JSON.stringify({ keys: Object.values(published).map(({ jwk }) => jwk) });

/** Starts a provider that publishes its keys. The test can change its `behaviour`. */
const aProvider = async () => {
  const behaviour: { body: string; how: 'up' | 'down' | 'silent' } = { body: keySetBody(), how: 'up' };
  const server = await httpServer((response) => {
    if (behaviour.how === 'down') response.socket?.resetAndDestroy();
    if (behaviour.how !== 'up') return;
    response.writeHead(200, { 'content-type': 'application/json' }).end(behaviour.body);
  });
  return Object.assign(server, { behaviour });
};

/** Starts a token endpoint that issues `accessToken` to one member, while `fault` returns undefined. */
const tokenEndpoint = (accessToken: string, fault: () => SourceFault | undefined = () => undefined) =>
  httpServer((response, { body }) => {
    const now = fault();
    if (now === 'slow') return clock.advance(httpDefaults.timeoutMs);
    if (now === 'garbage') return void response.end('<html>');
    if (now !== undefined) return void response.socket?.resetAndDestroy();
    const form = new URLSearchParams(body);
    const isValid = form.get('username') === 'member-1' && form.get('password') === 'right';
    response
      .writeHead(isValid ? 200 : 400, { 'content-type': 'application/json' })
      .end(JSON.stringify(isValid ? { access_token: accessToken, token_type: 'Bearer' } : { error: 'invalid_grant' }));
  });

const anIdentity = async (settings: Partial<IdentitySettings> = {}) => {
  const provider = await aProvider();
  const identity = httpIdentity({ issuer, audience: ['portico'], jwksUrl: `${provider.url}/jwks`, clock, ...settings });
  return { identity, provider };
};

const refused = (refusal: TokenRefusal) => err(refusedToken(refusal));
const failed = (reason: 'unreachable' | 'timeout' | 'malformed' | 'too-large') =>
  err<never, Failure>(upstream('identity', reason));

const verify = async (accessToken: string | Promise<string>, settings: Partial<IdentitySettings> = {}) => {
  const { identity } = await anIdentity(settings);
  return identity.verify(await accessToken);
};

identityContract(contractRunner, async () => {
  const { identity, provider } = await anIdentity();
  return {
    identity,
    token: await token(),
    subject: 'PTY-1',
    forged: await token(validClaims, {}, unpublished),
    mint: async (claims, header = {}) => {
      const payload = { ...validClaims, ...claims };
      if (header['alg'] !== 'none') return token(payload, header);
      return `${base64url.encode(JSON.stringify(header))}.${base64url.encode(JSON.stringify(payload))}.`;
    },
    secrets: [provider.url],
    pass: async (seconds) => clock.advance(seconds * 1000),
  };
});

passwordGrantContract(contractRunner, async () => {
  let fault: SourceFault | undefined;
  const { url } = await tokenEndpoint(await token({ ...validClaims, jti: 'by password' }), () => fault);
  const { identity } = await anIdentity({ tokenUrl: `${url}/token` });
  return {
    identity,
    fail: (next) => {
      fault = next;
    },
    credentials: { grant: 'password', clientId: 'portico-cli', username: 'member-1', password: 'right' },
    subject: 'PTY-1',
    secrets: [url],
  };
});

describeOnce('a valid token', () => {
  it.each(algorithms)('a valid token may be signed with %s', async (alg) => {
    expect(await verify(token(validClaims, { alg, kid: alg }, published[alg]))).toEqual(ok(validClaims));
  });

  it.each<[string, unknown]>([
    ['for several audiences', { ...validClaims, aud: ['other', 'portico'] }],
    ['with unknown claims', { ...validClaims, partyLocator: 'PTY-2', nested: { a: [1] } }],
    ['without an issue time', { ...validClaims, iat: undefined }],
    ['with the maximum lifetime', { ...validClaims, exp: now + 86_400 }],
    [
      'with the maximum lifetime from now, without an issue time',
      { ...validClaims, iat: undefined, exp: now + 86_400 },
    ],
    ['that expired within the tolerance', { ...validClaims, iat: now - 300, exp: now - 4 }],
    ['issued within the tolerance', { ...validClaims, iat: now + 5 }],
    ['not valid before a time within the tolerance', { ...validClaims, nbf: now + 5 }],
    ['with fractions of a second', { ...validClaims, iat: now - 0.5, exp: now + 299.5 }],
  ])('a valid token may be %s', async (_, payload) => {
    expect(await verify(token(payload))).toEqual(ok(JSON.parse(JSON.stringify(payload))));
  });

  it.each(['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', undefined])(
    'a valid token may have the typ %s',
    async (typ) => {
      expect(await verify(token(validClaims, typ === undefined ? {} : { typ }))).toEqual(ok(validClaims));
    },
  );

  it('a valid token may omit the kid when only one key matches', async () => {
    const header = { alg: 'ES256', kid: undefined } as unknown as Header;
    expect(await verify(token(validClaims, header, published.ES256))).toEqual(ok(validClaims));
  });

  it('a valid token may be for any configured audience', async () => {
    expect(await verify(token({ ...validClaims, aud: 'second' }), { audience: ['first', 'second'] })).toMatchObject({
      value: { aud: 'second' },
    });
  });

  it('a valid token may use only the configured algorithms', async () => {
    const header = { alg: 'RS384' };
    const keys = await keysFor('RS384');
    const { identity, provider } = await anIdentity({ algorithms: ['RS384'] });
    provider.behaviour.body = JSON.stringify({ keys: [keys.jwk, published.RS256.jwk] });
    expect(await identity.verify(await token(validClaims, { ...header, kid: 'RS384' }, keys))).toEqual(ok(validClaims));
    expect(await identity.verify(await token())).toEqual(refused('algorithm'));
  });

  it('a valid token is valid until it expires', async () => {
    const { identity } = await anIdentity({ clockToleranceSeconds: 0 });
    const accessToken = await token();
    await identity.warm();
    clock.advance(299_999);
    expect(await identity.verify(accessToken)).toEqual(ok(validClaims));
    clock.advance(1);
    expect(await identity.verify(accessToken)).toEqual(refused('expired'));
  });
});

const verifications = () => vi.spyOn(crypto.subtle, 'verify');

/** Every signature of this algorithm is verified by jose. */
const tokenOfJose = (claims: object = validClaims) => token(claims, { alg: 'ES256', kid: 'ES256' }, published.ES256);

describeOnce('a verified token', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('a verified token is not verified again while it is cached', async () => {
    const { identity } = await anIdentity();
    await identity.warm();
    const accessToken = await tokenOfJose();
    const verified = verifications();
    for (let time = 0; time < 5; time++) expect(await identity.verify(accessToken)).toEqual(ok(validClaims));
    // It is cached from its second use.
    expect(verified).toHaveBeenCalledTimes(2);
    expect(await identity.verify(await tokenOfJose({ ...validClaims, jti: 'another' }))).toEqual(
      ok({ ...validClaims, jti: 'another' }),
    );
    expect(verified).toHaveBeenCalledTimes(3);
  });

  it('a verified token is verified again after the key cache time', async () => {
    const { identity } = await anIdentity({ keyCacheSeconds: 60 });
    await identity.warm();
    const accessToken = await tokenOfJose();
    await identity.verify(accessToken);
    const verified = verifications();
    await identity.verify(accessToken);
    clock.advance(59_999);
    await identity.verify(accessToken);
    expect(verified).toHaveBeenCalledTimes(1);
    clock.advance(1);
    expect(await identity.verify(accessToken)).toEqual(ok(validClaims));
    expect(verified).toHaveBeenCalledTimes(2);
  });

  it('a verified token is rejected as soon as its key is no longer published', async () => {
    const { identity, provider } = await anIdentity();
    await identity.warm();
    const accessToken = await token();
    for (let use = 0; use < 2; use++) expect(await identity.verify(accessToken)).toEqual(ok(validClaims));
    const recent = await keysFor('RS256', 'recent');
    provider.behaviour.body = JSON.stringify({ keys: [recent.jwk] });
    expect(await identity.verify(await token(validClaims, { kid: 'recent' }, recent))).toEqual(ok(validClaims));
    expect(await identity.verify(accessToken)).toEqual(refused('key'));
  });

  it('triggers the background refresh of its keys', async () => {
    const { identity, provider } = await anIdentity({ keyCacheSeconds: 60 });
    await identity.warm();
    clock.advance(59_000);
    const accessToken = await token({ ...validClaims, iat: now + 59, exp: now + 359 });
    for (let use = 0; use < 2; use++) await identity.verify(accessToken);
    provider.behaviour.body = JSON.stringify({ keys: [(await keysFor('RS256', 'recent')).jwk] });
    clock.advance(2000);
    await identity.verify(accessToken);
    await provider.until(() => provider.requests.length === 2);
    await expect.poll(() => identity.verify(accessToken), { interval: 1 }).toEqual(refused('key'));
  });

  it('a verified token is accepted while the provider is down, for as long as its keys are usable', async () => {
    const { identity, provider } = await anIdentity({ maxLifetimeSeconds: 1_000_000 });
    await identity.warm();
    const accessToken = await token({ ...validClaims, exp: now + 900_000 });
    provider.behaviour.how = 'down';
    for (let hour = 0; hour < 24; hour++) {
      expect((await identity.verify(accessToken)).isOk()).toBe(true);
      clock.advance(3_600_000);
      await expect.poll(() => clock.scheduled, { interval: 1 }).toBe(0);
    }
    clock.advance(1);
    expect(await identity.verify(accessToken)).toMatchObject({ error: { kind: 'upstream', service: 'identity' } });
  });

  it('a verified token is not verified again when its verification fetched the keys', async () => {
    const { identity, provider } = await anIdentity();
    const accessToken = await tokenOfJose();
    for (let use = 0; use < 2; use++) expect(await identity.verify(accessToken)).toEqual(ok(validClaims));
    const verified = verifications();
    expect(await identity.verify(accessToken)).toEqual(ok(validClaims));
    expect(verified).not.toHaveBeenCalled();
    expect(provider.requests).toHaveLength(1);
  });

  it('a verified token is rejected after an idle time when its key was withdrawn', async () => {
    const { identity, provider } = await anIdentity({ keyCacheSeconds: 60 });
    await identity.warm();
    clock.advance(119_000);
    const accessToken = await token({ ...validClaims, iat: now + 119, exp: now + 419 });
    for (let use = 0; use < 2; use++) expect((await identity.verify(accessToken)).isOk()).toBe(true);
    await expect.poll(() => provider.requests.length, { interval: 1 }).toBe(2);
    await expect.poll(() => clock.scheduled, { interval: 1 }).toBe(0);
    provider.behaviour.body = JSON.stringify({ keys: [(await keysFor('RS256', 'recent')).jwk] });
    clock.advance(121_000);
    expect(await identity.verify(accessToken)).toEqual(refused('key'));
  });

  it('a verified token is not cached when it was rejected', async () => {
    const { identity } = await anIdentity();
    await identity.warm();
    const accessToken = await token(validClaims, {}, unpublished);
    for (let time = 0; time < 3; time++) expect(await identity.verify(accessToken)).toEqual(refused('signature'));
  });
});

describeOnce('an invalid token', () => {
  it.each<[string, unknown, TokenRefusal]>([
    ['without an issuer', { ...validClaims, iss: undefined }, 'issuer'],
    ['from another issuer', { ...validClaims, iss: 'https://id.test/realms/other' }, 'issuer'],
    ['from an issuer with a trailing slash', { ...validClaims, iss: `${issuer}/` }, 'issuer'],
    ['from an issuer in upper case', { ...validClaims, iss: issuer.toUpperCase() }, 'issuer'],
    ['from several issuers', { ...validClaims, iss: [issuer] }, 'issuer'],
    ['without an audience', { ...validClaims, aud: undefined }, 'audience'],
    ['for another audience', { ...validClaims, aud: 'other' }, 'audience'],
    ['for other audiences', { ...validClaims, aud: ['other', 'portico2'] }, 'audience'],
    ['with an empty audience list', { ...validClaims, aud: [] }, 'audience'],
    ['with a nested audience list', { ...validClaims, aud: [['portico']] }, 'audience'],
    ['with an audience that is not a string', { ...validClaims, aud: { portico: true } }, 'audience'],
    ['without an expiry', { ...validClaims, exp: undefined }, 'lifetime'],
    ['with an expiry of null', { ...validClaims, exp: null }, 'malformed'],
    ['with an expiry that is a string', { ...validClaims, exp: String(now + 300) }, 'malformed'],
    ['with an infinite expiry', JSON.stringify(validClaims).replace(String(now + 300), '1e999'), 'malformed'],
    ['with an expiry in the far future', { ...validClaims, exp: 1e15 }, 'lifetime'],
    ['that has expired', { ...validClaims, iat: now - 300, exp: now - 5 }, 'expired'],
    ['with too long a lifetime', { ...validClaims, exp: now + 86_401 }, 'lifetime'],
    [
      'with too long a lifetime from now, without an issue time',
      { ...validClaims, iat: undefined, exp: now + 86_401 },
      'lifetime',
    ],
    ['with too long a lifetime since its issue time', { ...validClaims, iat: now - 86_400, exp: now + 60 }, 'lifetime'],
    ['issued in the future', { ...validClaims, iat: now + 6 }, 'not-yet'],
    ['with an issue time that is a string', { ...validClaims, iat: String(now) }, 'malformed'],
    ['with an infinite issue time', JSON.stringify(validClaims).replace(`"iat":${now}`, '"iat":-1e999'), 'malformed'],
    ['that is not yet valid', { ...validClaims, nbf: now + 6 }, 'not-yet'],
    ['with an nbf that is a string', { ...validClaims, nbf: 'now' }, 'malformed'],
    [
      'with an infinite nbf',
      JSON.stringify({ ...validClaims, nbf: 0 }).replace('"nbf":0', '"nbf":-1e999'),
      'malformed',
    ],
    ['whose payload is a string', '"portico"', 'malformed'],
    ['whose payload is an array', [validClaims], 'malformed'],
    ['whose payload is not JSON', 'canary', 'malformed'],
    ['whose payload is empty', '', 'malformed'],
  ])('an invalid token is rejected: %s', async (_, payload, refusal) => {
    expect(await verify(token(payload))).toEqual(refused(refusal));
  });

  it.each<[string, unknown]>([
    ['JOSE', 'JOSE'],
    ['application/foo', 'application/foo'],
    ['id+jwt', 'id+jwt'],
    ['an empty string', ''],
    ['null', null],
    ['an array', ['JWT']],
  ])('an invalid token is rejected with the typ %s', async (_, typ) => {
    expect(await verify(token(validClaims, { typ }))).toEqual(refused('type'));
  });

  it.each([
    { crit: ['urn:x'], 'urn:x': 1 },
    { crit: ['exp'], exp: now + 300 },
  ])('an invalid token is rejected with an unsupported crit header: %j', async (header) => {
    expect(await verify(token(validClaims, header as Header))).toEqual(refused('malformed'));
  });

  it('an invalid token is rejected when it is not signed', async () => {
    const [, payload] = (await token()).split('.');
    for (const alg of ['none', 'None', 'NONE', '']) {
      const header = base64url.encode(JSON.stringify({ alg, kid: 'RS256' }));
      const expected = refused(alg === '' ? 'malformed' : 'algorithm');
      expect(await verify(`${header}.${payload}.`)).toEqual(expected);
      expect(await verify(`${header}.${payload}.c2lnbmF0dXJl`)).toEqual(expected);
    }
  });

  it('an invalid token is rejected when it is signed with the public key as an HMAC secret', async () => {
    const { publicKey, jwk } = published.RS256;
    const pem = await exportSPKI(publicKey);
    const secrets = [pem, pem.trim(), JSON.stringify(jwk), jwk.n ?? '', Buffer.from(jwk.n ?? '', 'base64url')];
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      const input = `${base64url.encode(JSON.stringify({ alg, kid: 'RS256' }))}.${base64url.encode(JSON.stringify(validClaims))}`;
      for (const secret of secrets) {
        const signature = createHmac(alg.replace('HS', 'sha'), secret).update(input).digest('base64url');
        expect(await verify(`${input}.${signature}`)).toEqual(refused('algorithm'));
      }
    }
  });

  it('an invalid token is rejected when it is signed with a published key and a disallowed algorithm', async () => {
    const { privateKey } = published.RS256;
    const subtleKey = await crypto.subtle.importKey(
      'pkcs8',
      await crypto.subtle.exportKey('pkcs8', privateKey),
      { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
      false,
      ['sign'],
    );
    const accessToken = token(validClaims, { alg: 'RS384' }, { ...published.RS256, privateKey: subtleKey });
    expect(await verify(accessToken)).toEqual(refused('algorithm'));
  });

  it('an invalid token is rejected when its algorithm is not that of its key', async () => {
    expect(await verify(token(validClaims, { alg: 'PS256', kid: 'RS256' }, published.PS256))).toEqual(refused('key'));
    expect(await verify(token(validClaims, { alg: 'ES256', kid: 'RS256' }, published.ES256))).toEqual(refused('key'));
  });

  it('an invalid token is rejected when another key signed it under the kid of a published key', async () => {
    expect(await verify(token(validClaims, {}, unpublished))).toEqual(refused('signature'));
  });

  it('an invalid token is rejected when it was changed after it was signed', async () => {
    const [header, , signature] = (await token()).split('.');
    const payload = base64url.encode(JSON.stringify({ ...validClaims, sub: 'PTY-2' }));
    expect(await verify(`${header}.${payload}.${signature}`)).toEqual(refused('signature'));
    const [otherHeader] = (await token(validClaims, { typ: 'JWT' })).split('.');
    const [, originalPayload] = (await token()).split('.');
    expect(await verify(`${otherHeader}.${originalPayload}.${signature}`)).toEqual(refused('signature'));
  });

  it('an invalid token is rejected when its signature is missing, truncated or changed', async () => {
    const [header, payload, signature = ''] = (await token()).split('.');
    for (const other of ['', 'AA', signature.slice(4), signature.slice(0, -4), `${signature}AAAA`])
      expect(await verify(`${header}.${payload}.${other}`)).toEqual(refused('signature'));
  });

  it.each(['', '.', '..', '...', 'a.b', 'a.b.c', 'a.b.c.d.e', 'é.é.é', 'e30.e30.e30', 'null.null.null', ' '])(
    'is rejected when it is "%s"',
    async (accessToken) => {
      expect(await verify(accessToken)).toEqual(refused('malformed'));
    },
  );

  it('an invalid token is rejected when it contains non-ASCII characters', async () => {
    const [header, payload, signature] = (await token()).split('.');
    expect(await verify(`${header}.é${payload}.${signature}`)).toEqual(refused('malformed'));
    expect(await verify(`${header}é.${payload}.${signature}`)).toEqual(refused('malformed'));
    expect(await verify(`${header}.${payload}.${signature}é`)).toEqual(refused('malformed'));
  });

  it('an invalid token is rejected when it brings its own key or a key URL, which is never fetched', async () => {
    const target = await httpServer((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [unpublished.jwk] })),
    );
    const { identity, provider } = await anIdentity();
    for (const header of [
      { jku: `${target.url}/jwks` },
      { x5u: `${target.url}/cert` },
      { jwk: unpublished.jwk },
      { jwk: unpublished.jwk, kid: 'foreign' },
      { jku: `${target.url}/jwks`, kid: 'foreign' },
    ])
      expect(await identity.verify(await token(validClaims, header as Header, unpublished))).toMatchObject(
        err(unauthenticated('invalid')),
      );
    expect(target.connections).toBe(0);
    expect(new Set(provider.requests.map(({ path }) => path))).toEqual(new Set(['/jwks']));
  });

  it('an invalid token is rejected without fetching keys when its algorithm is not allowed', async () => {
    const { identity, provider } = await anIdentity();
    const hs256 = `${base64url.encode('{"alg":"HS256"}')}.${base64url.encode(JSON.stringify(validClaims))}.c2ln`;
    expect(await identity.verify(hs256)).toEqual(refused('algorithm'));
    expect(provider.connections).toBe(0);
  });
});

describe('the identity provider', () => {
  it('receives one key request for 50 concurrent verifications', async () => {
    const { identity, provider } = await anIdentity();
    const accessToken = await token();
    const results = await Promise.all(Array.from({ length: 50 }, () => identity.verify(accessToken)));
    expect(results.filter((result) => result.isOk())).toHaveLength(50);
    expect(provider.requests).toHaveLength(1);
  });

  it('receives a request for JSON without a token', async () => {
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
      expect(await verify(token(), { jwksUrl: url })).toEqual(ok(validClaims));
    },
  );

  it('causes an upstream failure while it is down', async () => {
    const { identity, provider } = await anIdentity();
    provider.behaviour.how = 'down';
    expect(await identity.verify(await token())).toEqual(failed('unreachable'));
    expect(await identity.warm()).toEqual(failed('unreachable'));
    provider.behaviour.how = 'up';
    clock.advance(1000);
    expect(await identity.verify(await token())).toEqual(ok(validClaims));
  });

  it('causes a timeout when it does not respond', async () => {
    const { identity, provider } = await anIdentity({ timeoutMs: 700 });
    provider.behaviour.how = 'silent';
    const result = identity.verify(await token());
    await provider.until(() => provider.requests.length === 1);
    clock.advance(700);
    expect(await result).toEqual(failed('timeout'));
    await provider.until(() => provider.open === 0);
  });

  it('does not delay verifications when it stops responding', async () => {
    const { identity, provider } = await anIdentity();
    await identity.warm();
    provider.behaviour.how = 'silent';
    clock.advance(10 * 60_000 + 1);
    const payload = { ...validClaims, exp: now + 3600 };
    expect(await identity.verify(await token(payload))).toEqual(ok(payload));
    await provider.until(() => provider.requests.length === 2);
    expect(await identity.verify(await token(payload))).toEqual(ok(payload));
    clock.advance(5000);
    await provider.until(() => provider.open === 0);
    expect(await identity.verify(await token(payload))).toEqual(ok(payload));
    expect(provider.requests).toHaveLength(2);
  });

  it.each<[string, string, 'malformed' | 'too-large']>([
    ['no keys', '{"keys":[]}', 'malformed'],
    ['another object', '{"canary":1}', 'malformed'],
    ['text that is not JSON', 'canary', 'malformed'],
    ['more than 1 MiB', JSON.stringify({ keys: [], padding: 'x'.repeat(1_048_576) }), 'too-large'],
  ])('causes an upstream failure when it publishes %s', async (_, body, reason) => {
    const { identity, provider } = await anIdentity();
    provider.behaviour.body = body;
    expect(await identity.warm()).toEqual(failed(reason));
    expect(await identity.verify(await token())).toEqual(failed(reason));
  });

  it('causes an upstream failure when a token needs an unusable key', async () => {
    const { identity, provider } = await anIdentity();
    const { e, kty } = published.RS256.jwk;
    provider.behaviour.body = JSON.stringify({ keys: [{ kty, e, n: 'AQAD', kid: 'RS256' }, published.ES256.jwk] });
    expect(await identity.verify(await token())).toEqual(failed('malformed'));
    const usable = token(validClaims, { alg: 'ES256', kid: 'ES256' }, published.ES256);
    expect(await identity.verify(await usable)).toEqual(ok(validClaims));
  });

  it('the identity provider is not followed to another URL', async () => {
    const target = await aProvider();
    const { url } = await httpServer((response) => response.writeHead(302, { location: `${target.url}/` }).end());
    expect(await verify(token(), { jwksUrl: url })).toEqual(err(upstreamStatus('identity', 302)));
    expect(target.connections).toBe(0);
  });

  it('receives one retry after a connection reset', async () => {
    const body = keySetBody();
    const { url, requests } = await tcpServer((socket, nth) =>
      nth === 1
        ? socket.resetAndDestroy()
        : socket.end(
            `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
          ),
    );
    expect(await verify(token(), { jwksUrl: url })).toEqual(ok(validClaims));
    expect(requests).toHaveLength(2);
  });
});

describe('key discovery', () => {
  it('reads the discovery document of the issuer', async () => {
    const path = '/realms/portal';
    const server = await httpServer((response, { path: requested }) => {
      const document = { issuer: server.url + path, jwks_uri: `${server.url}/jwks`, token_endpoint: 'unread' };
      const body = requested.endsWith('/jwks') ? keySetBody() : JSON.stringify(document);
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const identity = httpIdentity({ issuer: server.url + path, audience: ['portico'], clock });
    const payload = { ...validClaims, iss: server.url + path };
    expect(await identity.warm()).toEqual(ok(undefined));
    expect(await identity.verify(await token(payload))).toEqual(ok(payload));
    expect(server.requests.map((request) => request.path)).toEqual([
      `${path}/.well-known/openid-configuration`,
      '/jwks',
    ]);
  });

  it('takes no keys from the discovery document of another issuer', async () => {
    const server = await httpServer((response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ issuer: 'https://target.test', jwks_uri: `${server.url}/jwks` })),
    );
    const identity = httpIdentity({ issuer: server.url, audience: ['portico'], clock });
    expect(await identity.warm()).toEqual(failed('malformed'));
    expect(server.requests.map(({ path }) => path)).toEqual(['/.well-known/openid-configuration']);
  });

  it.each<[string, Partial<IdentitySettings>]>([
    ['', {}],
    [', even with a configured token URL', { tokenUrl: 'https://id.test/token' }],
  ])('shares one deadline between document and keys%s', async (_, settings) => {
    const server = await httpServer((response, { path }) => {
      if (path.endsWith('/jwks')) return;
      clock.advance(349);
      const document = { issuer: server.url, jwks_uri: `${server.url}/jwks` };
      const headers = { 'content-type': 'application/json', connection: 'close' };
      response.writeHead(200, headers).end(JSON.stringify(document));
    });
    const identity = httpIdentity({ issuer: server.url, audience: ['portico'], clock, timeoutMs: 700, ...settings });
    const result = identity.warm();
    await server.until(() => server.requests.length === 2);
    clock.advance(349);
    expect(clock.scheduled).toBe(1);
    clock.advance(1);
    expect(await result).toEqual(failed('timeout'));
    await server.until(() => server.open === 0);
  });
});

it.each([[[]], [['HS256']], [['RS256', 'none']], [['rs256']]])('httpIdentity rejects the algorithms %j', (allowed) => {
  const settings = { issuer, audience: ['portico'], algorithms: allowed as unknown as readonly 'RS256'[] };
  expect(() => httpIdentity(settings)).toThrow(/^Token algorithms must be a non-empty subset of RS256, .* EdDSA\.$/);
});

it('a failure of httpIdentity does not expose a token, a key or a URL', async () => {
  const { identity } = await anIdentity();
  const accessToken = await token({ ...validClaims, sub: 'canary', iss: 'https://canary.test' });
  const rejected = await identity.verify(accessToken);
  const other = await anIdentity();
  other.provider.behaviour.body = '{"canary":1}';
  const broken = await other.identity.warm();
  expect([rejected.isErr(), broken.isErr()]).toEqual([true, true]);
  const text = JSON.stringify([rejected, broken]);
  expect(text).not.toMatch(/canary|127\.0\.0\.1|eyJ/);
});

import { createHash, createHmac } from 'node:crypto';
import { type BoundProof, invalidProof, maxReplaySeconds, memoryReplayGuard, type ReplayGuard } from '@portico/core';
import { fakeClock, fakeReplayGuard, proofVerifierContract } from '@portico/core/testing';
import {
  base64url,
  calculateJwkThumbprint,
  CompactSign,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import { err, ok } from 'neverthrow';
import { beforeAll, describe, expect, it } from 'vitest';
import { dpopProofs } from './dpop-proofs.ts';

/** The time of the fake clock, in seconds. */
const now = 1_767_225_600;
const token = 'aaaa.bbbb.cccc';
/** `printf aaaa.bbbb.cccc | openssl dgst -sha256 -binary | basenc --base64url | tr -d =` */
const ath = 'urBX0PRCZX-zNyUhpGiwggZ_0linb64yGk82fCfJRns';
const url = 'https://portal.example/me/claims';

interface Keys {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
  readonly privateJwk: JWK;
  readonly thumbprint: string;
}

const keysFor = async (alg: string): Promise<Keys> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { privateKey, jwk, privateJwk: await exportJWK(privateKey), thumbprint: await calculateJwkThumbprint(jwk) };
};

let own: Keys;
let other: Keys;
beforeAll(async () => {
  [own, other] = await Promise.all([keysFor('ES256'), keysFor('ES256')]);
});

let count = 0;
const validClaims = () => ({ jti: `proof ${++count}`, htm: 'GET', htu: url, iat: now, ath });

type Fields = Readonly<Record<string, unknown>>;

/** A proof with these changes. A header or claim that is undefined is left out. */
const proof = (claims: Fields = {}, header: Fields = {}, { privateKey, jwk } = own): Promise<string> =>
  new CompactSign(new TextEncoder().encode(JSON.stringify({ ...validClaims(), ...claims })))
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
    .sign(privateKey, { crit: { 'urn:x': true } });

/** A proof with this header and signature, whatever they are. */
const assembled = (header: Fields, signature = 'AAAA', payload: unknown = validClaims()) =>
  `${base64url.encode(JSON.stringify(header))}.${base64url.encode(JSON.stringify(payload))}.${signature}`;

const verify = async (
  given: string | Promise<string>,
  change: Partial<BoundProof> = {},
  replays: ReplayGuard = fakeReplayGuard(),
) => {
  const request = { method: 'GET', url, token, thumbprint: own.thumbprint, ...change };
  return dpopProofs({ clock: fakeClock(), replays }).verify({ ...request, proof: await given });
};

proofVerifierContract({ describe, it }, () => {
  const clock = fakeClock();
  return {
    verifier: dpopProofs({ clock }),
    request: { method: 'GET', url, token, thumbprint: own.thumbprint },
    prove: ({ method, url: htu }) => proof({ htm: method, htu }),
    pass: async (seconds) => clock.advance(seconds * 1000),
  };
});

describe('a proof that breaks one rule of RFC 9449, section 4.3, is refused', () => {
  it.each<[string, () => string | Promise<string>, Partial<BoundProof>?]>([
    ['1: there is no proof', () => ''],
    ['1: there are two proofs', async () => `${await proof()}, ${await proof()}`],
    ['2: it is not a JWT', () => 'not a JWT'],
    ['2: it is encrypted', () => 'aaaa.bbbb.cccc.dddd.eeee'],
    ['2: its header is not JSON', () => 'aaaa.bbbb.cccc'],
    ['2: its payload is not an object', () => assembled({ alg: 'ES256', typ: 'dpop+jwt', jwk: own.jwk }, 'AAAA', 'x')],
    ['2: it is longer than 8 KiB', () => proof({ filler: 'x'.repeat(8192) })],
    ['3: jti is missing', () => proof({ jti: undefined })],
    ['3: jti is empty', () => proof({ jti: '' })],
    ['3: jti is not a string', () => proof({ jti: 7 })],
    ['3: htm is missing', () => proof({ htm: undefined })],
    ['3: htu is missing', () => proof({ htu: undefined })],
    ['3: iat is missing', () => proof({ iat: undefined })],
    ['3: iat is not a number', () => proof({ iat: String(now) })],
    ['3: iat is infinite', async () => (await proof()).replace(/\.[^.]*\./, `.${infiniteIat()}.`)],
    ['4: typ is missing', () => proof({}, { typ: undefined })],
    ['4: typ is that of an access token', () => proof({}, { typ: 'at+jwt' })],
    ['4: typ is JWT', () => proof({}, { typ: 'JWT' })],
    ['5: alg is none', () => assembled({ alg: 'none', typ: 'dpop+jwt', jwk: own.jwk })],
    ['5: alg is symmetric, with the public key as the secret', () => signedWithPublicKey()],
    ['5: alg is symmetric, with its own secret', () => signedWithOctKey()],
    ['5: alg does not fit the key', () => assembled({ alg: 'RS256', typ: 'dpop+jwt', jwk: own.jwk })],
    ['5: alg is missing', () => assembled({ typ: 'dpop+jwt', jwk: own.jwk })],
    ['5: a header must be understood', () => proof({}, { crit: ['urn:x'], 'urn:x': 1 })],
    ['6: the signature is of another key', () => proof({}, { jwk: own.jwk }, other)],
    ['6: the signature is changed', async () => (await proof()).replace(/\.[^.]*$/, `.${'A'.repeat(86)}`)],
    ['6: the claims were changed after signing', async () => withClaims(await proof(), validClaims())],
    ['6: jwk is missing', () => proof({}, { jwk: undefined })],
    ['6: jwk is a string', () => proof({}, { jwk: 'key' })],
    ['6: jwk is not a key', () => proof({}, { jwk: {} })],
    ['6: the key is given by kid', () => proof({}, { jwk: undefined, kid: 'k1' })],
    ['6: the key is given by URL', () => proof({}, { jwk: undefined, jku: 'https://other.example/keys' })],
    ['7: jwk is the private key', () => proof({}, { jwk: own.privateJwk })],
    ['7: jwk has a private member beside a public key', () => proof({}, { jwk: { ...own.jwk, dp: 'AA' } })],
    ['7: jwk has a secret beside a public key', () => proof({}, { jwk: { ...own.jwk, k: 'AA' } })],
    ['8: htm is another method', () => proof({ htm: 'POST' })],
    ['8: htm is in lower case', () => proof({ htm: 'get' })],
    ['8: htm is HEAD for GET', () => proof({ htm: 'HEAD' })],
    ['8: htm has two methods', () => proof({ htm: ['GET', 'POST'] })],
    ['9: htu has another path', () => proof({ htu: 'https://portal.example/me/claims/CLM-1' })],
    ['9: htu ends with a slash', () => proof({ htu: `${url}/` })],
    ['9: htu has another host', () => proof({ htu: 'https://other.example/me/claims' })],
    ['9: htu has another port', () => proof({ htu: 'https://portal.example:8443/me/claims' })],
    ['9: htu has another scheme', () => proof({ htu: 'http://portal.example/me/claims' })],
    ['9: htu has a path in other letters', () => proof({ htu: 'https://portal.example/me/Claims' })],
    ['9: htu has an encoded slash', () => proof({ htu: 'https://portal.example/me%2Fclaims' })],
    ['9: htu has a user', () => proof({ htu: 'https://user@portal.example/me/claims' })],
    ['9: htu is only a path', () => proof({ htu: '/me/claims' })],
    ['9: htu is a list', () => proof({ htu: [url] })],
    ['9: neither htu nor the request has a URL', () => proof({ htu: '' }), { url: '' }],
    ['11: iat is more than 60 s ago', () => proof({ iat: now - 60.001 })],
    ['11: iat is more than 60 s ahead', () => proof({ iat: now + 60.001 })],
    ['11: iat is in milliseconds', () => proof({ iat: now * 1000 })],
    ['11: it has expired by its own exp', () => proof({ exp: now - 61 })],
    ['12: ath is missing', () => proof({ ath: undefined })],
    ['12: ath is that of another token', () => proof(), { token: 'aaaa.bbbb.dddd' }],
    ['12: ath is the token itself', () => proof({ ath: token })],
    ['12: ath is padded', () => proof({ ath: `${ath}=` })],
    ['12: the token is bound to another key', () => proof({}, { jwk: other.jwk }, other)],
    ['12: the token is bound to no key', () => proof(), { thumbprint: '' }],
  ])('because of check %s', async (_, given, change) => {
    const replays = fakeReplayGuard();
    expect(await verify(given(), change, replays)).toEqual(err(invalidProof));
    expect(replays.used).toEqual([]);
  });

  it('because of check 5: alg is asymmetric, but not in the list', async () => {
    const keys = await keysFor('RS384');
    const { thumbprint } = keys;
    for (const [alg, expected] of [
      ['RS384', err(invalidProof)],
      ['RS256', ok(undefined)],
    ] as const) {
      const privateKey = (await importJWK(keys.privateJwk, alg)) as CryptoKey;
      expect(await verify(proof({}, { alg, jwk: keys.jwk }, { ...keys, privateKey }), { thumbprint })).toEqual(
        expected,
      );
    }
  });

  it('because its jti was used before (section 11.1), also with other claims', async () => {
    const verifier = dpopProofs({ clock: fakeClock() });
    const check = async (claims: Fields, keys = own) => {
      const given = await proof(claims, { jwk: keys.jwk }, keys);
      return verifier.verify({ proof: given, method: 'GET', url, token, thumbprint: keys.thumbprint });
    };
    expect(await check({ jti: 'once' })).toEqual(ok(undefined));
    expect(await check({ jti: 'once', iat: now - 1 })).toEqual(err(invalidProof));
    expect(await check({ jti: 'once' }, other)).toEqual(ok(undefined));
  });
});

describe('a valid proof', () => {
  it.each([
    ['60 s old', { iat: now - 60 }],
    ['60 s ahead', { iat: now + 60 }],
    ['with a fraction of a second', { iat: now + 0.5 }],
    ['with a query in htu', { htu: `${url}?status=paid` }],
    ['with a fragment in htu', { htu: `${url}#top` }],
    ['with the default port', { htu: 'https://portal.example:443/me/claims' }],
    ['with scheme and host in upper case', { htu: 'HTTPS://PORTAL.example/me/claims' }],
    ['with dot segments', { htu: 'https://portal.example/me/x/../claims' }],
    ['with an escaped letter', { htu: 'https://portal.example/me/%63laims' }],
    ['with claims that are not known', { nonce: 'a nonce', more: { deep: true } }],
  ])('is accepted: %s', async (_, claims) => {
    expect(await verify(proof(claims))).toEqual(ok(undefined));
  });

  it('is accepted when only the case of an escape differs from the request', async () => {
    const change = { url: 'https://portal.example/me/a%c3%a4' };
    expect(await verify(proof({ htu: 'https://portal.example/me/a%C3%A4' }), change)).toEqual(ok(undefined));
  });

  it.each(['application/dpop+jwt', 'DPoP+JWT'])('is accepted with the typ %s', async (typ) => {
    expect(await verify(proof({}, { typ }))).toEqual(ok(undefined));
  });

  it.each(['ES384', 'RS256', 'PS256', 'EdDSA'])('is accepted with %s', async (alg) => {
    const keys = await keysFor(alg);
    expect(await verify(proof({}, { alg, jwk: keys.jwk }, keys), { thumbprint: keys.thumbprint })).toEqual(
      ok(undefined),
    );
  });

  it('is remembered as a digest for as long as it is valid, on instances with other clocks too', async () => {
    const replays = fakeReplayGuard();
    for (const [nth, iat] of [now - 60, now, now + 60].entries())
      expect(await verify(proof({ iat, jti: `canary ${nth}` }), {}, replays)).toEqual(ok(undefined));
    expect(replays.used.map(([, seconds]) => seconds)).toEqual([10, 70, maxReplaySeconds]);
    expect(replays.used.map(([value]) => value.length)).toEqual([43, 43, 43]);
    expect(JSON.stringify(replays.used)).not.toContain('canary');
  });

  it('is refused as overloaded when no more proofs can be remembered', async () => {
    const replays = fakeReplayGuard();
    replays.fill(true);
    expect(await verify(proof(), {}, replays)).toEqual(err({ kind: 'overloaded', retryAfterSeconds: 10 }));
  });

  it('is refused as overloaded beyond the limit of its token, so that the others are still accepted', async () => {
    const clock = fakeClock();
    const verifier = dpopProofs({ clock, replays: memoryReplayGuard({ clock, maxValues: 4 }), maxProofsPerToken: 3 });
    const send = async (token: string) => {
      const ath = createHash('sha256').update(token).digest('base64url');
      const iat = clock.now() / 1000;
      return verifier.verify({
        method: 'GET',
        url,
        token,
        thumbprint: own.thumbprint,
        proof: await proof({ ath, iat }),
      });
    };
    for (let nth = 0; nth < 3; nth++) expect(await send('flooding')).toEqual(ok(undefined));
    expect(await send('flooding')).toEqual(err({ kind: 'overloaded', retryAfterSeconds: 10 }));
    expect(await send('honest')).toEqual(ok(undefined));
    clock.advance(2 * maxReplaySeconds * 1000);
    expect(await send('flooding')).toEqual(ok(undefined));
  });

  it('counts towards the limit of its token for 130 seconds', async () => {
    const clock = fakeClock();
    const verifier = dpopProofs({ clock, maxProofsPerToken: 1 });
    const send = async () => {
      const given = await proof({ iat: clock.now() / 1000 });
      return (await verifier.verify({ proof: given, method: 'GET', url, token, thumbprint: own.thumbprint })).isOk();
    };
    for (let window = 0; window < 2; window++) {
      expect(await send()).toBe(true);
      clock.advance(maxReplaySeconds * 1000 - 1);
      expect(await send()).toBe(false);
      clock.advance(1);
    }
  });

  it('is for a URL of http or https, and of no other scheme', async () => {
    for (const [scheme, expected] of [
      ['http', ok(undefined)],
      ['https', ok(undefined)],
      ['xhttp', err(invalidProof)],
      ['httpx', err(invalidProof)],
    ] as const) {
      const htu = `${scheme}://portal.example/me/claims`;
      expect(await verify(proof({ htu }), { url: htu })).toEqual(expected);
    }
  });

  it('counts towards the limit of its token only when it is accepted', async () => {
    const verifier = dpopProofs({ clock: fakeClock(), maxProofsPerToken: 2 });
    const send = async (given: string | Promise<string>) =>
      verifier.verify({ method: 'GET', url, token, thumbprint: own.thumbprint, proof: await given });
    const first = await proof();
    expect(await send(first)).toEqual(ok(undefined));
    for (const bad of [first, first, proof({ htm: 'PUT' }), proof({ ath: 'other' }), proof({ jti: '' })])
      expect(await send(bad)).toEqual(err(invalidProof));
    expect(await send(proof())).toEqual(ok(undefined));
    expect(await send(proof())).toEqual(err({ kind: 'overloaded', retryAfterSeconds: 10 }));
  });

  it('is refused a second time until it has expired', async () => {
    const clock = fakeClock();
    const verifier = dpopProofs({ clock });
    const given = await proof({ iat: now + 60 });
    const check = () => verifier.verify({ proof: given, method: 'GET', url, token, thumbprint: own.thumbprint });
    expect(await check()).toEqual(ok(undefined));
    for (let second = 0; second < 125; second++) {
      clock.advance(1000);
      expect(await check()).toEqual(err(invalidProof));
    }
  });
});

/** A payload whose `iat` is parsed as Infinity. */
const infiniteIat = () => base64url.encode(JSON.stringify(validClaims()).replace(String(now), '1e999'));

const withClaims = (given: string, claims: Fields): string =>
  given.replace(/\.[^.]*\./, `.${base64url.encode(JSON.stringify(claims))}.`);

const hmac = (header: Fields, secret: string | Uint8Array): string => {
  const [head, payload] = assembled(header).split('.');
  return `${head}.${payload}.${createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url')}`;
};

const signedWithPublicKey = () => hmac({ alg: 'HS256', typ: 'dpop+jwt', jwk: own.jwk }, JSON.stringify(own.jwk));

const signedWithOctKey = () =>
  hmac({ alg: 'HS256', typ: 'dpop+jwt', jwk: { kty: 'oct', k: base64url.encode('secret') } }, 'secret');

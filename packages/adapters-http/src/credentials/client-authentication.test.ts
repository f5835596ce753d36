import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { fakeClock } from '@portico/core/testing';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { clientAuthentication, privateKeyProblem } from './client-authentication.ts';

const issuer = 'https://id.test/realms/portal';
const clock = fakeClock();

describe('a client with a secret', () => {
  it('authenticates with Basic by default, with id and secret encoded as form values', async () => {
    const authentication = await clientAuthentication({ id: 'my app:1', secret: 'ä +%&' }, issuer, clock)();
    expect(authentication.form).toEqual({});
    const [, encoded = ''] = authentication.headers['authorization']?.split(' ') ?? [];
    expect(Buffer.from(encoded, 'base64').toString()).toBe('my+app%3A1:%C3%A4+%2B%25%26');
  });

  it('authenticates with form parameters if its method is client_secret_post', async () => {
    const client = { id: 'app', secret: 's', method: 'client_secret_post' } as const;
    expect(await clientAuthentication(client, issuer, clock)()).toEqual({
      headers: {},
      form: { client_id: 'app', client_secret: 's' },
    });
  });
});

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const pems = ({ publicKey, privateKey }: KeyPair) => ({
  publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
});
const keys = {
  RS256: () => pems(generateKeyPairSync('rsa', { modulusLength: 2048 })),
  ES256: () => pems(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
  ES384: () => pems(generateKeyPairSync('ec', { namedCurve: 'P-384' })),
  ES512: () => pems(generateKeyPairSync('ec', { namedCurve: 'P-521' })),
  EdDSA: () => pems(generateKeyPairSync('ed25519')),
};

describe('a client with a private key', () => {
  it.each(Object.entries(keys))('signs its assertion with %s', async (algorithm, generate) => {
    const { privateKey, publicKey } = generate();
    const { headers, form } = await clientAuthentication({ id: 'app', privateKey }, issuer, clock)();
    expect(headers).toEqual({});
    expect(Object.keys(form)).toEqual(['client_id', 'client_assertion_type', 'client_assertion']);
    expect(form['client_assertion_type']).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    const assertion = form['client_assertion'] ?? '';
    expect(decodeProtectedHeader(assertion)).toEqual({ alg: algorithm, typ: 'JWT' });
    const { payload } = await jwtVerify(assertion, createPublicKey(publicKey), { currentDate: new Date(clock.now()) });
    const iat = clock.now() / 1000;
    expect(payload).toEqual({ iss: 'app', sub: 'app', aud: issuer, jti: expect.any(String), iat, exp: iat + 60 });
  });

  it('never uses an assertion id twice', async () => {
    const authenticate = clientAuthentication({ id: 'app', privateKey: keys.EdDSA().privateKey }, issuer, clock);
    const [one, other] = [await authenticate(), await authenticate()];
    expect(one.form['client_assertion']).not.toBe(other.form['client_assertion']);
  });

  it.each([
    ['no key', 'canary'],
    ['a public key', keys.EdDSA().publicKey],
    ['an RSA key of 1024 bits', pems(generateKeyPairSync('rsa', { modulusLength: 1024 })).privateKey],
    ['an RSA key for PSS only', pems(generateKeyPairSync('rsa-pss', { modulusLength: 2048 })).privateKey],
    ['a key for another purpose', pems(generateKeyPairSync('x25519')).privateKey],
    ['a curve without an algorithm', pems(generateKeyPairSync('ec', { namedCurve: 'secp224r1' })).privateKey],
    [
      'an encrypted key',
      createPrivateKey(keys.EdDSA().privateKey)
        .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'canary' })
        .toString(),
    ],
  ])('is refused at once for %s, without quoting it', (_case, privateKey) => {
    const problem = privateKeyProblem(privateKey);
    expect(problem).toMatch(/^must be an unencrypted private key in PEM/);
    expect(() => clientAuthentication({ id: 'app', privateKey }, issuer, clock)).toThrow(
      new TypeError(`The private key of the client ${problem}.`),
    );
  });
});

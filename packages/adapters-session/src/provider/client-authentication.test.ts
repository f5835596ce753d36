import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { portal } from '../portal.test.support.ts';
import type { SessionClient } from '../settings.ts';

const pemOf = (key: KeyObject, type: 'pkcs8' | 'sec1' | 'pkcs1'): string =>
  key.export({ type, format: 'pem' }).toString();

/** The parameters of the token request of a sign-in. */
const tokenRequest = async (client: SessionClient) => {
  const { browser, provider, clock } = await portal({ client });
  await browser().signIn();
  return { request: provider.tokenRequests[0]!, clock };
};

describe('a client', () => {
  it('a client with a secret authenticates in a header, or in the form', async () => {
    const basic = await tokenRequest({ id: 'my-portal_1.2', secret: 'a:b c%' });
    expect(basic.request.authorization).toBe(`Basic ${Buffer.from('my-portal_1.2:a%3Ab+c%25').toString('base64')}`);
    expect(basic.request).not.toHaveProperty('client_secret');
    const post = await tokenRequest({ id: 'portal', secret: 'a:b c%', method: 'client_secret_post' });
    expect(post.request).toMatchObject({ client_id: 'portal', client_secret: 'a:b c%' });
    expect(post.request).not.toHaveProperty('authorization');
  });

  it.each([
    ['ES256', 'pkcs8', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['ES384', 'sec1', () => generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['EdDSA', 'pkcs8', () => generateKeyPairSync('ed25519')],
    ['RS256', 'pkcs1', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ] as const)('a client with a key signs an assertion for the issuer with %s', async (algorithm, type, generate) => {
    const { privateKey, publicKey } = generate();
    const { request, clock } = await tokenRequest({ id: 'portal', privateKey: pemOf(privateKey, type) });
    const { client_assertion: assertion = '' } = request;
    expect(request['client_assertion_type']).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    expect(decodeProtectedHeader(assertion).alg).toBe(algorithm);
    const { payload } = await jwtVerify(assertion, publicKey, {
      currentDate: new Date(clock.now()),
      issuer: 'portal',
      subject: 'portal',
      audience: 'https://id.example',
      maxTokenAge: 60,
    });
    expect(payload.jti).toMatch(/^[\w-]{20,}$/);
  });

  it('a client whose key is too weak or not readable is refused by an error that does not quote the key', async () => {
    const { privateKey: weak } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    for (const privateKey of [pemOf(weak, 'pkcs8'), 'not a key', ''])
      await expect(portal({ client: { id: 'portal', privateKey } })).rejects.toThrow(
        /^The private key of the client must be an unencrypted private key in PEM: RSA of at least 2048 bits, EC P-256, P-384 or P-521, or Ed25519\.$/,
      );
  });
});

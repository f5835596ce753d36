import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isWeakKey } from './weak-key.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });

const primes = Array.from({ length: 168 }, (_, n) => n).filter(
  (n) => n > 2 && Array.from({ length: n - 2 }, (_, m) => m + 2).every((m) => n % m !== 0),
);

/** A modulus of 2,048 bits that is a power of 65537 modulo every prime from 3 to 167. */
const rocaModulus = (): string => {
  const product = primes.reduce((all, prime) => all * BigInt(prime), 1n);
  const modulus = (65_537n ** 5n % product) + product * (2n ** 2047n / product + 1n);
  return Buffer.from(modulus.toString(16), 'hex').toString('base64url');
};

describe('a weak key', () => {
  it.each([
    ['has the public exponent 1', { ...rsa, e: 'AQ' }],
    ['has the public exponent 0', { ...rsa, e: 'AA' }],
    ['has an empty public exponent', { ...rsa, e: '' }],
    ['has an even public exponent', { ...rsa, e: 'AQAA' }],
    ['has the ROCA fingerprint', { ...rsa, n: rocaModulus() }],
  ])('a weak key is an RSA key that %s', (_, jwk) => {
    expect(isWeakKey(jwk)).toBe(true);
  });

  it.each([
    ['an RSA key of 2,048 bits', rsa],
    ['an RSA key with the public exponent 3', { ...rsa, e: 'Aw' }],
    ['an elliptic curve key', generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })],
    ['an Ed25519 key', generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })],
    ['an RSA key without a modulus, which jose rejects', { kty: 'RSA', e: 'AQ' }],
    ['a key of another type with the members of an RSA key', { ...rsa, kty: 'oct', e: 'AQ' }],
    ['an RSA key without an exponent, which jose rejects', { kty: 'RSA', n: rsa.n }],
    ['an RSA key whose exponent is a number, which jose rejects', { ...rsa, e: 1 }],
    ['null', null],
  ])('a weak key is not %s', (_, jwk) => {
    expect(isWeakKey(jwk)).toBe(false);
  });
});

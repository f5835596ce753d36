import { expect, it } from 'vitest';
import { clientKeyAlgorithm } from './client-settings.ts';

it.each([
  ['ed25519', {}, 'EdDSA'],
  ['ec', { namedCurve: 'prime256v1' }, 'ES256'],
  ['ec', { namedCurve: 'secp384r1' }, 'ES384'],
  ['ec', { namedCurve: 'secp521r1' }, 'ES512'],
  ['ec', { namedCurve: 'secp256k1' }, undefined],
  ['ec', {}, undefined],
  ['rsa', { modulusLength: 2048 }, 'RS256'],
  ['rsa', { modulusLength: 2047 }, undefined],
  ['rsa', {}, undefined],
  ['rsa-pss', { modulusLength: 2048 }, undefined],
  [undefined, undefined, undefined],
])('a client key of the type %s with %j signs with %s', (asymmetricKeyType, asymmetricKeyDetails, algorithm) => {
  expect(clientKeyAlgorithm({ asymmetricKeyType, asymmetricKeyDetails })).toBe(algorithm);
});

import { createPrivateKey, type KeyObject, type webcrypto } from 'node:crypto';
import { clientKeyAlgorithm, clientKeyRule } from '@portico/core';
import { importPKCS8 } from 'jose';
import { fromThrowable } from 'neverthrow';
import { type ClientAuth, ClientSecretPost, modifyAssertion, PrivateKeyJwt } from 'oauth4webapi';
import type { SessionClient } from '../settings.ts';

/** Creates the authentication of the client (OpenID Connect Core 1.0, section 9). Throws a TypeError for a bad key. */
export const clientAuthentication = (client: SessionClient): ClientAuth => {
  if ('privateKey' in client) return assertion(client.privateKey);
  const { secret, method = 'client_secret_basic' } = client;
  return method === 'client_secret_basic' ? basic(secret) : ClientSecretPost(secret);
};

/**
 * RFC 6749, section 2.3.1: id and secret as form values. oauth4webapi also encodes `-`, `.` and `_`, which some providers
 * do not decode, and adapters-http does not encode.
 */
const basic =
  (secret: string): ClientAuth =>
  (_server, { client_id: id }, _body, headers) =>
    headers.set(
      'authorization',
      `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`,
    );

const formEncoded = (value: string): string => new URLSearchParams([['', value]]).toString().slice(1);

const assertion = (pem: string): ClientAuth => {
  const { key, algorithm } = signingKey(pem);
  let signer: Promise<webcrypto.CryptoKey> | undefined;
  return async (...args) => {
    signer ??= importPKCS8(key.export({ type: 'pkcs8', format: 'pem' }) as string, algorithm);
    const authenticate = PrivateKeyJwt(await signer, {
      // oauth4webapi writes `Ed25519`, which fewer providers know than its older name (RFC 9864).
      [modifyAssertion]: (header) => {
        header['alg'] = algorithm;
      },
    });
    return authenticate(...args);
  };
};

const signingKey = (pem: string): { readonly key: KeyObject; readonly algorithm: string } => {
  const key = fromThrowable(createPrivateKey)(pem).unwrapOr(undefined);
  const algorithm = key && clientKeyAlgorithm(key);
  // The error of the parser may quote the key.
  if (!key || algorithm === undefined) throw new TypeError(`The private key of the client ${clientKeyRule}.`);
  return { key, algorithm };
};

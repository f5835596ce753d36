import { generateKeyPairSync } from 'node:crypto';
import { becknSigner } from '@portico/adapters-http';

/** Someone who signs in the `mh` network. */
export interface Subscriber {
  readonly subscriberId: string;
  readonly uniqueKeyId: string;
  /** Base64 of 32 bytes, as the registry hands it out. */
  readonly publicKey: string;
  /** The Authorization of a body, good for ten minutes from now. */
  sign(body: Uint8Array): string;
  /** The same with a key that nobody registered. */
  forge(body: Uint8Array): string;
}

const signatureSeconds = 600;

/** With a key pair of its own, made now. */
export const subscriber = (subscriberId: string): Subscriber => {
  const uniqueKeyId = `${subscriberId}.key-1`;
  const signing = (privateKey: string) => {
    const signer = becknSigner({ subscriberId, uniqueKeyId, privateKey });
    return (body: Uint8Array): string => {
      const now = Math.floor(Date.now() / 1000);
      return signer.sign(body, now, now + signatureSeconds);
    };
  };
  const own = keyPair();
  return {
    subscriberId,
    uniqueKeyId,
    publicKey: own.publicKey,
    sign: signing(own.seed),
    forge: signing(keyPair().seed),
  };
};

const keyPair = () => {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { seed: base64(d), publicKey: base64(x) };
};

const base64 = (base64url: string): string => Buffer.from(base64url, 'base64url').toString('base64');

import { generateKeyPairSync } from 'node:crypto';
import { becknSigner } from '@portico/adapters-http';

/** A participant of a network that signs messages. */
export interface Subscriber {
  readonly subscriberId: string;
  readonly uniqueKeyId: string;
  /** 32 bytes in Base64, as in the registry. */
  readonly publicKey: string;
  /** The seed in Base64, for the settings of a buyer that signs its requests itself. */
  readonly privateKey: string;
  /** The `Authorization` header of a body, valid for ten minutes. With Beckn 2.0, a callback also signs its request's. */
  sign(body: Uint8Array, requestSignature?: string): string;
  /** The same with an unregistered key. */
  forge(body: Uint8Array, requestSignature?: string): string;
}

const signatureSeconds = 600;

/** Creates a subscriber with a new key pair. */
export const subscriber = (subscriberId: string, uniqueKeyId = `${subscriberId}.key-1`): Subscriber => {
  const signing = (privateKey: string) => {
    const signer = becknSigner({ subscriberId, uniqueKeyId, privateKey });
    return (body: Uint8Array, requestSignature?: string): string => {
      const now = Math.floor(Date.now() / 1000);
      return signer.sign(body, now, now + signatureSeconds, requestSignature);
    };
  };
  const keys = keyPair();
  return {
    subscriberId,
    uniqueKeyId,
    publicKey: keys.publicKey,
    privateKey: keys.seed,
    sign: signing(keys.seed),
    forge: signing(keyPair().seed),
  };
};

const keyPair = () => {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { seed: base64(d), publicKey: base64(x) };
};

const base64 = (base64url: string): string => Buffer.from(base64url, 'base64url').toString('base64');

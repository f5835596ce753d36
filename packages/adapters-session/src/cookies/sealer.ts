import { createHmac, hash, webcrypto } from 'node:crypto';
import { compactDecrypt, CompactEncrypt, type CompactJWEHeaderParameters } from 'jose';

/** What a sealed value is for. A value is opened only for its own purpose. */
type Purpose = 'portico-login' | 'portico-session' | 'portico-stored';

interface Opened {
  readonly payload: unknown;
  /** Whether the first key sealed it. If not, the value should be sealed again. */
  readonly isCurrent: boolean;
}

/** Encrypts values that leave the process: JWE with `dir` and `A256GCM` (RFC 7516; RFC 7518, sections 4.5 and 5.3). */
export interface Sealer {
  seal(purpose: Purpose, payload: object): Promise<string>;
  /** Returns undefined for a value that none of the keys sealed for this purpose. Never rejects. */
  open(purpose: Purpose, value: string): Promise<Opened | undefined>;
  /**
   * Keyed digests of a name, one for each key, the first key's first. Without the key they reveal nothing about the
   * name.
   */
  labels(name: string): readonly [string, ...string[]];
}

export const sealer = (keys: readonly Uint8Array[]): Sealer => {
  const sealing = keys.map(sealingKey);
  const [first] = sealing;
  if (!first) throw new TypeError('sessions: at least one key is required');
  return {
    seal: async (purpose, payload) =>
      new CompactEncrypt(new TextEncoder().encode(JSON.stringify(payload)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: first.id, typ: purpose })
        .encrypt(await first.imported()),
    open: async (purpose, value) => {
      try {
        const { plaintext, protectedHeader } = await compactDecrypt(
          value,
          (header: CompactJWEHeaderParameters) => keyOf(sealing, header.kid).imported(),
          accepted,
        );
        if (protectedHeader.typ !== purpose) return undefined;
        return {
          payload: JSON.parse(new TextDecoder().decode(plaintext)),
          isCurrent: protectedHeader.kid === first.id,
        };
      } catch {
        return undefined;
      }
    },
    labels: (name) => [first.label(name), ...sealing.slice(1).map(({ label }) => label(name))],
  };
};

const accepted = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };

interface SealingKey {
  readonly id: string;
  imported(): Promise<webcrypto.CryptoKey>;
  label(name: string): string;
}

const sealingKey = (key: Uint8Array): SealingKey => {
  if (key.length !== 32) throw new TypeError('sessions: each key must have 32 bytes');
  const bytes = new Uint8Array(key);
  let imported: Promise<webcrypto.CryptoKey> | undefined;
  return {
    id: digest(bytes).slice(0, 8),
    imported: () => (imported ??= webcrypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])),
    label: (name) => createHmac('sha256', bytes).update(`portico session label ${name}`).digest('base64url'),
  };
};

const keyOf = (keys: readonly SealingKey[], kid: string | undefined): SealingKey => {
  const found = keys.find(({ id }) => id === kid);
  if (!found) throw new TypeError('The key is not known.');
  return found;
};

/** SHA-256 in base64url. */
export const digest = (value: string | Uint8Array): string => hash('sha256', value, 'base64url');

/** Reads a key of 32 bytes from base64url, base64 or hexadecimal digits. Throws a TypeError that does not repeat it. */
export const readSessionKey = (text: string): Uint8Array => {
  const value = text.trim();
  const isHex = /^[0-9a-f]{64}$/i.test(value);
  if (!isHex && !/^[\w+/-]{43}=?$/.test(value))
    throw new TypeError('A session key must be 32 random bytes in base64url, base64 or hexadecimal digits.');
  return new Uint8Array(Buffer.from(value, isHex ? 'hex' : 'base64url'));
};

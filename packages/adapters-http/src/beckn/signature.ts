import {
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import type { SearchSigner } from '@portico/core';
import { fromThrowable, okAsync } from 'neverthrow';

/** A subscriber's signing key. `privateKey` is base64 of a 32-byte seed, or of 64 bytes: seed, then public key. */
export interface SigningSettings {
  readonly subscriberId: string;
  readonly uniqueKeyId: string;
  readonly privateKey: string;
}

/** What a subscriber id and a key id must be, for error messages. */
export const signerIdRule = 'must be 1 to 255 visible ASCII characters, without quotes, backslashes and vertical bars';

/** What a private key must be, for error messages. */
export const signingKeyRule = 'must be base64 of a 32-byte Ed25519 seed, or of 64 bytes: the seed, then its public key';

/** A parsed `Authorization: Signature …` header. Times are whole seconds since the epoch; the signature has 64 bytes. */
export interface SignatureHeader {
  readonly subscriberId: string;
  readonly uniqueKeyId: string;
  readonly created: number;
  readonly expires: number;
  readonly signature: Uint8Array;
  /** Whether the signature also covers the signature of the request (`request-signature`, Beckn 2.0). */
  readonly isChained?: boolean;
}

/**
 * Signs request bodies (BECKN-006): Ed25519 over `(created) (expires) digest`. Throws a TypeError when an id or the key is
 * invalid. The error does not contain the key.
 */
export const becknSigner = ({ subscriberId, uniqueKeyId, privateKey }: SigningSettings) => {
  checkIds({ subscriberId, uniqueKeyId });
  const key = privateKeyOf(privateKey);
  return {
    subscriberId,
    /**
     * Returns the `Authorization` header value for a body of exactly these bytes. Times are whole seconds. A callback of
     * Beckn 2.0 also signs `requestSignature`, the `signature` of the request's header.
     */
    sign: (body: Uint8Array, created: number, expires: number, requestSignature?: string): string => {
      if (!isTime(created) || !isTime(expires))
        throw new TypeError('Signature times must be whole seconds since the epoch.');
      const signature = signBytes(null, signingString(body, created, expires, requestSignature), key);
      const isChained = requestSignature !== undefined;
      return signatureHeader({ subscriberId, uniqueKeyId, created, expires, signature, isChained });
    },
  };
};

/** Signs with a private key in this process. Throws a TypeError, without the key, when the key is invalid. */
export const ed25519Signer = (privateKey: string): SearchSigner => {
  const key = privateKeyOf(privateKey);
  return { sign: (bytes) => okAsync(signBytes(null, bytes, key)) };
};

/** Throws a TypeError when an id is invalid. */
export const checkIds = ({
  subscriberId,
  uniqueKeyId,
}: Pick<SigningSettings, 'subscriberId' | 'uniqueKeyId'>): void => {
  if (!isId(subscriberId) || !isId(uniqueKeyId)) throw new TypeError(`A subscriber id and a key id ${signerIdRule}.`);
};

/** Formats the value of the `Authorization` header. */
export const signatureHeader = ({
  subscriberId,
  uniqueKeyId,
  created,
  expires,
  signature,
  isChained = false,
}: SignatureHeader): string =>
  `Signature keyId="${subscriberId}|${uniqueKeyId}|ed25519",algorithm="ed25519",` +
  `created="${created}",expires="${expires}",headers="${isChained ? chainedHeaders : signedHeaders}",signature="${Buffer.from(signature).toString('base64')}"`;

/**
 * Parses the header value. Returns undefined when it is longer than 2 KiB, or is not a well-formed `Signature …` with
 * algorithm ed25519 over exactly `(created) (expires) digest`, or these and `request-signature`. Blanks between the names
 * may be missing, as in examples of ONDC. Unknown parameters are ignored.
 */
export const parseSignatureHeader = (header: string): SignatureHeader | undefined => {
  const parameters = header.length <= maxHeaderLength ? parametersOf(header) : undefined;
  const headers = parameters?.get('headers')?.replaceAll(/[ \t]/g, '');
  const isChained = headers === withoutBlanks(chainedHeaders);
  if (parameters?.get('algorithm') !== 'ed25519' || !(isChained || headers === withoutBlanks(signedHeaders)))
    return undefined;
  const [subscriberId = '', uniqueKeyId = '', algorithm, ...more] = parameters.get('keyid')?.split('|') ?? [];
  if (!isId(subscriberId) || !isId(uniqueKeyId) || algorithm !== 'ed25519' || more.length > 0) return undefined;
  const created = timeOf(parameters.get('created'));
  const expires = timeOf(parameters.get('expires'));
  const signature = bytesOf(parameters.get('signature') ?? '');
  if (created === undefined || expires === undefined || signature?.length !== 64) return undefined;
  return { subscriberId, uniqueKeyId, created, expires, signature, ...(isChained && { isChained }) };
};

/** Whether a signature is valid now: `created` is at most 5 s in the future, and `expires` has not passed. */
export const isCurrent = ({ created, expires }: SignatureHeader, nowSeconds: number): boolean =>
  created <= nowSeconds + 5 && expires >= nowSeconds;

/**
 * Whether this key signed exactly these bytes, and for a header with `isChained` also `requestSignature`, the base64
 * signature of the request that was sent. Does not check times.
 */
export const verifySignature = (
  { created, expires, signature, isChained = false }: SignatureHeader,
  body: Uint8Array,
  publicKey: KeyObject,
  requestSignature?: string,
): boolean => {
  if (isChained && requestSignature === undefined) return false;
  try {
    const signed = signingString(body, created, expires, isChained ? requestSignature : undefined);
    return publicKey.asymmetricKeyType === 'ed25519' && verifyBytes(null, signed, publicKey, signature);
  } catch {
    return false;
  }
};

/** Reads an Ed25519 key from base64 of its 32 bytes or of its SPKI DER (RFC 8410); registries publish both. */
export const publicKeyOf = (base64: string): KeyObject | undefined => {
  const bytes = bytesOf(base64);
  if (bytes?.length === 32) return publicKeyFrom(bytes);
  return bytes?.length === 44 && bytes.subarray(0, 12).equals(spkiPrefix)
    ? publicKeyFrom(bytes.subarray(12))
    : undefined;
};

const signedHeaders = '(created) (expires) digest';
const chainedHeaders = `${signedHeaders} request-signature`;

const withoutBlanks = (text: string): string => text.replaceAll(' ', '');
const maxHeaderLength = 2048;

/**
 * The bytes that a signature covers. A callback of Beckn 2.0 adds a fourth line with the signature of the request
 * (beckn/protocol-specifications-v2, `Authentication_and_Trust.md`, NFH-007, section 3.3).
 */
export const signingString = (
  body: Uint8Array,
  created: number,
  expires: number,
  requestSignature?: string,
): Buffer => {
  const digest = hash('blake2b512', body, 'base64');
  const chain = requestSignature === undefined ? '' : `\nrequest-signature: ${requestSignature}`;
  return Buffer.from(`(created): ${created}\n(expires): ${expires}\ndigest: BLAKE-512=${digest}${chain}`);
};

/** DER prefixes of a 32-byte Ed25519 key: PKCS #8 with a seed, SPKI with a point (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

const publicKeyFrom = (point: Uint8Array): KeyObject | undefined =>
  fromThrowable(createPublicKey)({ key: Buffer.concat([spkiPrefix, point]), format: 'der', type: 'spki' }).unwrapOr(
    undefined,
  );

const privateKeyOf = (base64: string): KeyObject => {
  const bytes = bytesOf(base64);
  if (bytes?.length !== 32 && bytes?.length !== 64) throw new TypeError(`A signing key ${signingKeyRule}.`);
  const seed = bytes.subarray(0, 32);
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const point = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(12);
  if (bytes.length === 64 && !bytes.subarray(32).equals(point))
    throw new TypeError('The last 32 bytes of a 64-byte signing key must be the public key of its seed.');
  return key;
};

/** Decodes canonical, padded base64 (RFC 4648, section 3.5): each value has exactly one encoding. */
const bytesOf = (base64: string): Buffer | undefined => {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes : undefined;
};

/** Visible ASCII without quote, backslash and bar, which would end the id or its quotes. */
const isId = (text: string): boolean => /^[!#-[\]-{}~]{1,255}$/.test(text);

const isTime = (seconds: number): boolean => Number.isSafeInteger(seconds) && seconds >= 0;

/** Accepts only times that the signing string reproduces exactly: no sign, no leading zero, no lost digit. */
const timeOf = (text = ''): number | undefined => (/^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined);

const parameter = String.raw`([\w-]+)=(?:"([^"\\]*)"|(\d+))`;
/** A trailing comma is an empty list element, which recipients ignore (RFC 9110, section 5.6.1). */
const wholeHeader = new RegExp(
  String.raw`^signature[ \t]+${parameter}(?:[ \t]*,[ \t]*${parameter})*[ \t]*(?:,[ \t]*)?$`,
  'i',
);
const eachParameter = new RegExp(parameter, 'gi');

/** Parameters by lower-case name, because names ignore case (RFC 9110, section 11.2). Undefined when a name repeats. */
const parametersOf = (header: string): ReadonlyMap<string, string> | undefined => {
  if (!wholeHeader.test(header)) return undefined;
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of header.matchAll(eachParameter)) {
    if (parameters.has(name.toLowerCase())) return undefined;
    parameters.set(name.toLowerCase(), quoted ?? bare);
  }
  return parameters;
};

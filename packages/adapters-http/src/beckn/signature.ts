import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';

/** A subscriber's key for signing; the private key is base64 of a 32-byte seed or of 64 bytes seed‖public. */
export interface SigningSettings {
  readonly subscriberId: string;
  readonly uniqueKeyId: string;
  readonly privateKey: string;
}

/** What an `Authorization: Signature …` header says. Times are whole seconds since the epoch, the signature 64 bytes. */
export interface SignatureHeader {
  readonly subscriberId: string;
  readonly uniqueKeyId: string;
  readonly created: number;
  readonly expires: number;
  readonly signature: Uint8Array;
}

/**
 * Signs bodies as BECKN-006 has it: Ed25519 over `(created) (expires) digest`. Throws a TypeError, which never shows
 * the key, when the settings are not a subscriber, a key's id and a key.
 */
export const becknSigner = ({ subscriberId, uniqueKeyId, privateKey }: SigningSettings) => {
  if (!isId(subscriberId) || !isId(uniqueKeyId))
    throw new TypeError(
      "A subscriber's and a key's id are 1 to 255 visible ASCII characters without quote, backslash and bar.",
    );
  const key = privateKeyOf(privateKey);
  return {
    subscriberId,
    /** The `Authorization` header's value for a body sent as exactly these bytes; the times are whole seconds. */
    sign: (body: Uint8Array, created: number, expires: number): string => {
      if (!isTime(created) || !isTime(expires)) throw new TypeError('A signature is made in whole seconds.');
      const signature = signBytes(null, signingString(body, created, expires), key).toString('base64');
      return (
        `Signature keyId="${subscriberId}|${uniqueKeyId}|ed25519",algorithm="ed25519",` +
        `created="${created}",expires="${expires}",headers="${signedHeaders}",signature="${signature}"`
      );
    },
  };
};

/**
 * Reads the header's value. Undefined when it is longer than 2 KiB, or not a well-formed `Signature …` of algorithm
 * ed25519 over exactly `(created) (expires) digest`. Parameters this scheme does not have are ignored.
 */
export const parseSignatureHeader = (header: string): SignatureHeader | undefined => {
  const parameters = header.length <= maxHeaderLength ? parametersOf(header) : undefined;
  if (parameters?.get('algorithm') !== 'ed25519' || parameters.get('headers') !== signedHeaders) return undefined;
  const [subscriberId = '', uniqueKeyId = '', algorithm, ...more] = parameters.get('keyid')?.split('|') ?? [];
  if (!isId(subscriberId) || !isId(uniqueKeyId) || algorithm !== 'ed25519' || more.length > 0) return undefined;
  const created = timeOf(parameters.get('created'));
  const expires = timeOf(parameters.get('expires'));
  const signature = bytesOf(parameters.get('signature') ?? '');
  if (created === undefined || expires === undefined || signature?.length !== 64) return undefined;
  return { subscriberId, uniqueKeyId, created, expires, signature };
};

/** Whether now is in the signature's window: `created` at most 5 s in the future, `expires` not past. */
export const isCurrent = ({ created, expires }: SignatureHeader, nowSeconds: number): boolean =>
  created <= nowSeconds + 5 && expires >= nowSeconds;

/** Whether this key signed these very bytes. Says nothing about time. */
export const verifySignature = (
  { created, expires, signature }: SignatureHeader,
  body: Uint8Array,
  publicKey: KeyObject,
): boolean => {
  try {
    return (
      publicKey.asymmetricKeyType === 'ed25519' &&
      verifyBytes(null, signingString(body, created, expires), publicKey, signature)
    );
  } catch {
    return false;
  }
};

/** An Ed25519 key from base64 of its 32 bytes, or of its SPKI DER (RFC 8410), which registries hand out too. */
export const publicKeyOf = (base64: string): KeyObject | undefined => {
  const bytes = bytesOf(base64);
  if (bytes?.length === 32) return publicKeyFrom(bytes);
  return bytes?.length === 44 && bytes.subarray(0, 12).equals(spkiPrefix)
    ? publicKeyFrom(bytes.subarray(12))
    : undefined;
};

const signedHeaders = '(created) (expires) digest';
const maxHeaderLength = 2048;

const signingString = (body: Uint8Array, created: number, expires: number): Buffer => {
  const digest = createHash('blake2b512').update(body).digest('base64');
  return Buffer.from(`(created): ${created}\n(expires): ${expires}\ndigest: BLAKE-512=${digest}`);
};

/** What stands before the 32 bytes of an Ed25519 key in DER: PKCS #8 with a seed, SPKI with a point (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

const publicKeyFrom = (point: Uint8Array): KeyObject | undefined => {
  try {
    return createPublicKey({ key: Buffer.concat([spkiPrefix, point]), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
};

const privateKeyOf = (base64: string): KeyObject => {
  const bytes = bytesOf(base64);
  if (bytes?.length !== 32 && bytes?.length !== 64)
    throw new TypeError('A signing key is base64 of a 32-byte seed, or of 64 bytes: the seed, then its public key.');
  const seed = bytes.subarray(0, 32);
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const point = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(12);
  if (bytes.length === 64 && !bytes.subarray(32).equals(point))
    throw new TypeError("The last 32 bytes of a 64-byte signing key must be its seed's public key.");
  return key;
};

/** Canonical base64 with its padding (RFC 4648, section 3.5), which is one text for one value. */
const bytesOf = (base64: string): Buffer | undefined => {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes : undefined;
};

/** Visible ASCII, without what would end the id or the quotes around it. */
const isId = (text: string): boolean => /^[!#-[\]-{}~]{1,255}$/.test(text);

const isTime = (seconds: number): boolean => Number.isSafeInteger(seconds) && seconds >= 0;

/** Only as the signing string will write it again: no sign, no leading zero, and no digit lost. */
const timeOf = (text = ''): number | undefined => (/^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined);

const parameter = String.raw`([a-z]+)=(?:"([^"\\]*)"|(\d+))`;
const wholeHeader = new RegExp(String.raw`^signature[ \t]+${parameter}(?:[ \t]*,[ \t]*${parameter})*$`, 'i');
const eachParameter = new RegExp(parameter, 'gi');

/** By lower-case name, since names are the same in any case (RFC 9110, section 11.2). A repeated one spoils them all. */
const parametersOf = (header: string): ReadonlyMap<string, string> | undefined => {
  if (!wholeHeader.test(header)) return undefined;
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of header.matchAll(eachParameter)) {
    if (parameters.has(name.toLowerCase())) return undefined;
    parameters.set(name.toLowerCase(), quoted ?? bare);
  }
  return parameters;
};

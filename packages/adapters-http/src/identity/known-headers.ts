import { isUtf8 } from 'node:buffer';
import { KeyObject, verify } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { boundedMap } from '../http/bounded-map.ts';

/** Providers put the same few headers on all tokens. */
const maxHeaders = 64;

/** Signatures of larger keys would keep other requests waiting: 80 µs for 4,096 bits, and more for a large exponent. */
const limits = { modulusLength: 3072, publicExponent: 65_537n };

const hashes: ReadonlyMap<string, string> = new Map([
  ['RS256', 'sha256'],
  ['RS384', 'sha384'],
  ['RS512', 'sha512'],
]);

interface Verifier {
  readonly key: KeyObject;
  readonly hash: string;
  readonly keysVersion: number;
}

/** What the claims of a token must contain. Times are in seconds. */
interface ClaimRules {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly clockToleranceSeconds: number;
}

/**
 * The protected headers of tokens that jose has accepted, with the key that verified them. A later token with exactly the same
 * header needs only its signature and its claims checked, which is faster on this thread than in Node's thread pool, where jose
 * verifies it (docs/decisions/0161).
 */
export const knownHeaders = ({ issuer, audience, clockToleranceSeconds }: ClaimRules) => {
  const verifiers = boundedMap<Verifier>(maxHeaders);

  const areValid = (claims: JWTPayload, nowSeconds: number): boolean => {
    const { iss, aud, exp, nbf } = claims;
    return (
      ['iss', 'aud', 'exp'].every((name) => Object.hasOwn(claims, name)) &&
      iss === issuer &&
      (typeof aud === 'string' || Array.isArray(aud)) &&
      audience.some((one) => (typeof aud === 'string' ? aud === one : aud.includes(one))) &&
      exp !== undefined &&
      exp > nowSeconds - clockToleranceSeconds &&
      (nbf === undefined || nbf <= nowSeconds + clockToleranceSeconds)
    );
  };

  return {
    /** Remembers the header of a token that jose has accepted, and its key, if it is an RSA key of a usual size. */
    learn: (token: string, algorithm: string, key: unknown, keysVersion: number): void => {
      const hash = hashes.get(algorithm);
      if (hash === undefined || !(key instanceof CryptoKey)) return;
      const publicKey = KeyObject.from(key);
      const { modulusLength = Infinity, publicExponent = Infinity } = publicKey.asymmetricKeyDetails ?? {};
      if (modulusLength > limits.modulusLength || publicExponent > limits.publicExponent) return;
      verifiers.set(token.slice(0, token.indexOf('.')), { key: publicKey, hash, keysVersion });
    },
    /**
     * The claims of a token that jose would also accept, if its times are numbers. Undefined for every other token: jose
     * decides.
     */
    accept: (token: string, keysVersion: number, nowMs: number): JWTPayload | undefined => {
      const payloadAt = token.indexOf('.') + 1;
      const signatureAt = token.indexOf('.', payloadAt) + 1;
      const verifier = verifiers.get(token.slice(0, payloadAt - 1));
      if (verifier?.keysVersion !== keysVersion || signatureAt === 0) return undefined;
      // First, because an expired token is common, and checking a signature takes longest.
      const claims = claimsOf(token.slice(payloadAt, signatureAt - 1));
      if (!claims || !areValid(claims, Math.floor(nowMs / 1000))) return undefined;
      const signature = decoded(token.slice(signatureAt));
      const input = Buffer.from(token.slice(0, signatureAt - 1));
      return signature && verify(verifier.hash, input, verifier.key, signature) ? claims : undefined;
    },
  };
};

/** Undefined for anything but the shortest spelling of the bytes. */
const decoded = (base64url: string): Buffer | undefined => {
  const bytes = Buffer.from(base64url, 'base64url');
  return bytes.toString('base64url') === base64url ? bytes : undefined;
};

/**
 * The parsed payload; undefined if it cannot be parsed. Any JSON value other than an object is refused later, because
 * it has no `iss`.
 */
const claimsOf = (base64url: string): JWTPayload | null | undefined => {
  const bytes = decoded(base64url);
  if (!bytes || !isUtf8(bytes)) return undefined;
  try {
    return JSON.parse(bytes.toString()) as JWTPayload | null;
  } catch {
    return undefined;
  }
};

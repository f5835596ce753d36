import { hash } from 'node:crypto';
import {
  type BoundProof,
  type Clock,
  type Failure,
  invalidProof,
  isCompactJws,
  maxReplaySeconds,
  memoryReplayGuard,
  overloaded,
  proofAgeSeconds,
  proofAlgorithms,
  type ProofVerifier,
  type ReplayGuard,
  replayMarginSeconds,
} from '@portico/core';
import { systemClock } from '@portico/core/system';
import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { err, ok, type Result, ResultAsync } from 'neverthrow';

/** The guard is full, or the token has reached `maxProofsPerToken`. */
const tooManyProofs = overloaded(10);

export const dpopProofDefaults = { maxProofsPerToken: 5000 } as const;

/** Defaults: `dpopProofDefaults`. */
export interface DpopProofSettings {
  readonly clock?: Clock;
  /** Remembers the proofs that were used. Default: in memory, for one instance. */
  readonly replays?: ReplayGuard;
  /**
   * The maximum number of proofs of one token in each window of `maxReplaySeconds`, so that a client cannot fill
   * `replays` and stop the others. The windows follow one another: the same time across two of them may have twice as
   * many.
   */
  readonly maxProofsPerToken?: number;
}

/** Verifies DPoP proofs (RFC 9449, sections 4.3 and 7.1). Server-provided nonces (section 9) are not used. */
export const dpopProofs = ({
  clock = systemClock,
  replays = memoryReplayGuard({ clock }),
  maxProofsPerToken = dpopProofDefaults.maxProofsPerToken,
}: DpopProofSettings = {}): ProofVerifier => {
  const accepted = proofCounts(clock);
  const verify = async (bound: BoundProof): Promise<Result<void, Failure>> => {
    const now = clock.now() / 1000;
    const claims = await signedClaims(bound, new Date(clock.now()));
    if (!claims || !isFor(bound, claims) || !isRecent(claims.iat, now)) return err(invalidProof);
    const { jti, iat } = claims;
    if (typeof jti !== 'string' || jti === '') return err(invalidProof);
    // Much shorter than the token, of which it is the digest.
    const name = String(claims['ath']);
    if (accepted.of(name) >= maxProofsPerToken) return err(tooManyProofs);
    // Scoped to the key, so that a client cannot use up the identifier of another one's proof.
    const forSeconds = Math.ceil(iat + proofAgeSeconds - now) + replayMarginSeconds;
    const use = await replays.use(digest(`${bound.thumbprint} ${jti}`), forSeconds);
    if (use !== 'first') return err(use === 'full' ? tooManyProofs : invalidProof);
    // Not before: a replayed proof must not use up the limit of its token.
    accepted.add(name);
    return ok(undefined);
  };
  return { verify: (bound) => new ResultAsync(verify(bound)) };
};

/** Counts the accepted proofs of each token in windows of `maxReplaySeconds`, without a timer. */
const proofCounts = (clock: Clock) => {
  let counts = new Map<string, number>();
  let startedAt = clock.monotonic();
  const of = (token: string): number => {
    if (clock.monotonic() - startedAt >= maxReplaySeconds * 1000) {
      counts = new Map();
      startedAt = clock.monotonic();
    }
    return counts.get(token) ?? 0;
  };
  return { of, add: (token: string): void => void counts.set(token, of(token) + 1) };
};

type ProofClaims = JWTPayload & { readonly iat: number };

/** The claims of a proof that was signed with the key of the token. Undefined for any other. */
const signedClaims = async ({ proof, thumbprint }: BoundProof, currentDate: Date): Promise<ProofClaims | undefined> => {
  // Also bounds the length.
  if (!isCompactJws(proof)) return undefined;
  try {
    const { jwk } = decodeProtectedHeader(proof);
    // Before the signature, because it costs less.
    if (!jwk || hasPrivateKey(jwk) || (await calculateJwkThumbprint(jwk)) !== thumbprint) return undefined;
    const { payload } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: [...proofAlgorithms],
      currentDate,
      clockTolerance: proofAgeSeconds,
    });
    return Number.isFinite(payload.iat) ? (payload as ProofClaims) : undefined;
  } catch {
    // An error of jose, or of the platform for a key that it cannot use. It may contain parts of the proof.
    return undefined;
  }
};

/** The private members of all key types (RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1; RFC 8037). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'] as const;

const hasPrivateKey = (jwk: JWK): boolean => privateMembers.some((member) => Object.hasOwn(jwk, member));

const isFor = ({ method, url, token }: BoundProof, { htm, htu, ath }: JWTPayload): boolean => {
  const target = targetOf(url);
  return target !== undefined && htm === method && targetOf(htu) === target && ath === digest(token);
};

const isRecent = (iat: number, now: number): boolean => Math.abs(now - iat) <= proofAgeSeconds;

const digest = (text: string): string => hash('sha256', text, 'base64url');

/** A URL without query and fragment, normalized (RFC 9449, section 4.3; RFC 3986, sections 6.2.2 and 6.2.3). */
const targetOf = (url: unknown): string | undefined => {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) return undefined;
  return parsed.origin + parsed.pathname.replaceAll(/%[0-9a-f]{2}/gi, normalizedEscape);
};

/** Decodes unreserved characters, and writes the other escapes in upper case. */
const normalizedEscape = (escape: string): string => {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
};

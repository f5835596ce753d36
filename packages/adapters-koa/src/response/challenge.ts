import { type Failure, proofAlgorithms } from '@portico/core';

/** DPoP on the member routes (RFC 9449). Tokens are then accepted with the scheme `DPoP` and a proof. */
export interface DpopSettings {
  /**
   * The URL under which clients reach the routes, with the path of a proxy if it removes one, but without `/me`. A proof
   * must name it. `Host` and `X-Forwarded-Host` are not used: the client that replays a proof chooses them.
   */
  readonly publicUrl: string;
  /** Whether every token must be DPoP-bound. Default false. Only changes the challenge; the core's rules decide. */
  readonly isRequired?: boolean;
}

/** How a client sent its token. */
export type Scheme = 'Bearer' | 'DPoP';

/** How the routes are authenticated, and how the client did it. */
export interface Challenge {
  readonly dpop?: DpopSettings | undefined;
  /** Default: `Bearer`. */
  readonly scheme?: Scheme;
}

/** A failure for which the response states how to authenticate. */
export type ChallengedFailure = Extract<Failure, { kind: 'unauthenticated' | 'insufficient-scope' }>;

/** The challenges of a 401 or 403, one per header field (RFC 6750, section 3; RFC 9449, section 7.1). */
export const challenges = (failure: ChallengedFailure, { dpop, scheme = 'Bearer' }: Challenge = {}): string[] => {
  const error = errorOf(failure);
  const bearer = 'Bearer realm="portico"';
  if (!dpop) return [bearer + error];
  const bound = 'DPoP realm="portico"';
  const algorithms = `, algs="${proofAlgorithms.join(' ')}"`;
  if (dpop.isRequired === true) return [bound + error + algorithms];
  return scheme === 'DPoP' ? [bearer, bound + error + algorithms] : [bearer + error, bound + algorithms];
};

const errorOf = (failure: ChallengedFailure): string => {
  if (failure.kind === 'insufficient-scope') return `, error="insufficient_scope", scope="${failure.scope}"`;
  if (failure.reason === 'missing') return '';
  return failure.reason === 'invalid-proof' ? ', error="invalid_dpop_proof"' : ', error="invalid_token"';
};

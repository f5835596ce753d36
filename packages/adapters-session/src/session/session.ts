import type { Clock } from '@portico/core';
import type { Tokens } from '../provider/token-endpoint.ts';

/** A signed-in browser. Times are in seconds since the epoch. */
export interface Session {
  /** Random, new for each sign-in. */
  readonly id: string;
  readonly tokens: Tokens;
  /** `sub` of the ID token. */
  readonly subject: string;
  /** The value of `X-Portico-Member`: a digest of the member, with the key that was the first one at the sign-in. */
  readonly member: string;
  /** `sid` of the ID token (OpenID Connect Back-Channel Logout 1.0, section 2.1). */
  readonly providerSession?: string;
  /** `name` of the ID token. */
  readonly name?: string;
  /** When it was last used, accurate to about a minute. */
  readonly usedAt: number;
  /** When the member signed in. */
  readonly beganAt: number;
}

export interface Lifetimes {
  readonly idleSeconds: number;
  readonly absoluteSeconds: number;
}

/** Why a session has ended by now; undefined if it has not. */
export const endOf = (
  session: Session,
  now: number,
  { idleSeconds, absoluteSeconds }: Lifetimes,
): 'idle' | 'absolute' | 'token' | undefined => {
  const { tokens, usedAt, beganAt } = session;
  // A clock may have been set back, but not by more than this.
  if (!(Math.abs(now - beganAt) < absoluteSeconds)) return 'absolute';
  if (usedAt + idleSeconds <= now) return 'idle';
  return tokens.refreshToken === undefined && tokens.expiresAt <= now ? 'token' : undefined;
};

/** Whether the access token should be refreshed, and can be. */
export const isDue = ({ tokens }: Session, clock: Clock): boolean =>
  tokens.refreshToken !== undefined && tokens.refreshAt <= clock.now() / 1000;

/** When the session ends without another request. */
export const expiryOf = ({ tokens, usedAt, beganAt }: Session, { idleSeconds, absoluteSeconds }: Lifetimes): number =>
  Math.min(
    usedAt + idleSeconds,
    beganAt + absoluteSeconds,
    tokens.refreshToken === undefined ? tokens.expiresAt : Infinity,
  );

/** What `Session.member` is a digest of. It differs from the labels of back-channel logout, which a store has. */
export const memberName = (issuer: string, subject: string): string => JSON.stringify(['pages', issuer, subject]);

/** The session in short names: it has to fit into a cookie. */
export const encodeSession = (session: Session, provider: string) => ({
  p: provider,
  i: session.id,
  a: session.tokens.accessToken,
  r: session.tokens.refreshToken,
  e: session.tokens.expiresAt,
  f: session.tokens.refreshAt,
  s: session.subject,
  m: session.member,
  o: session.providerSession,
  n: session.name,
  u: session.usedAt,
  b: session.beganAt,
});

/**
 * Reads what `encodeSession` wrote. Returns undefined if the session is of another provider or client: its tokens must not
 * be sent to this one. Only our own keys can have sealed the value, so its types are known.
 */
export const decodeSession = (payload: unknown, provider: string): Session | undefined => {
  const { p, i, a, r, e, f, s, m, o, n, u, b } = payload as ReturnType<typeof encodeSession>;
  if (p !== provider) return undefined;
  return {
    id: i,
    tokens: { accessToken: a, ...(r !== undefined && { refreshToken: r }), expiresAt: e, refreshAt: f },
    subject: s,
    member: m,
    ...(o !== undefined && { providerSession: o }),
    ...(n !== undefined && { name: n }),
    usedAt: u,
    beganAt: b,
  };
};

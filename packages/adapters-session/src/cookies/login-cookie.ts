import type { IncomingMessage, ServerResponse } from 'node:http';
import { maxSignInMs } from '@portico/core';
import { clearCookie, type CookieNames, cookiesOf, setCookie } from './cookie-header.ts';
import type { Sealer } from './sealer.ts';

/** A sign-in that has begun, kept in a cookie of its own, so that several tabs can sign in at the same time. */
export interface LoginAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** A path, checked by `readReturnTo`. */
  readonly returnTo: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** For how long a sign-in can be completed. */
export const attemptSeconds = maxSignInMs / 1000;

const maxAttempts = 5;

/** Names and values together. With the largest session, they fit into a request header of 16 KiB. */
const maxAttemptsLength = 3300;

const nameOf = ({ login }: CookieNames, state: string): string => `${login}.${state.slice(0, 12)}`;

export const isLoginCookie = (name: string, { login }: CookieNames): boolean =>
  name.startsWith(`${login}.`) && /^[\w-]{12}$/.test(name.slice(login.length + 1));

export const writeLoginAttempt = async (
  request: IncomingMessage,
  response: ServerResponse,
  { names, sealer, attempt }: { readonly names: CookieNames; readonly sealer: Sealer; readonly attempt: LoginAttempt },
): Promise<void> => {
  const name = nameOf(names, attempt.state);
  const value = await sealer.seal('portico-login', attempt);
  // Browsers send older cookies first (RFC 6265, section 5.4).
  const newestFirst = cookiesOf(request)
    .filter(([known]) => isLoginCookie(known, names))
    .toReversed();
  let length = name.length + value.length;
  for (const [index, [known, sealed]] of newestFirst.entries()) {
    length += known.length + sealed.length;
    if (index >= maxAttempts - 1 || length > maxAttemptsLength) clearCookie(response, names, known);
  }
  setCookie(response, `${name}=${value}${names.attributes}; Max-Age=${attemptSeconds}`);
};

/** Returns the attempt with this state, if this browser has begun it, and clears its cookie: it can be used once. */
export const takeLoginAttempt = async (
  request: IncomingMessage,
  response: ServerResponse,
  settings: { readonly names: CookieNames; readonly sealer: Sealer; readonly state: string; readonly now: number },
): Promise<LoginAttempt | undefined> => {
  const { names, sealer, state, now } = settings;
  if (!/^[\w-]{20,128}$/.test(state)) return undefined;
  const name = nameOf(names, state);
  const found = cookiesOf(request).filter(([known]) => known === name);
  if (found.length > 0) clearCookie(response, names, name);
  const [, value] = found[0] ?? [];
  if (found.length !== 1 || value === undefined) return undefined;
  // The purpose of the sealed value shows that it has this type.
  const attempt = (await sealer.open('portico-login', value))?.payload as LoginAttempt | undefined;
  return attempt?.state === state && attempt.expiresAt > now ? attempt : undefined;
};

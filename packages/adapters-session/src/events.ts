import type { SignInError, UpstreamReason } from '@portico/core';

/** What happened to a session, for logs and metrics. Contains no private data: no token, no cookie, no member. */
export type SessionEvent =
  | { readonly name: 'sign-in' }
  /**
   * `detail`: an error code of oauth4webapi, jose or RFC 6749; `too-large` for a session that fits into no cookie; `ended`
   * for a back-channel logout during the sign-in.
   */
  | { readonly name: 'sign-in-failed'; readonly reason: SignInError; readonly detail?: string }
  | { readonly name: 'refresh' }
  /** The provider refused the refresh token, so the session ended. */
  | { readonly name: 'refresh-refused' }
  /** The provider did not respond as it should. The session stays; with an expired access token, requests get 502. */
  | { readonly name: 'refresh-failed'; readonly reason: UpstreamReason }
  /** A session ended: without activity, at its absolute end, or with its access token when it has no refresh token. */
  | { readonly name: 'expired'; readonly reason: 'idle' | 'absolute' | 'token' }
  | { readonly name: 'sign-out' }
  | { readonly name: 'revocation-failed'; readonly reason: UpstreamReason }
  /** `sessions`: how many sessions ended. */
  | { readonly name: 'back-channel-logout'; readonly sessions: number }
  | { readonly name: 'back-channel-logout-refused' }
  /** A cookie was malformed, altered, sealed with an unknown key, or of a session that has ended. */
  | { readonly name: 'cookie-refused' }
  /** A request was refused with 403 `cross-site`. */
  | { readonly name: 'cross-site' }
  /** A page of another member called a member route: the request was passed on without credentials. */
  | { readonly name: 'other-member' };

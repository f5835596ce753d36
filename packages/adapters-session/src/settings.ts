import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type ClientSettings,
  type Clock,
  type ReplayGuard,
  backChannelLogoutPath,
  sessionLoginPath,
  sessionLogoutPath,
  sessionPath,
  type SessionStore,
} from '@portico/core';
import type { SessionEvent } from './events.ts';

/** Portico as a confidential client of the identity provider. */
export type SessionClient = ClientSettings;

/** Contract, section 11. URLs must be https, except on loopback (`localhost`, `127.0.0.1`, `[::1]`). Defaults: `sessionDefaults`. */
export interface SessionSettings {
  /** The issuer of the identity provider, for OpenID Connect Discovery. */
  readonly issuer: string;
  readonly client: SessionClient;
  /**
   * The URL under which browsers reach Portico. Register `{publicUrl}/session/callback` as redirect URI, `{publicUrl}/` as
   * post-logout redirect URI, and with a store `{publicUrl}/session/backchannel-logout`.
   */
  readonly publicUrl: string;
  /** 32 random bytes each (`readSessionKey`). The first one encrypts, all decrypt. */
  readonly keys: readonly Uint8Array[];
  /** Where sessions are kept. Default: in the cookie. */
  readonly store?: SessionStore | undefined;
  /** Remembers used logout tokens. Default: in memory, for one instance. */
  readonly replays?: ReplayGuard | undefined;
  /** A session without a request for this long ends. */
  readonly idleSeconds?: number;
  /** Every session ends this long after its sign-in. */
  readonly absoluteSeconds?: number;
  /** The scopes that a sign-in requests. Many providers issue refresh tokens only with `offline_access`. */
  readonly scope?: string;
  /**
   * More parameters of the authorization request, such as `audience`. Those of the protocol itself are refused. With
   * `max_age`, a sign-in fails unless `auth_time` of its ID token was at most that old when it began.
   */
  readonly authorizeParameters?: Readonly<Record<string, string>>;
  /**
   * Where a page goes after the logout, for providers whose `end_session_endpoint` does not follow OpenID Connect
   * RP-Initiated Logout 1.0, or requires `id_token_hint`. Used unchanged. Default: that endpoint, or else `publicUrl`.
   */
  readonly logoutUrl?: string | undefined;
  /** Paths at and below which the cookie becomes the access token. */
  readonly paths?: readonly string[];
  /** Sends requests to the identity provider. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** The limit of each request to the identity provider, in milliseconds. */
  readonly timeoutMs?: number;
  /** How far the clock of the identity provider may differ. For logout tokens at most 55 seconds are tolerated. */
  readonly clockToleranceSeconds?: number;
  readonly clock?: Clock;
  readonly onEvent?: (event: SessionEvent) => void;
}

/** Handles a request of a Node server, or passes it to `next`. */
export type HandleRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => Promise<void> | void,
) => Promise<void>;

/**
 * Serves the paths of `sessionPaths`. Passes every other request to `next`: those to `paths` with the access token of the
 * session in `Authorization`, in place of the cookie. Resolves when the response was sent, or with `next`.
 */
export interface SessionHandler extends HandleRequest {
  /**
   * Resolves when the refreshes in progress have ended. Wait for it before the process ends and before you close the store:
   * the provider may have replaced a refresh token whose client has disconnected. Also waits until the store has taken
   * refreshed tokens that it did not take at first, for at most four times `timeoutMs` and five seconds.
   */
  settled(): Promise<void>;
}

/** The routes of a session. The last one is served only with a store. */
export const sessionPaths = {
  status: sessionPath,
  login: sessionLoginPath,
  callback: `${sessionPath}/callback`,
  logout: sessionLogoutPath,
  backChannelLogout: backChannelLogoutPath,
} as const;

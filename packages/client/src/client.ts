import type { ServiceDeclaration } from '@portico/core';
import type { DownloadCalls, MemberCalls, MemberPageCalls, SearchCalls } from './calls.ts';
import { downloadCalls } from './documents.ts';
import { memberCalls } from './member-calls.ts';
import { memberPageCalls } from './routes/member-page.ts';
import { memberRoutes, type MemberRoutes } from './routes/member-routes.ts';
import { serviceCalls, type ServiceCalls } from './routes/service-calls.ts';
import { searchCalls } from './search.ts';
import { type SessionCalls, sessionCalls } from './session.ts';
import { transport, type TransportSettings } from './transport.ts';

/**
 * Timeouts: twice Portico's default for a downstream service, and three times its default for a search. A response can be a
 * page of `maxPageBytes`, with the names of its parts. A search can have two legs that each collect
 * `collectDefaults.maxBytes`.
 */
export const clientDefaults = {
  timeoutMs: 10_000,
  searchTimeoutMs: 30_000,
  maxResponseBytes: 11_534_336,
  maxSearchBytes: 268_435_456,
  maxDocumentBytes: 104_857_600,
} as const;

/** Defaults: `clientDefaults`. */
export interface PorticoClientSettings {
  /** The base URL of Portico: absolute, `http` or `https`, without user info, query or fragment. */
  readonly url: string;
  /**
   * The member's access token. A function is called for each request, so that refreshed tokens are used; an error that it
   * throws becomes the cause of an `unexpected` failure. Without a token, member calls fail `unauthenticated`. Search
   * calls never send the token.
   */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /**
   * For pages of a Portico with browser sessions (contract, section 11): the session cookie identifies the member. The pages
   * and Portico must have the same origin. Requests have no `Authorization` header, and changes have `X-Portico-Csrf: 1`.
   * Cannot be combined with `token`. Search calls never send the cookie. With `member`, the value in `SessionStatus`, member
   * calls fail `unauthenticated` when the session is of another member, who has signed in on another tab. Default: false.
   */
  readonly session?: boolean | { readonly member: string | undefined };
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: TransportSettings['fetch'];
  /**
   * Timeout of one request in milliseconds, including the token and the whole JSON body. For a document: until the first
   * byte, then between bytes. `changePreferences` may send several requests, each with this timeout.
   */
  readonly timeoutMs?: number;
  /** Timeout of a search in milliseconds. */
  readonly searchTimeoutMs?: number;
  /** Maximum size of a JSON response in bytes. */
  readonly maxResponseBytes?: number;
  /**
   * Maximum size of the event stream of a search in bytes. It has each callback of a leg that collects, each leg, and all of
   * them once more.
   */
  readonly maxSearchBytes?: number;
  /** Maximum size of a document that `getDocumentBlob` reads, in bytes. */
  readonly maxDocumentBytes?: number;
}

/** The use cases of a Portico server, with the core's names, and calls of other services. */
export interface PorticoClient extends MemberCalls, MemberPageCalls, DownloadCalls, SearchCalls {
  /** The calls of a declared service, with its types. */
  readonly service: <Declaration extends ServiceDeclaration>(declaration: Declaration) => ServiceCalls<Declaration>;
  readonly member: MemberRoutes;
  readonly session: SessionCalls;
}

/**
 * Creates a client for a Portico server, for browsers and Node. Every call returns a `ResultAsync` and never rejects.
 * Requests are never retried, redirects are not followed, cookies are not sent without `session`, and responses are not
 * cached. A response beyond its limit fails `response-too-large`, and the rest is not read. Throws `TypeError` when `url`,
 * a timeout or a limit is invalid, or when there are both `token` and `session`.
 */
export const porticoClient = ({
  url,
  token,
  session = false,
  fetch = (requestUrl, init) => globalThis.fetch(requestUrl, init),
  timeoutMs = clientDefaults.timeoutMs,
  searchTimeoutMs = clientDefaults.searchTimeoutMs,
  maxResponseBytes = clientDefaults.maxResponseBytes,
  maxSearchBytes = clientDefaults.maxSearchBytes,
  maxDocumentBytes = clientDefaults.maxDocumentBytes,
}: PorticoClientSettings): PorticoClient => {
  if (session && token !== undefined) throw new TypeError('Set either token or session, not both.');
  for (const time of [timeoutMs, searchTimeoutMs])
    if (!(time > 0 && time <= maxTimeoutMs))
      throw new TypeError(`Timeouts must be more than 0 and at most ${maxTimeoutMs} milliseconds.`);
  for (const bytes of [maxResponseBytes, maxSearchBytes, maxDocumentBytes])
    if (!(bytes > 0)) throw new TypeError('Limits must be more than 0 bytes.');
  const base = baseOf(url);
  const connection = { base, fetch, timeoutMs, maxResponseBytes };
  const server = transport({ ...connection, token, session });
  const ofSession = { token: undefined, session: true, timeoutMs: Math.max(timeoutMs, leastSessionMs) };
  const member = memberCalls(server);
  return {
    ...member,
    ...memberPageCalls(server, maxResponseBytes),
    ...downloadCalls(member, maxDocumentBytes),
    service: serviceCalls(server),
    member: memberRoutes(server),
    session: sessionCalls(transport({ ...connection, ...ofSession }), base),
    ...searchCalls(server, { timeoutMs: searchTimeoutMs, maxBytes: maxSearchBytes }),
  };
};

/** Portico's own defaults let it wait ten seconds for two requests to an identity provider that does not respond. */
const leastSessionMs = 15_000;

/** Timers with a longer delay fire immediately. */
const maxTimeoutMs = 2_147_483_647;

const baseOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new TypeError('The Portico URL must be an absolute http or https URL without user info, query or fragment.');
  return url.href.replace(/\/+$/, '');
};

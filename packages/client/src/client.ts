import type { DownloadCalls, MemberCalls, SearchCalls } from './calls.ts';
import { downloadCalls } from './documents.ts';
import { memberCalls } from './member-calls.ts';
import { searchCalls } from './search.ts';
import { transport, type TransportSettings } from './transport.ts';

export interface PorticoClientSettings {
  /** The base URL of Portico: absolute, `http` or `https`, without user info, query or fragment. */
  readonly url: string;
  /**
   * The member's access token. A function is called for each request, so that refreshed tokens are used; an error that it
   * throws becomes the cause of an `unexpected` failure. Without a token, member calls fail `unauthenticated`. Search
   * calls never send the token.
   */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: TransportSettings['fetch'];
  /**
   * Timeout of one request in milliseconds, including the token and the whole JSON body. For a document: until the first
   * byte, then between bytes. `changePreferences` may send several requests, each with this timeout. Default: 10 000,
   * twice Portico's own default for a downstream service.
   */
  readonly timeoutMs?: number;
  /** Timeout of a search in milliseconds. Default: 30 000, three times Portico's own default for a leg. */
  readonly searchTimeoutMs?: number;
}

/** The use cases of a Portico server, with the core's names. */
export type PorticoClient = MemberCalls & DownloadCalls & SearchCalls;

/**
 * Creates a client for a Portico server, for browsers and Node. Every call returns a `ResultAsync` and never rejects.
 * Requests are never retried, redirects are not followed, cookies are not sent and responses are not cached.
 * Throws `TypeError` when `url` or a timeout is invalid.
 */
export const porticoClient = ({
  url,
  token,
  fetch = (requestUrl, init) => globalThis.fetch(requestUrl, init),
  timeoutMs = 10_000,
  searchTimeoutMs = 30_000,
}: PorticoClientSettings): PorticoClient => {
  for (const time of [timeoutMs, searchTimeoutMs])
    if (!(time > 0 && time <= maxTimeoutMs))
      throw new TypeError(`Timeouts must be between 1 and ${maxTimeoutMs} milliseconds.`);
  const server = transport({ base: baseOf(url), token, fetch, timeoutMs });
  const member = memberCalls(server);
  return { ...member, ...downloadCalls(member), ...searchCalls(server, searchTimeoutMs) };
};

/** Timers with a longer delay fire immediately. */
const maxTimeoutMs = 2_147_483_647;

const baseOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new TypeError('The Portico URL must be an absolute http or https URL without user info, query or fragment.');
  return url.href.replace(/\/+$/, '');
};

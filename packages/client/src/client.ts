import type { DownloadCalls, MemberCalls, SearchCalls } from './calls.ts';
import { downloadCalls } from './documents.ts';
import { memberCalls } from './member-calls.ts';
import { searchCalls } from './search.ts';
import { transport, type TransportSettings } from './transport.ts';

export interface PorticoClientSettings {
  /** Where Portico is: an absolute `http` or `https` URL, without user, query and fragment. */
  readonly url: string;
  /**
   * The member's access token. A function is asked anew for each call, so that a refreshed token is used; what it throws
   * is the cause of an `unexpected` failure. Without a token, member calls fail `unauthenticated`. The search needs none
   * and gets none.
   */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** What sends the requests. Default: the global `fetch`. */
  readonly fetch?: TransportSettings['fetch'];
  /**
   * How long a call may take, its token and the whole of its JSON included; of a document, until it begins, and from then
   * on without a byte. `changePreferences` may be two calls, and take it twice. Default 10 000: twice what Portico gives
   * a downstream.
   */
  readonly timeoutMs?: number;
  /** How long a search may take. Default 30 000: three times what Portico gives its legs. */
  readonly searchTimeoutMs?: number;
}

/** The use cases of a running Portico, under the core's names. */
export type PorticoClient = MemberCalls & DownloadCalls & SearchCalls;

/**
 * A client of a running Portico, for the web and for Node. Every call gives a `ResultAsync` and never rejects. None is
 * sent twice: who wants a GET repeated repeats the call. Redirects are not followed; no cookie is sent, no answer cached.
 * Throws `TypeError` when `url` or a time is none.
 */
export const porticoClient = ({
  url,
  token,
  fetch = (address, init) => globalThis.fetch(address, init),
  timeoutMs = 10_000,
  searchTimeoutMs = 30_000,
}: PorticoClientSettings): PorticoClient => {
  for (const time of [timeoutMs, searchTimeoutMs])
    if (!(time > 0 && time <= longestTimeoutMs))
      throw new TypeError(`A timeout is between 1 and ${longestTimeoutMs} milliseconds.`);
  const server = transport({ base: baseOf(url), token, fetch, timeoutMs });
  const member = memberCalls(server);
  return { ...member, ...downloadCalls(member), ...searchCalls(server, searchTimeoutMs) };
};

/** Beyond this, timers go off at once. */
const longestTimeoutMs = 2_147_483_647;

const baseOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new TypeError('The URL of a Portico is absolute, http or https, without user, query and fragment.');
  return url.href.replace(/\/+$/, '');
};

import { type Clock, settleWithin, type UpstreamReason } from '@portico/core';
import { readAtMost } from '../http/request.ts';
import { secureUrl } from './provider-url.ts';

/** The identity provider did not respond as it should. The message has no URL and nothing of the response. */
export class ProviderError extends Error {
  readonly reason: UpstreamReason;

  constructor(reason: UpstreamReason, cause?: unknown) {
    super(`identity provider: ${reason}`, { cause });
    this.reason = reason;
  }
}

export type ProviderFetch = (
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Record<string, string> | Headers;
    readonly body?: URLSearchParams | undefined;
  },
) => Promise<Response>;

const maxResponseBytes = 1024 * 1024;

/**
 * Sends requests to the identity provider, within one deadline for header and body, without following redirects. Responses
 * are complete when they are returned. Rejects with a `ProviderError`.
 */
export const providerFetch =
  (settings: {
    readonly fetch: typeof globalThis.fetch;
    readonly clock: Clock;
    readonly timeoutMs: number;
  }): ProviderFetch =>
  async (url, { method = 'GET', headers = {}, body }) => {
    const abort = new AbortController();
    try {
      const { href } = secureUrl(url, 'each endpoint of the identity provider');
      const send = async () =>
        complete(
          await settings.fetch(href, { method, headers, body: body ?? null, redirect: 'manual', signal: abort.signal }),
        );
      // A replacement of `fetch` may ignore the signal.
      const response = await settleWithin<Response | 'late'>(send(), { ...settings, onTimeout: () => 'late' });
      if (response !== 'late') return response;
    } catch (error) {
      throw error instanceof ProviderError ? error : new ProviderError('unreachable', error);
    }
    abort.abort();
    throw new ProviderError('timeout');
  };

/** Reads the whole body, so that the deadline includes it. */
const complete = async (response: Response): Promise<Response> => {
  const bytes = await readAtMost((response.body ?? []) as AsyncIterable<Uint8Array>, maxResponseBytes);
  if (!bytes) throw new ProviderError('too-large');
  const { status, headers } = response;
  return new Response(bytes.length === 0 ? null : bytes, { status, headers });
};

import { strongEtag } from '@portico/core';
import { problemIn, unreachable } from './problem.ts';

/** A resource, and the entity tag of this version of it, where there is one. */
export interface Read<T> {
  readonly value: T;
  readonly etag: string | undefined;
}

const readOf = async <T>(response: Response): Promise<Read<T>> => ({
  value: (await response.json()) as T,
  etag: strongEtag(response.headers.get('etag')),
});

/** The member routes and the search, asked with the member's own token. */
export interface Api {
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  read<T>(path: string, signal?: AbortSignal): Promise<Read<T>>;
  /**
   * Writes, on the condition that the service still has the version with this entity tag. Resolves with what the service
   * has now, where it gives that. Rejects with a `Problem` of code `precondition-failed` when there is another version.
   */
  send<T>(method: 'PUT' | 'PATCH', path: string, body: unknown, etag: string | undefined): Promise<Read<T> | undefined>;
  pdf(path: string): Promise<Blob>;
  /** The answer as it comes: server-sent events. */
  stream(path: string, body: unknown, signal: AbortSignal): Promise<Response>;
}

export const createApi = (baseUrl: string, token: string | undefined, onUnauthenticated: () => void): Api => {
  const ask = async (path: string, { headers, ...init }: RequestInit = {}): Promise<Response> => {
    const response = await fetch(baseUrl + path, {
      ...init,
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...(headers as object) },
    }).catch((error: unknown) => {
      throw init.signal?.aborted ? error : unreachable();
    });
    if (response.ok) return response;
    if (response.status === 401) onUnauthenticated();
    throw await problemIn(response);
  };
  const asJson = { 'content-type': 'application/json' };
  return {
    get: async <T>(path: string, signal?: AbortSignal) =>
      (await ask(path, { ...(signal && { signal }) })).json() as Promise<T>,
    read: async <T>(path: string, signal?: AbortSignal) => readOf<T>(await ask(path, { ...(signal && { signal }) })),
    send: async <T>(method: string, path: string, body: unknown, etag: string | undefined) => {
      const headers = { ...asJson, ...(etag !== undefined && { 'if-match': etag }) };
      const response = await ask(path, { method, headers, body: JSON.stringify(body) });
      return response.status === 204 ? undefined : readOf<T>(response);
    },
    pdf: async (path) => (await ask(path, { headers: { accept: 'application/pdf' } })).blob(),
    stream: (path, body, signal) =>
      ask(path, {
        method: 'POST',
        headers: { ...asJson, accept: 'text/event-stream' },
        body: JSON.stringify(body),
        signal,
      }),
  };
};

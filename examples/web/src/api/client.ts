import { problemIn, unreachable } from './problem.ts';

/** The member routes and the search, asked with the member's own token. */
export interface Api {
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  send<T>(method: 'PUT' | 'PATCH', path: string, body: unknown): Promise<T>;
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
    send: async <T>(method: string, path: string, body: unknown) =>
      (await ask(path, { method, headers: asJson, body: JSON.stringify(body) })).json() as Promise<T>,
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

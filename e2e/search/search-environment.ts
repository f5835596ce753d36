import { startEnvironment, type Environment } from '@portico/demo/environment';

interface SearchResult {
  readonly elapsed_ms: number;
  readonly moa: OnSearch | null;
  readonly mh: OnSearch | null;
  readonly errors?: Readonly<Record<string, { readonly kind: string; readonly detail: string }>>;
  readonly traces: Readonly<Record<string, { readonly transaction_id: string; readonly elapsed_ms: number }>>;
}

export interface OnSearch {
  readonly context: { readonly domain: string; readonly bpp_id: string; readonly transaction_id: string };
  readonly message: { readonly catalog: Readonly<Record<string, readonly { readonly items: readonly object[] }[]>> };
}

interface Health {
  readonly pending: number;
  readonly callbacks: Readonly<Record<string, number>>;
}

interface Limits {
  readonly timeoutMs: number;
  readonly ackTimeoutMs: number;
}

export interface SearchEnvironment extends Environment {
  post(accept: string, query?: string, signal?: AbortSignal): Promise<Response>;
  search(query?: string): Promise<SearchResult>;
  health(): Promise<Health>;
  /** Clears the faults of both networks. */
  clearFaults(): Promise<void>;
}

/** Starts an environment with these limits of a search. */
export const startSearchEnvironment = async (limits: Limits): Promise<SearchEnvironment> => {
  const environment = await startEnvironment({ settings: () => ({ search: limits }) });
  const { url } = environment.portico;
  const post: SearchEnvironment['post'] = (accept, query = 'health', signal) =>
    fetch(`${url}/api/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ persona: 'member', query, user_id: 'demo' }),
      ...(signal && { signal }),
    });
  return {
    ...environment,
    post,
    search: async (query) => (await post('application/json', query)).json() as Promise<SearchResult>,
    health: async () => (await (await fetch(`${url}/health`)).json()) as Health,
    clearFaults: async () => {
      const { moa, mh } = environment.sandbox.search;
      const wellBehaved = { fault: null, delayMs: [5, 20] } as const;
      await Promise.all([moa.setBehaviour(wellBehaved), mh.setBehaviour(wellBehaved), mh.gateway.setFault(null)]);
    },
  };
};

import { setTimeout as pause } from 'node:timers/promises';

/** A callback that the seller sent. */
export interface SentCallback {
  /** Of the search it belongs to, even if the body has another one. */
  readonly transactionId: string;
  /** Status of the buyer's response; `null` without a response. */
  readonly status: number | null;
  readonly error?: string;
  readonly at: Date;
}

export interface Callbacks {
  /** Oldest first; the newest 10 000 are kept. */
  readonly sent: readonly SentCallback[];
  /** Sends the callbacks of a search and records them. An exception is recorded, too; never rejects. */
  forSearch(transactionId: string, run: (post: PostCallback) => Promise<void>): Promise<void>;
  /** Resolves with all callbacks of a search when no more will follow. */
  done(transactionId: string): Promise<readonly SentCallback[]>;
  /** Rejects if closed in the meantime. */
  pause(ms: number): Promise<void>;
  /** Cancels pending callbacks and aborts those in flight. */
  close(): void;
}

export type PostCallback = (url: string, body: Uint8Array<ArrayBuffer>, authorization?: string) => Promise<void>;

type Outcome = Pick<SentCallback, 'status' | 'error'>;

const maxCallbacks = 10_000;
const responseTimeoutMs = 10_000;

export const callbacks = (): Callbacks => {
  const closing = new AbortController();
  const sent: SentCallback[] = [];
  const searches = new Map<string, PromiseWithResolvers<readonly SentCallback[]>>();

  const search = (transactionId: string) => {
    const known = searches.get(transactionId);
    if (known) return known;
    const made = Promise.withResolvers<readonly SentCallback[]>();
    if (closing.signal.aborted) made.resolve([]);
    searches.set(transactionId, made);
    const oldest = searches.size > maxCallbacks ? searches.keys().next().value : undefined;
    if (oldest !== undefined) searches.delete(oldest);
    return made;
  };

  const post = async (...[url, body, authorization]: Parameters<PostCallback>): Promise<Outcome> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
        redirect: 'manual',
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(responseTimeoutMs)]),
      });
      await response.arrayBuffer();
      return { status: response.status };
    } catch (error) {
      return { status: null, error: String((error as Error).cause ?? error) };
    }
  };

  return {
    sent,
    async forSearch(transactionId, run) {
      const { resolve } = search(transactionId);
      const own: SentCallback[] = [];
      const record = (outcome: Outcome) => {
        const one = { transactionId, ...outcome, at: new Date() };
        own.push(one);
        sent.push(one);
        if (sent.length > maxCallbacks) sent.shift();
      };
      await run(async (...callback) => record(await post(...callback))).catch((error: unknown) => {
        if (!closing.signal.aborted) record({ status: null, error: String(error) });
      });
      resolve(own);
    },
    done: (transactionId) => search(transactionId).promise,
    pause: (ms) => pause(ms, undefined, { signal: closing.signal, ref: false }),
    close() {
      closing.abort();
      for (const { resolve } of searches.values()) resolve([]);
    },
  };
};

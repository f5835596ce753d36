import { setTimeout as pause } from 'node:timers/promises';

/** One callback that left the seller. */
export interface SentCallback {
  /** Of the search it answers, whatever the body says. */
  readonly transactionId: string;
  /** What the buyer answered; `null` when there was no answer. */
  readonly status: number | null;
  readonly error?: string;
  readonly at: Date;
}

export interface Callbacks {
  /** Oldest first; the newest 10 000 are kept. */
  readonly sent: readonly SentCallback[];
  /** Runs what a search leads to. Its callbacks are recorded, and so is what it throws; nothing comes out. */
  forSearch(transactionId: string, run: (post: PostCallback) => Promise<void>): Promise<void>;
  /** Resolves with the callbacks of a search, arrived already or not, once no more will follow. */
  done(transactionId: string): Promise<readonly SentCallback[]>;
  /** Rejects when closed meanwhile. */
  pause(ms: number): Promise<void>;
  /** Drops what is still to be sent and cuts what is being sent. */
  close(): void;
}

export type PostCallback = (url: string, body: Uint8Array<ArrayBuffer>, authorization?: string) => Promise<void>;

type Outcome = Pick<SentCallback, 'status' | 'error'>;

const kept = 10_000;
const answerWithinMs = 10_000;

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
    const oldest = searches.size > kept ? searches.keys().next().value : undefined;
    if (oldest !== undefined) searches.delete(oldest);
    return made;
  };

  const post = async (...[url, body, authorization]: Parameters<PostCallback>): Promise<Outcome> => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
        redirect: 'manual',
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(answerWithinMs)]),
      });
      await answer.arrayBuffer();
      return { status: answer.status };
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
        if (sent.length > kept) sent.shift();
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

import { randomUUID } from 'node:crypto';
import type { FaultyServer } from '../faults.ts';
import { type Callbacks, type PostCallback, type SentCallback, callbacks } from './callbacks.ts';
import { type Envelope, parseEnvelope } from './envelope.ts';
import { type Answer, json } from './post.ts';

/** How a seller may disappoint its buyer. */
export const sellerFaults = [
  /** Acknowledges and never calls back. */
  'silent',
  /** Answers NACK, with status 200. */
  'nack',
  'status-500',
  /** Nothing listens where the buyer posts its search. */
  'refused',
  /** Acknowledges after `slowAckMs`; the callback follows as usual. */
  'slow-ack',
  'two-callbacks',
  /** Acknowledges once the buyer answered the callback. */
  'callback-before-ack',
  /** Calls back after `lateMs`. */
  'late-callback',
  /** Calls back under a random transaction_id. */
  'wrong-transaction',
  /** The callback has exactly `hugeBytes` bytes (never less than its catalog needs) and is valid. */
  'huge-catalog',
  /** The callback ends in the middle. */
  'broken-json',
  /** Signs as itself with a key that the registry does not know. A seller that signs nothing is not affected. */
  'wrong-signature',
] as const;

export type SellerFault = (typeof sellerFaults)[number];

export interface SellerBehaviour {
  /** The callback follows the acknowledgement after a time between these two. */
  readonly delayMs: readonly [least: number, most: number];
  readonly fault: SellerFault | null;
  readonly slowAckMs: number;
  readonly lateMs: number;
  readonly hugeBytes: number;
}

export interface BehaviourOptions {
  readonly delayMs?: SellerBehaviour['delayMs'];
  /** Chooses the delay: 0 the least, just under 1 the most. */
  readonly random?: () => number;
}

/** What differs from one seller to the next. */
export interface Trade {
  /** What stands under `message.ack`. */
  ack(status: 'ACK' | 'NACK'): unknown;
  callbackUrl(bapUri: string): string;
  onSearch(envelope: Envelope): OnSearch;
  /** The Authorization of a callback; `forged`: with a key that is not the seller's. */
  sign?(body: Uint8Array, forged: boolean): string;
}

interface OnSearch {
  readonly context: Envelope['context'];
  readonly message: { readonly catalog: unknown };
}

export interface BehavingSeller {
  /** Takes the search and answers for it; the callback follows by itself. */
  search(bytes: Buffer): Promise<Answer>;
  readonly behaviour: SellerBehaviour;
  change(to: Partial<SellerBehaviour>): void;
  readonly callbacks: Callbacks;
}

export const sellerWithFaults = (
  { ack, callbackUrl, onSearch, sign }: Trade,
  { delayMs = [800, 2500], random = Math.random }: BehaviourOptions = {},
): BehavingSeller => {
  // The defaults are past what a buyer allows by default: 5 s for the ACK, 10 s for the callback, 5 MiB.
  let behaviour: SellerBehaviour = {
    delayMs,
    fault: null,
    slowAckMs: 8_000,
    lateMs: 15_000,
    hugeBytes: 6 * 1024 * 1024,
  };
  const outbox = callbacks();

  const bodyOf = (envelope: Envelope, { fault, hugeBytes }: SellerBehaviour): Uint8Array<ArrayBuffer> => {
    const { context, message } = onSearch(envelope);
    const transaction_id = fault === 'wrong-transaction' ? randomUUID() : context.transaction_id;
    const body = JSON.stringify({ context: { ...context, transaction_id }, message });
    if (fault === 'broken-json') return Buffer.from(body.slice(0, body.length / 2));
    return Buffer.from(fault === 'huge-catalog' ? padded(body, hugeBytes) : body);
  };

  const callBack = async (envelope: Envelope, current: SellerBehaviour, post: PostCallback): Promise<void> => {
    const { fault, lateMs } = current;
    if (fault === 'nack' || fault === 'status-500' || fault === 'silent') return;
    const [least, most] = current.delayMs;
    const delay = least + random() * (most - least);
    if (fault !== 'callback-before-ack') await outbox.pause(fault === 'late-callback' ? lateMs : delay);
    const body = bodyOf(envelope, current);
    const authorization = sign?.(body, fault === 'wrong-signature');
    for (let left = fault === 'two-callbacks' ? 2 : 1; left > 0; left -= 1)
      await post(callbackUrl(envelope.context.bap_uri), body, authorization);
  };

  const search = async (bytes: Buffer): Promise<Answer> => {
    const envelope = parseEnvelope(bytes);
    if (!envelope) return refusal(ack, 400, 'not a search');
    const current = behaviour; // a search ends under the behaviour it began with
    const { fault } = current;
    if (fault === 'slow-ack') await outbox.pause(current.slowAckMs);
    const calledBack = outbox.forSearch(envelope.context.transaction_id, (post) => callBack(envelope, current, post));
    if (fault === 'callback-before-ack') await calledBack;
    if (fault === 'nack') return refusal(ack, 200, 'no searches today');
    if (fault === 'status-500') return json({ error: 'internal-seller-detail' }, 500);
    return json({ message: { ack: ack('ACK') } });
  };

  return {
    search,
    get behaviour() {
      return behaviour;
    },
    change(to) {
      behaviour = { ...behaviour, ...to };
    },
    callbacks: outbox,
  };
};

/** The seller as whoever plays with it sees it; `door` is the server that the buyer reaches. */
export interface Seller {
  readonly server: FaultyServer;
  /** Also its `bpp_uri`. */
  readonly url: string;
  readonly bppId: string;
  readonly behaviour: SellerBehaviour;
  /** Resolves when it is in force for new searches. */
  setBehaviour(change: Partial<SellerBehaviour>): Promise<void>;
  /** Every callback sent, oldest first; the newest 10 000 are kept. */
  readonly callbacks: readonly SentCallback[];
  /** Resolves with the callbacks of a search, arrived already or not, once no more will follow. */
  callbackDone(transactionId: string): Promise<readonly SentCallback[]>;
}

export const sellerBehind = (
  door: FaultyServer,
  { seller, server, bppId }: { readonly seller: BehavingSeller; readonly server: FaultyServer; readonly bppId: string },
): Seller => ({
  server,
  url: server.url,
  bppId,
  get behaviour() {
    return seller.behaviour;
  },
  async setBehaviour(change) {
    const was = seller.behaviour.fault;
    seller.change(change);
    const { fault } = seller.behaviour;
    if (fault === 'refused') await door.setFault({ kind: 'refuse' });
    else if (was === 'refused') await door.setFault(null);
  },
  callbacks: seller.callbacks.sent,
  callbackDone: seller.callbacks.done,
});

const refusal = (ack: Trade['ack'], status: number, message: string): Answer =>
  json({ message: { ack: ack('NACK') }, error: { code: '40000', message } }, status);

const padded = (body: string, bytes: number): string => {
  const open = `${body.slice(0, -1)},"padding":"`;
  return `${open}${'x'.repeat(Math.max(0, bytes - Buffer.byteLength(open) - 2))}"}`;
};

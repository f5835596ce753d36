import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FaultyServer } from '../faults.ts';
import { type Callbacks, type PostCallback, type SentCallback, callbacks } from './callbacks.ts';
import { type Envelope, parseEnvelope } from './envelope.ts';
import { type Reply, json } from './routes.ts';

/** Faults of a seller. */
export const sellerFaults = [
  /** Acknowledges and never calls back. */
  'silent',
  /** Responds with NACK and status 200. */
  'nack',
  'status-500',
  /** Closes the port that the buyer posts its search to. */
  'refused',
  /** Acknowledges after `slowAckMs`; the callback follows as usual. */
  'slow-ack',
  'two-callbacks',
  /** Acknowledges after the buyer responded to the callback. */
  'callback-before-ack',
  /** Calls back after `lateMs`. */
  'late-callback',
  /** Calls back with a random `transaction_id`. */
  'wrong-transaction',
  /** Sends a valid callback of exactly `hugeBytes` bytes, or more if its catalog needs more. */
  'huge-catalog',
  /** Sends half of the callback's JSON. */
  'broken-json',
  /** Signs with an unregistered key. Has no effect on a seller that signs nothing. */
  'wrong-signature',
  /** Calls back once, with `error` instead of `message`. */
  'error-callback',
] as const;

export type SellerFault = (typeof sellerFaults)[number];

export interface SellerBehaviour {
  /** Range of the delay between acknowledgement and callback. */
  readonly delayMs: readonly [least: number, most: number];
  readonly fault: SellerFault | null;
  readonly slowAckMs: number;
  readonly lateMs: number;
  readonly hugeBytes: number;
}

export interface BehaviourOptions {
  readonly delayMs?: SellerBehaviour['delayMs'];
  /** Chooses the delay: 0 for the shortest, just under 1 for the longest. */
  readonly random?: () => number;
}

/** What differs between sellers. */
export interface Trade {
  /** The value of `message.ack`. */
  ack(status: 'ACK' | 'NACK'): unknown;
  callbackUrl(bapUri: string): string;
  /** Default: reads a search of Beckn 1.1. */
  parse?(bytes: Buffer): Envelope | undefined;
  /** The bodies of the callbacks, in order. */
  onSearch(envelope: Envelope): readonly OnSearch[];
  /**
   * The `Authorization` header of a callback; `forged`: signed with another key than the seller's. `request` is the header
   * of the search.
   */
  sign?(body: Uint8Array, forged: boolean, request: string | undefined): string;
}

export interface OnSearch {
  readonly context: object;
  readonly message: object;
}

export interface BehavingSeller {
  /** Handles a search and returns the acknowledgement; callbacks follow in the background. */
  search(bytes: Buffer, headers?: IncomingHttpHeaders): Promise<Reply>;
  readonly behaviour: SellerBehaviour;
  readonly searches: number;
  change(to: Partial<SellerBehaviour>): void;
  readonly callbacks: Callbacks;
}

export const sellerWithFaults = (
  { ack, callbackUrl, onSearch, parse = parseEnvelope, sign }: Trade,
  { delayMs = [800, 2500], random = Math.random }: BehaviourOptions = {},
): BehavingSeller => {
  // The defaults exceed the default limits of a buyer: 5 s for the ACK, 10 s for the callback, 5 MiB.
  let behaviour: SellerBehaviour = {
    delayMs,
    fault: null,
    slowAckMs: 8_000,
    lateMs: 15_000,
    hugeBytes: 6 * 1024 * 1024,
  };
  let searches = 0;
  const outbox = callbacks();

  const bodiesOf = (
    { context, message }: Envelope,
    { fault, hugeBytes }: SellerBehaviour,
  ): readonly Uint8Array<ArrayBuffer>[] => {
    const transaction_id = fault === 'wrong-transaction' ? randomUUID() : context.transaction_id;
    const replies = onSearch({ context: { ...context, transaction_id }, message });
    const sent = fault === 'error-callback' ? replies.slice(0, 1).map(withError) : replies;
    return sent.map((reply) => {
      const body = JSON.stringify(reply);
      if (fault === 'broken-json') return Buffer.from(body.slice(0, body.length / 2));
      return Buffer.from(fault === 'huge-catalog' ? padded(body, hugeBytes) : body);
    });
  };

  const callBack = async (
    envelope: Envelope,
    current: SellerBehaviour,
    post: PostCallback,
    request: string | undefined,
  ): Promise<void> => {
    const { fault, lateMs } = current;
    if (fault === 'nack' || fault === 'status-500' || fault === 'silent') return;
    const [least, most] = current.delayMs;
    for (const body of bodiesOf(envelope, current)) {
      const delay = least + random() * (most - least);
      if (fault !== 'callback-before-ack') await outbox.pause(fault === 'late-callback' ? lateMs : delay);
      const authorization = sign?.(body, fault === 'wrong-signature', request);
      for (let remaining = fault === 'two-callbacks' ? 2 : 1; remaining > 0; remaining -= 1)
        await post(callbackUrl(envelope.context.bap_uri), body, authorization);
    }
  };

  const search: BehavingSeller['search'] = async (bytes, { authorization: request } = {}) => {
    const envelope = parse(bytes);
    if (!envelope) return refusal(ack, 400, 'not a search');
    const current = behaviour; // changes apply to later searches only
    searches++;
    const { fault } = current;
    if (fault === 'slow-ack') await outbox.pause(current.slowAckMs);
    const calledBack = outbox.forSearch(envelope.context.transaction_id, (post) =>
      callBack(envelope, current, post, request),
    );
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
    get searches() {
      return searches;
    },
    change(to) {
      behaviour = { ...behaviour, ...to };
    },
    callbacks: outbox,
  };
};

/** A seller with controls for its faults. */
export interface Seller {
  readonly server: FaultyServer;
  /** Its `bpp_uri`, too. */
  readonly url: string;
  readonly bppId: string;
  readonly behaviour: SellerBehaviour;
  /** Number of searches received. Each keeps the behaviour at its arrival. */
  readonly searches: number;
  /** Resolves when the change is effective for new searches. */
  setBehaviour(change: Partial<SellerBehaviour>): Promise<void>;
  /** Every callback sent, oldest first; the newest 10 000 are kept. */
  readonly callbacks: readonly SentCallback[];
  /** Resolves with all callbacks of a search when no more will follow. */
  callbackDone(transactionId: string): Promise<readonly SentCallback[]>;
}

/** `entry` is the server that the buyer connects to. */
export const sellerBehind = (
  entry: FaultyServer,
  { seller, server, bppId }: { readonly seller: BehavingSeller; readonly server: FaultyServer; readonly bppId: string },
): Seller => ({
  server,
  url: server.url,
  bppId,
  get behaviour() {
    return seller.behaviour;
  },
  get searches() {
    return seller.searches;
  },
  async setBehaviour(change) {
    const was = seller.behaviour.fault;
    seller.change(change);
    const { fault } = seller.behaviour;
    if (fault === 'refused') await entry.setFault({ kind: 'refuse' });
    else if (was === 'refused') await entry.setFault(null);
  },
  callbacks: seller.callbacks.sent,
  callbackDone: seller.callbacks.done,
});

const refusal = (ack: Trade['ack'], status: number, message: string): Reply =>
  json({ message: { ack: ack('NACK') }, error: { code: '40000', message } }, status);

const withError = ({ context }: OnSearch) => ({
  context,
  error: { type: 'DOMAIN-ERROR', code: '30004', message: 'The shop is closed today' },
});

const padded = (body: string, bytes: number): string => {
  const open = `${body.slice(0, -1)},"padding":"`;
  return `${open}${'x'.repeat(Math.max(0, bytes - Buffer.byteLength(open) - 2))}"}`;
};

import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { type Failure, invalid, unauthenticated } from '../../shared/failure.ts';
import { nestsDeeperThan } from '../../shared/json-scan.ts';
import { isObject } from '../../shared/request-body.ts';
import type { CallbackExchange, CallbackFate } from './callback-exchange.port.ts';
import type { CallbackVerifier } from './callback-verifier.port.ts';

/** Catalogs may be nested deeper than request bodies of members. */
const maxDepth = 128;

/** An `on_search` callback as it arrived. */
export interface ReceivedCallback {
  /** The body as a string; undefined when it is not valid UTF-8. */
  readonly text: string | undefined;
  /** The body's bytes, which the signature covers. Required only for legs with `verifyCallbacks`. */
  readonly bytes?: Uint8Array;
  /** The `Authorization` header; undefined when there is none. */
  readonly authorization?: string | undefined;
}

/**
 * Parses an `on_search` callback and delivers it to the leg with its `transaction_id`. Fails `invalid` when it is not
 * an `on_search` callback, and `unauthenticated` when the leg has `verifyCallbacks` and the signature is not the
 * seller's (contract, section 5). The registry is called only when such a leg waits, so that unsolicited callbacks do
 * not load it.
 */
export type ReceiveCallback = (callback: ReceivedCallback) => ResultAsync<CallbackFate, Failure>;

/** The number of callbacks by outcome. */
export type CallbackCounts = Readonly<Record<CallbackFate | 'rejected', number>>;

export const callbackCounter = () => {
  const counts = { delivered: 0, duplicate: 0, late: 0, unknown: 0, rejected: 0 };
  return {
    count: (outcome: keyof typeof counts) => {
      counts[outcome]++;
    },
    counts: (): CallbackCounts => ({ ...counts }),
  };
};

export const receiveCallback =
  (
    exchange: CallbackExchange,
    verifier: CallbackVerifier | undefined,
    counter: ReturnType<typeof callbackCounter>,
  ): ReceiveCallback =>
  (callback) =>
    readContext(callback.text)
      .asyncAndThen((context) => deliver(exchange, verifier, callback, context))
      .andTee((outcome) => counter.count(outcome))
      .orTee(() => counter.count('rejected'));

const deliver = (
  exchange: CallbackExchange,
  verifier: CallbackVerifier | undefined,
  callback: ReceivedCallback,
  { transactionId, sellerId, text }: CallbackContext,
): ResultAsync<CallbackFate, Failure> =>
  exchange.offer(transactionId, text).andThen((outcome) =>
    outcome === 'unverified'
      ? verifySeller(verifier, callback, sellerId)
          .andThen(() => exchange.offer(transactionId, text, true))
          .andThen((verified) => (verified === 'unverified' ? err(unauthenticated('invalid')) : ok(verified)))
      : okAsync(outcome),
  );

/** Fails unless the signature over the callback's bytes is valid and is the seller's. */
export const verifySeller = (
  verifier: CallbackVerifier | undefined,
  { bytes, authorization }: ReceivedCallback,
  sellerId: unknown,
): ResultAsync<undefined, Failure> =>
  verifier && bytes
    ? verifier
        .verify(authorization, bytes)
        .andThen(({ subscriberId }) => (subscriberId === sellerId ? ok(undefined) : err(unauthenticated('invalid'))))
    : errAsync(unauthenticated('missing'));

interface CallbackContext {
  readonly transactionId: string;
  readonly sellerId: unknown;
  readonly text: string;
}

/**
 * Reads the context and discards the rest: parsed JSON may take twenty times the memory of its text, and a callback
 * may wait for the registry or for Redis.
 */
export const readContext = (text: string | undefined): Result<CallbackContext, Failure> => {
  const body = text === undefined || nestsDeeperThan(maxDepth, text) ? undefined : parse(text);
  if (text === undefined || !body)
    return refuse('', `must be valid JSON in UTF-8, not nested more than ${maxDepth} levels deep`);
  const context = isObject(body.value) ? body.value['context'] : undefined;
  const { transaction_id: transactionId, action, bpp_id: sellerId } = isObject(context) ? context : {};
  if (typeof transactionId !== 'string' || transactionId === '' || transactionId.length > 256)
    return refuse('/context/transaction_id', 'must be a string of 1 to 256 characters');
  if (action !== 'on_search') return refuse('/context/action', 'must be on_search');
  return ok({ transactionId, sellerId, text });
};

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
};

const refuse = (path: string, message: string): Result<never, Failure> =>
  err(invalid('Not a valid on_search callback.', { path, message }));

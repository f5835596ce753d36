import { err, errAsync, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import { type Failure, invalid, unauthenticated } from '../../shared/failure.ts';
import { type CallbackContext, readContext } from './callback-context.ts';
import type { CallbackExchange, CallbackFate } from './callback-exchange.port.ts';
import type { CallbackVerifier } from './callback-verifier.port.ts';

/** An `on_search` or `on_discover` callback as it arrived. */
export interface ReceivedCallback {
  /** The body as a string; undefined when it is not valid UTF-8. */
  readonly text: string | undefined;
  /** The body's bytes, which the signature covers. Required only for legs with `verifyCallbacks`. */
  readonly bytes?: Uint8Array;
  /** The `Authorization` header; undefined when there is none. */
  readonly authorization?: string | undefined;
}

/** `full`: the leg has as much as it may collect, so that the callback was refused (contract, section 13). */
export type ReceivedOutcome = CallbackFate | 'full';

/**
 * Parses a callback and delivers it to the leg with its `transaction_id`. Fails `invalid` when it is not an
 * `on_search` or `on_discover` callback, or not one of the message that a strict leg has sent, and `unauthenticated` when the leg has
 * `verifyCallbacks` and the signature is not the seller's (contract, sections 5 and 13). The registry is called only
 * when such a leg waits, so that unsolicited callbacks do not load it.
 */
export type ReceiveCallback = (callback: ReceivedCallback) => ResultAsync<ReceivedOutcome, Failure>;

/**
 * The number of callbacks by outcome. A `mismatched` callback is also counted as `delivered`, or as `rejected` for a
 * strict leg.
 */
export type CallbackCounts = Readonly<Record<CallbackFate | 'rejected' | 'mismatched', number>>;

export const callbackCounter = () => {
  const counts = { delivered: 0, duplicate: 0, late: 0, unknown: 0, rejected: 0, mismatched: 0 };
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
  (callback) => {
    const received = readContext(callback.text)
      .asyncAndThen((context) => deliver(exchange, verifier, callback, context))
      .andThen((outcome) => {
        if (outcome !== 'mismatched') return ok(outcome);
        counter.count('mismatched');
        return err(
          invalid('The callback belongs to another message.', {
            path: '/context',
            message: 'must have the message_id, bap_id and domain of the search',
          }),
        );
      });
    // Not `andTee` and `orTee`: neverthrow runs each of them in a generator.
    const counted = async (): Promise<Result<ReceivedOutcome, Failure>> => {
      const result = await received;
      counter.count(result.isErr() || result.value === 'full' ? 'rejected' : result.value);
      return result;
    };
    return new ResultAsync(counted());
  };

const deliver = (
  exchange: CallbackExchange,
  verifier: CallbackVerifier | undefined,
  callback: ReceivedCallback,
  context: CallbackContext,
): ResultAsync<ReceivedOutcome | 'mismatched', Failure> => {
  const { text = '' } = callback;
  return exchange.offer(context.transactionId, text, { context }).andThen((outcome) =>
    outcome === 'unverified'
      ? verifySeller(verifier, callback, context.sellerId)
          .andThen(() => exchange.offer(context.transactionId, text, { context, isVerified: true }))
          .andThen((verified) => (verified === 'unverified' ? err(unauthenticated('invalid')) : ok(verified)))
      : okAsync(outcome),
  );
};

/** Fails unless the signature over the callback's bytes is valid and is the seller's. */
export const verifySeller = (
  verifier: CallbackVerifier | undefined,
  { bytes, authorization }: ReceivedCallback,
  sellerId: unknown,
): ResultAsync<undefined, Failure> => {
  if (!verifier || !bytes) return errAsync(unauthenticated('missing'));
  if (typeof sellerId !== 'string') return errAsync(unauthenticated('invalid'));
  return verifier
    .verify(authorization, bytes, sellerId)
    .andThen(({ subscriberId }) => (subscriberId === sellerId ? ok(undefined) : err(unauthenticated('invalid'))));
};

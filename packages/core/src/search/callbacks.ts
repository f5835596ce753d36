import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { type Failure, invalid, unauthenticated } from '../shared/failure.ts';
import type { Json } from '../shared/json.ts';
import { isObject } from '../shared/request-body.ts';
import type { CallbackExchange, CallbackFate } from './callback-exchange.port.ts';
import type { CallbackVerifier, Signer } from './callback-verifier.port.ts';
import type { Leg } from './leg.ts';

/** What is known of a callback's signature before its body is read. */
export type Verification = { readonly signer: Signer } | { readonly failure: Failure } | 'not-asked';

/**
 * Checks the signature of the bytes that came, before they are parsed. Never fails: who sent it may not matter. With
 * `text`, the body decoded, the registry is asked only when a leg that wants signatures waits under a transaction id in
 * it: neither strangers nor the other legs' sellers can keep it busy.
 */
export type VerifyCallback = (
  authorization: string | undefined,
  body: Uint8Array,
  text?: string,
) => Promise<Verification>;

export const verifyCallback = (
  exchange: CallbackExchange,
  legs: readonly Leg[],
  verifier: CallbackVerifier | undefined,
): VerifyCallback => {
  const verifying = legsThatVerify(legs);
  const legOf = async (transactionId: string) => (await exchange.legOf(transactionId)).unwrapOr(undefined);
  return async (authorization, body, text) => {
    if (!verifier || verifying.size === 0) return 'not-asked';
    if (text !== undefined) {
      const waiting = await Promise.all(transactionIdsIn(text).map(legOf));
      if (!waiting.some((leg) => leg !== undefined && verifying.has(leg))) return 'not-asked';
    }
    return verifier.verify(authorization, body).match<Verification>(
      (signer) => ({ signer }),
      (failure) => ({ failure }),
    );
  };
};

const legsThatVerify = (legs: readonly Leg[]): ReadonlySet<string> =>
  new Set(legs.filter((leg) => leg.verifyCallbacks).map((leg) => leg.id));

/** A cheap read: whatever looks like one, wherever it stands. The context's own is among them. */
const transactionIdsIn = (text: string): readonly string[] => {
  const ids: string[] = [];
  for (const [, id = ''] of text.matchAll(/"transaction_id"\s*:\s*"([^"\\]{1,256})"/g)) if (ids.push(id) === 10) break;
  return ids;
};

/**
 * Takes an `on_search` callback: `body` is undefined when it was not JSON. Fails `invalid` when it is no callback, and
 * as the verification did when the leg that waits for it wants a signature.
 */
export type ReceiveCallback = (
  body: Json | undefined,
  verification?: Verification,
) => ResultAsync<CallbackFate, Failure>;

/** How many callbacks came to what. */
export type CallbackCounts = Readonly<Record<CallbackFate | 'rejected', number>>;

export const callbackCounter = () => {
  const counts = { delivered: 0, duplicate: 0, late: 0, unknown: 0, rejected: 0 };
  return {
    count: (fate: keyof typeof counts) => {
      counts[fate]++;
    },
    counts: (): CallbackCounts => ({ ...counts }),
  };
};

export const receiveCallback = (
  exchange: CallbackExchange,
  legs: readonly Leg[],
  counter: ReturnType<typeof callbackCounter>,
): ReceiveCallback => {
  const verifying = legsThatVerify(legs);
  return (body, verification = 'not-asked') => {
    const taken = readContext(body).asyncAndThen(({ transactionId, sellerId, callback }) => {
      const trusted =
        verifying.size === 0
          ? okAsync(undefined)
          : exchange
              .legOf(transactionId)
              .andThen((legId) =>
                legId !== undefined && verifying.has(legId) ? vouchedFor(verification, sellerId) : okAsync(undefined),
              );
      return trusted.andThen(() => exchange.offer(transactionId, callback));
    });
    return taken.andTee((fate) => counter.count(fate)).orTee(() => counter.count('rejected'));
  };
};

/** The signature is good, and it is the seller's own. */
const vouchedFor = (verification: Verification, sellerId: unknown): ResultAsync<undefined, Failure> => {
  if (verification === 'not-asked') return errAsync(unauthenticated('missing'));
  if ('failure' in verification) return errAsync(verification.failure);
  return verification.signer.subscriberId === sellerId ? okAsync(undefined) : errAsync(unauthenticated('invalid'));
};

interface Callback {
  readonly transactionId: string;
  readonly sellerId: unknown;
  readonly callback: Json;
}

const readContext = (body: Json | undefined): Result<Callback, Failure> => {
  if (!body) return refuse('', 'must be valid JSON in UTF-8, not nested too deep');
  const context = isObject(body.value) ? body.value['context'] : undefined;
  const { transaction_id: transactionId, action, bpp_id: sellerId } = isObject(context) ? context : {};
  if (typeof transactionId !== 'string' || transactionId === '' || transactionId.length > 256)
    return refuse('/context/transaction_id', 'must be a text of 1 to 256 characters');
  if (action !== 'on_search') return refuse('/context/action', 'must be on_search');
  return ok({ transactionId, sellerId, callback: body });
};

const refuse = (path: string, message: string): Result<never, Failure> =>
  err(invalid('This is no on_search callback.', { path, message }));

import { err, fromThrowable, ok, type Result } from 'neverthrow';
import { type Failure, invalid } from '../../shared/failure.ts';
import { nestsDeeperThan } from '../../shared/json/json-scan.ts';
import { isObject } from '../../shared/json/json.ts';
import { readSellerError, type SellerError } from '../catalog.ts';
import { callbackActions } from '../profiles/profiles.ts';
import { contextFields } from '../profiles/context-fields.ts';

/** Catalogs may be nested deeper than request bodies of members. */
export const maxCallbackDepth = 128;

/**
 * What Portico reads of a callback (`on_search`, `on_discover`). Only `transactionId` is validated. Sellers may send
 * anything in the other fields.
 */
export interface CallbackContext {
  readonly transactionId: string;
  /** `bpp_id`, or `provider_id` in UHI. */
  readonly sellerId: unknown;
  readonly messageId: unknown;
  readonly bapId: unknown;
  readonly domain: unknown;
  /** Present when the seller sent an error instead of a catalog. */
  readonly sellerError?: SellerError;
}

/**
 * Reads the context of a callback and discards the rest: parsed JSON may take twenty times the memory of its text, and
 * a callback may wait for the registry or for Redis. Fails `invalid` when it is not a callback of a search.
 */
export const readContext = (text: string | undefined): Result<CallbackContext, Failure> => {
  const body =
    text === undefined || nestsDeeperThan(maxCallbackDepth, text) ? undefined : parse(text).unwrapOr(undefined);
  if (!body) return refuse('', `must be valid JSON in UTF-8, not nested more than ${maxCallbackDepth} levels deep`);
  const { action, transactionId, ...fields } = contextFields(isObject(body.value) ? body.value['context'] : undefined);
  if (typeof transactionId !== 'string' || transactionId === '' || transactionId.length > 256)
    return refuse('/context/transaction_id', 'must be a string of 1 to 256 characters');
  if (!callbackActions.has(action)) return refuse('/context/action', `must be ${[...callbackActions].join(' or ')}`);
  const sellerError = readSellerError(body.value);
  return ok({ transactionId, ...fields, ...(sellerError && { sellerError }) });
};

/** The fields of a search that its callbacks repeat (contract, section 13). */
export type Pairing = Pick<CallbackContext, 'messageId' | 'bapId' | 'domain'>;

/** All fields as one string, to compare them at once. Undefined for a callback without a context. */
export const pairingOf = (context: Pairing | undefined): string | undefined =>
  context && JSON.stringify([context.messageId, context.bapId, context.domain]);

/** Whether a callback has other values than were sent. Fields that the seller left out do not count. */
export const isMismatch = (callback: Pairing, sent: Pairing): boolean =>
  (['messageId', 'bapId', 'domain'] as const).some(
    (name) => callback[name] !== undefined && callback[name] !== sent[name],
  );

const parse = fromThrowable((text: string) => ({ value: JSON.parse(text) as unknown }));

const refuse = (path: string, message: string): Result<never, Failure> =>
  err(invalid('Not a valid search callback.', { path, message }));

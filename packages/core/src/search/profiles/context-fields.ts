import { isObject } from '../../shared/json.ts';

/** The fields of a context that Portico reads, as they are in the message; undefined when missing. */
export interface ContextFields {
  readonly action: unknown;
  readonly transactionId: unknown;
  readonly messageId: unknown;
  readonly bapId: unknown;
  /** The subscriber id of the seller; undefined also when the spellings have different ones. */
  readonly sellerId: unknown;
  readonly domain: unknown;
}

/** Reads the context of a request or callback of any profile: `transaction_id`, or `transactionId` in Beckn 2.0. */
export const contextFields = (context: unknown): ContextFields => {
  const fields = isObject(context) ? context : {};
  return {
    action: fields['action'],
    transactionId: fields['transaction_id'] ?? fields['transactionId'],
    messageId: fields['message_id'] ?? fields['messageId'],
    bapId: fields['bap_id'] ?? fields['bapId'],
    sellerId: sellerIdIn(fields['bpp_id'] ?? undefined, fields['bppId'] ?? undefined),
    domain: fields['domain'],
  };
};

/** The signature of a callback proves one id. Clients may read the other spelling, which would not be verified. */
const sellerIdIn = (snakeCase: unknown, camelCase: unknown): unknown =>
  snakeCase === undefined || camelCase === undefined || snakeCase === camelCase ? (snakeCase ?? camelCase) : undefined;

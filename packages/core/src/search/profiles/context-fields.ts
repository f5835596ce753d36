import { isObject } from '../../shared/json/json.ts';

/** The fields of a context that Portico reads, as they are in the message; undefined when missing. */
interface ContextFields {
  readonly action: unknown;
  readonly transactionId: unknown;
  readonly messageId: unknown;
  readonly bapId: unknown;
  /** The subscriber id of the seller; undefined also when the names of `bpp_id` have different ones. */
  readonly sellerId: unknown;
  readonly domain: unknown;
}

/**
 * Reads the context of a request or callback of any profile: `transaction_id`, or `transactionId` in Beckn 2.0. UHI names
 * the buyer `consumer_id` and the seller `provider_id`.
 */
export const contextFields = (context: unknown): ContextFields => {
  const fields = isObject(context) ? context : {};
  return {
    action: fields['action'],
    transactionId: fields['transaction_id'] ?? fields['transactionId'],
    messageId: fields['message_id'] ?? fields['messageId'],
    bapId: fields['bap_id'] ?? fields['bapId'] ?? fields['consumer_id'] ?? undefined,
    sellerId: sellerIdIn(fields),
    domain: fields['domain'],
  };
};

/** The transaction id in a context; empty when there is none. */
export const transactionIdOf = (context: unknown): string => {
  const { transactionId } = contextFields(context);
  return typeof transactionId === 'string' ? transactionId : '';
};

/** The signature of a callback proves one id. Clients may read `bpp_id` under any name, and another id is not verified. */
const sellerIdIn = (fields: Readonly<Record<string, unknown>>): unknown => {
  const ids = ['bpp_id', 'bppId', 'beckn:bppId'].map((name) => fields[name] ?? undefined);
  const [id, ...others] = ids.filter((one) => one !== undefined);
  if (id === undefined) return fields['provider_id'] ?? undefined;
  return others.every((other) => other === id) ? id : undefined;
};

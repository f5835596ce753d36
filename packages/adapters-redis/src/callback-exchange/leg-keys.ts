/** The keys of a leg in Redis. */
export interface LegKeys {
  /** The state of the leg, as `store-callback.ts` describes it. */
  readonly leg: string;
  /** The callback that its owner has not read; of a leg that collects, a stream of them. */
  readonly callback: string;
  /** Of a leg that collects: the digests of the callbacks that it has accepted, and their number and size. */
  readonly accepted: string;
}

export type KeysOf = (transactionId: string) => LegKeys;

/**
 * The braces put all keys of a leg in the same cluster slot. An id from a callback may contain a brace that would end them
 * early: its keys would have different slots, and the error of Redis would make the exchange unhealthy.
 */
export const legKeys =
  (prefix: string): KeysOf =>
  (transactionId) => {
    const name = `${prefix}{${transactionId.replaceAll(/[%}]/g, encodeURIComponent)}}`;
    return { leg: `${name}:leg`, callback: `${name}:callback`, accepted: `${name}:accepted` };
  };

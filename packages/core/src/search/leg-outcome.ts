import { type Json, parsedOnRead } from '../shared/json/json.ts';
import type { SellerError } from './catalog.ts';
import type { Leg, LegFailure } from './leg.ts';

/** One callback of a leg that collects. */
export interface SellerCallback {
  readonly leg: Leg;
  /** `bpp_id` and `message_id` as the seller sent them; null when they are not strings. */
  readonly sellerId: string | null;
  readonly messageId: string | null;
  /** Whole milliseconds from the start of the search. */
  readonly elapsedMs: number;
  /** The `on_search` body as received; its `value` is parsed at each read. */
  readonly callback: Json;
  /** Present when the seller sent an error instead of a catalog. */
  readonly error?: SellerError;
}

/**
 * The outcome of a leg. `callback` is the full `on_search` body as received; of a leg that collects it is
 * `{"responses": [body, ...]}` with the bodies of the sellers that sent no error, in the order of arrival. Its `value`
 * is parsed at each read.
 */
export type LegOutcome = LegEnd & {
  readonly leg: Leg;
  readonly transactionId: string;
  /** Whole milliseconds from the start of the search. */
  readonly elapsedMs: number;
};

/** What happens in a search: a callback of a leg that collects, or the end of a leg. */
export type SearchEvent =
  | { readonly type: 'callback'; readonly callback: SellerCallback }
  | { readonly type: 'leg'; readonly outcome: LegOutcome };

/** What a leg ended with. */
export type LegEnd = {
  /** All callbacks of a leg that collects, in the order of arrival. */
  readonly sellers?: readonly SellerCallback[];
} & (
  | {
      readonly callback: Json;
      /** The error of the seller, if `callback` is the body of a seller that sent one. */
      readonly sellerError?: SellerError;
    }
  | { readonly error: LegFailure; readonly sellerError?: never }
);

/** The end of a leg that has collected at least one callback (contract, section 13). */
export const collected = (sellers: readonly SellerCallback[]): LegEnd => {
  const responses = sellers.filter(({ error }) => !error).map(({ callback }) => callback);
  if (responses.length === 0)
    return { error: { kind: 'bap_unreachable', detail: 'every seller responded with an error' }, sellers };
  const callback = Object.defineProperties({ [joined]: responses }, joinedText) as unknown as Json;
  return { callback, sellers };
};

const joined = Symbol('joined');

interface Joined {
  readonly [joined]: readonly Json[];
}

/** Joined and parsed at each read, so that a leg does not keep its callbacks twice. One getter for all, as in `parsedOnRead`. */
const joinedText: PropertyDescriptorMap = {
  [joined]: { enumerable: false },
  text: {
    get(this: Joined): string {
      return `{"responses":[${this[joined].map(({ text }) => text).join(',')}]}`;
    },
    enumerable: true,
  },
  value: {
    get(this: Joined): unknown {
      return { responses: this[joined].map(({ text }) => parsedOnRead(text).value) };
    },
    enumerable: true,
  },
};

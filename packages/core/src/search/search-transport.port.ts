import type { ResultAsync } from 'neverthrow';
import type { Signal } from '../runtime/signal.ts';
import type { Json } from '../shared/json.ts';
import type { Envelope } from './envelope.ts';
import type { Leg, LegFailure } from './leg.ts';

/** What a network says to a search at once: it will call back, or here is the catalog already. */
export type Acknowledgement = { readonly outcome: 'ack' } | { readonly outcome: 'catalog'; readonly callback: Json };

/** The way to a network's gateway. */
export interface SearchTransport {
  /**
   * Posts an envelope to the leg's gateway, once. Fails `bap_unreachable` when it was refused (NACK), answered with an
   * error, or never arrived. `signal` gives the post up.
   */
  post(leg: Leg, envelope: Envelope, signal: Signal): ResultAsync<Acknowledgement, LegFailure>;
}

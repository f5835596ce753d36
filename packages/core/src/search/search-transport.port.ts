import type { ResultAsync } from 'neverthrow';
import type { Signal } from '../runtime/signal.ts';
import type { Envelope } from './envelope.ts';
import type { ReceivedCallback } from './callbacks/receive-callback.ts';
import type { Leg, LegFailure } from './leg.ts';

/** A network's immediate response to a search: it will call back, or it sends the catalog already. */
export type Acknowledgement =
  | { readonly outcome: 'ack' }
  | { readonly outcome: 'catalog'; readonly callback: ReceivedCallback & { readonly text: string } };

/** The way to a network's gateway. */
export interface SearchTransport {
  /**
   * Posts an envelope to the leg's gateway, once. Fails `bap_unreachable` when it was refused (NACK), answered with an
   * error, or never arrived. `signal` gives the post up.
   */
  post(leg: Leg, envelope: Envelope, signal: Signal): ResultAsync<Acknowledgement, LegFailure>;
}

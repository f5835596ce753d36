import type { ResultAsync } from 'neverthrow';
import type { Signal } from '../../runtime/signal.ts';
import type { Envelope } from '../envelope.ts';
import type { ReceivedCallback } from '../callbacks/receive-callback.ts';
import type { Leg, LegFailure } from '../leg.ts';

/** A network's synchronous response to a search: an ACK, or the catalog itself. */
export type Acknowledgement =
  | { readonly outcome: 'ack' }
  | { readonly outcome: 'catalog'; readonly callback: ReceivedCallback & { readonly text: string } };

/** Sends searches to the gateways of the networks. */
export interface SearchTransport {
  /**
   * Posts an envelope to the leg's gateway, once. Fails `bap_unreachable` for a NACK, an error response, or no response.
   * `signal` cancels the post.
   */
  post(leg: Leg, envelope: Envelope, signal: Signal): ResultAsync<Acknowledgement, LegFailure>;
}

import { createSignal } from '../runtime/signal.ts';
import { contractSuite, equal, holds } from '../shared/contract.ts';
import { buildEnvelope } from './envelope.ts';
import type { Leg } from './leg.ts';
import type { SearchTransport } from './search-transport.port.ts';

export interface SearchTransportSubject {
  readonly transport: SearchTransport;
  /** A leg whose gateway acknowledges. */
  readonly acking: Leg;
  /** A leg whose gateway refuses with a NACK. */
  readonly nacking: Leg;
  /** A leg at whose address nobody listens. */
  readonly gone: Leg;
}

const post = (transport: SearchTransport, leg: Leg, { signal } = createSignal()) =>
  transport.post(
    leg,
    buildEnvelope(leg, 'contract', { transactionId: 'contract-1', messageId: 'contract-2' }, 0),
    signal,
  );

export const searchTransportContract = contractSuite<SearchTransportSubject>('search transport', {
  'says that a network acknowledged': async ({ transport, acking }) => {
    const result = await post(transport, acking);
    equal(result.isOk() && result.value.outcome, 'ack', 'the outcome');
  },
  'fails as unreachable when a network refuses': async ({ transport, nacking }) => {
    const result = await post(transport, nacking);
    equal(result.isErr() && result.error.kind, 'bap_unreachable', 'the failure');
  },
  'fails as unreachable when nobody listens': async ({ transport, gone }) => {
    const result = await post(transport, gone);
    equal(result.isErr() && result.error.kind, 'bap_unreachable', 'the failure');
  },
  'says in words of its own why it failed': async ({ transport, gone }) => {
    const result = await post(transport, gone);
    const detail = result.isErr() ? result.error.detail : '';
    holds(detail !== '' && !detail.includes(gone.gatewayUrl), 'the detail is there and names no address');
  },
  'gives a post up when nobody wants it any more': async ({ transport, acking }) => {
    const givenUp = createSignal();
    givenUp.abort();
    holds((await post(transport, acking, givenUp)).isErr(), 'the post did not succeed');
  },
});

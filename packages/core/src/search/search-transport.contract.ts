import { createSignal } from '../runtime/signal.ts';
import { contractSuite, equal, check } from '../shared/contract.ts';
import { buildEnvelope } from './envelope.ts';
import type { Leg } from './leg.ts';
import type { SearchTransport } from './search-transport.port.ts';

export interface SearchTransportSubject {
  readonly transport: SearchTransport;
  /** A leg whose gateway acknowledges. */
  readonly acking: Leg;
  /** A leg whose gateway refuses with a NACK. */
  readonly nacking: Leg;
  /** A leg whose gateway refuses connections. */
  readonly gone: Leg;
}

const post = (transport: SearchTransport, leg: Leg, { signal } = createSignal()) =>
  transport.post(
    leg,
    buildEnvelope(leg, 'contract', { transactionId: 'contract-1', messageId: 'contract-2' }, 0),
    signal,
  );

export const searchTransportContract = contractSuite<SearchTransportSubject>('search transport', {
  'reports an acknowledgement as ack': async ({ transport, acking }) => {
    const result = await post(transport, acking);
    equal(result.isOk() && result.value.outcome, 'ack', 'the outcome');
  },
  'fails bap_unreachable for a NACK': async ({ transport, nacking }) => {
    const result = await post(transport, nacking);
    equal(result.isErr() && result.error.kind, 'bap_unreachable', 'the failure');
  },
  'fails bap_unreachable when the connection is refused': async ({ transport, gone }) => {
    const result = await post(transport, gone);
    equal(result.isErr() && result.error.kind, 'bap_unreachable', 'the failure');
  },
  'describes a failure without the gateway URL': async ({ transport, gone }) => {
    const result = await post(transport, gone);
    const detail = result.isErr() ? result.error.detail : '';
    check(
      detail !== '' && !detail.includes(gone.gatewayUrl),
      'the detail is not empty and does not contain the gateway URL',
    );
  },
  'fails a post whose signal is already aborted': async ({ transport, acking }) => {
    const cancelled = createSignal();
    cancelled.abort();
    check((await post(transport, acking, cancelled)).isErr(), 'the post did not succeed');
  },
});

import { canary } from '../../contract/supervision.ts';
import { countingSignal } from '../../contract/counting-signal.ts';
import { CoreSignal, type Signal } from '../../runtime/signal.ts';
import { check, equal } from '../../contract/assertions.ts';
import { contractSuite } from '../../contract/contract-suite.ts';
import { buildEnvelope } from '../envelope.ts';
import type { Leg } from '../leg.ts';
import type { SearchTransport } from './search-transport.port.ts';

export interface SearchTransportSubject {
  readonly transport: SearchTransport;
  /** A leg whose gateway acknowledges. */
  readonly acking: Leg;
  /** A leg whose gateway refuses with a NACK. */
  readonly nacking: Leg;
  /** A leg whose gateway refuses connections. */
  readonly gone: Leg;
  /** A leg whose gateway accepts the post and never responds. */
  readonly silent?: Leg;
  /** A leg whose gateway responds with 200 and something that is not JSON. */
  readonly garbage?: Leg;
  /** A leg whose gateway responds with the catalog. If it is absent, such responses are not tested. */
  readonly catalog?: Leg;
  /** Returns how many posts the gateways have received. If it is absent, posts that are sent twice are not noticed. */
  readonly received?: () => number;
}

const envelopeOf = (leg: Leg) =>
  buildEnvelope(
    { ...leg, ttl: leg.ttl ?? 'PT10S' },
    canary,
    { transactionId: 'contract-1', messageId: 'contract-2' },
    0,
  );

const post = (transport: SearchTransport, leg: Leg, signal: Signal = new CoreSignal()) =>
  transport.post(leg, envelopeOf(leg), signal);

const acknowledges = async (transport: SearchTransport, leg: Leg): Promise<void> => {
  const result = await post(transport, leg);
  equal(result.isOk() && result.value.outcome, 'ack', 'the outcome');
};

const isUnreachable = async (posted: ReturnType<typeof post>): Promise<void> => {
  const result = await posted;
  equal(result.isErr() && result.error.kind, 'bap_unreachable', 'the failure');
};

export const searchTransportContract = contractSuite<SearchTransportSubject>(
  'search transport',
  {
    'reports an acknowledgement as ack': async ({ transport, acking }) => acknowledges(transport, acking),
    'fails bap_unreachable for a NACK': async ({ transport, nacking }) => isUnreachable(post(transport, nacking)),
    'fails bap_unreachable when the connection is refused': async ({ transport, gone }) =>
      isUnreachable(post(transport, gone)),
    'fails bap_unreachable for a response that is not JSON': async ({ transport, garbage }) => {
      if (garbage) await isUnreachable(post(transport, garbage));
    },
    'returns a catalog that is the response of a network': async ({ transport, catalog }) => {
      if (!catalog) return;
      const result = await post(transport, catalog);
      equal(result.isOk() && result.value.outcome, 'catalog', 'the outcome');
      const text = result.isOk() && result.value.outcome === 'catalog' ? result.value.callback.text : '';
      check(text.includes('"catalog'), 'the text contains the catalog');
    },
    'sends each post once': async ({ transport, acking, nacking, garbage, catalog, received }) => {
      if (!received) return;
      const legs = [acking, nacking, garbage, catalog].filter((leg) => leg !== undefined);
      const before = received();
      for (const leg of legs) await post(transport, leg);
      await acknowledges(transport, acking);
      equal(received() - before, legs.length + 1, 'the number of posts that the gateways received');
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
      const cancelled = new CoreSignal();
      cancelled.abort();
      check((await post(transport, acking, cancelled)).isErr(), 'the post did not succeed');
    },
    'fails a post whose signal is aborted while it waits': async ({ transport, silent }) => {
      if (!silent) return;
      const client = new CoreSignal();
      const posted = post(transport, silent, client);
      client.abort();
      check((await posted).isErr(), 'the post did not succeed');
    },
    'keeps no listener on the signal of a post that has settled': async ({ transport, acking, gone }) => {
      const { signal, listeners } = countingSignal();
      await post(transport, acking, signal);
      await post(transport, gone, signal);
      equal(listeners.size, 0, 'the number of listeners');
    },
    'keeps the results of concurrent posts apart': async ({ transport, acking, nacking, gone }) => {
      const posts = [acking, nacking, gone, acking].map((leg) => post(transport, leg));
      const results = await Promise.all(posts.map(async (posted) => (await posted).isOk()));
      equal(results, [true, false, false, true], 'whether each post was acknowledged');
    },
    'posts again to a network after a failure': async ({ transport, acking, nacking, gone }) => {
      await isUnreachable(post(transport, gone));
      await isUnreachable(post(transport, nacking));
      await acknowledges(transport, acking);
    },
    'fails a post to a network after a success': async ({ transport, acking, nacking, gone }) => {
      await acknowledges(transport, acking);
      await isUnreachable(post(transport, nacking));
      await isUnreachable(post(transport, gone));
    },
    'does not change the envelope': async ({ transport, acking }) => {
      const envelope = envelopeOf(acking);
      await transport.post(acking, envelope, new CoreSignal());
      equal(envelope, envelopeOf(acking), 'the envelope after the post');
    },
  },
  {
    secrets: ({ acking, nacking, gone, silent, garbage, catalog }) =>
      [acking, nacking, gone, silent, garbage, catalog].flatMap((leg) => (leg ? [leg.gatewayUrl] : [])),
  },
);

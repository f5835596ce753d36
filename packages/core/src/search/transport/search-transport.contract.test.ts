import { err, errAsync, ok, okAsync } from 'neverthrow';
import { testSuite } from '../../contract/suite-test.test.support.ts';
import { showsInput, unsafeInEveryPort } from '../../contract/unsafe-adapters.test.support.ts';
import { generalPromises } from '../../contract/supervision.ts';
import { CoreSignal } from '../../runtime/signal.ts';
import { aLeg } from '../leg.fake.ts';
import type { LegFailure } from '../leg.ts';
import { type SearchTransportSubject, searchTransportContract } from './search-transport.contract.ts';
import { acknowledged, fakeSearchTransport } from './search-transport.fake.ts';
import type { Acknowledgement, SearchTransport } from './search-transport.port.ts';

const failure = (detail: string): LegFailure => ({ kind: 'bap_unreachable', detail });

const catalog: Acknowledgement = { outcome: 'catalog', callback: { text: '{"message":{"catalog":{}}}' } };

const subject = (): SearchTransportSubject => {
  const [acking, nacking, gone, silent, garbage] = ['acking', 'nacking', 'gone', 'silent', 'garbage'].map((id) =>
    aLeg(id),
  ) as [ReturnType<typeof aLeg>, ...ReturnType<typeof aLeg>[]];
  const failed = err(failure('the network could not be reached'));
  const script = { acking: acknowledged, nacking: failed, gone: failed, garbage: failed, catalog: ok(catalog) };
  const transport = fakeSearchTransport(script);
  return {
    transport,
    acking,
    nacking: nacking!,
    gone: gone!,
    silent: silent!,
    garbage: garbage!,
    catalog: aLeg('catalog'),
    received: () => transport.posts.length,
  };
};

const posting =
  (change: (post: SearchTransport['post']) => SearchTransport['post']) =>
  (good: SearchTransportSubject): SearchTransportSubject => ({
    ...good,
    transport: { post: change(good.transport.post) },
  });

/** Acknowledges every post to this leg. */
const acknowledging = (id: string) =>
  posting(
    (post) =>
      (leg, ...rest) =>
        leg.id === id ? okAsync({ outcome: 'ack' }) : post(leg, ...rest),
  );

const failingWith = (failed: LegFailure) =>
  posting(
    (post) =>
      (...args) =>
        post(...args).mapErr(() => failed),
  );

/** Reports every post as acknowledged after the first one. */
const acknowledgingAfterOne = (good: SearchTransportSubject): SearchTransportSubject => {
  let isAcknowledged = false;
  return posting((post) => (...args) => {
    if (isAcknowledged) return okAsync({ outcome: 'ack' });
    return post(...args).andTee(() => {
      isAcknowledged = true;
    });
  })(good);
};

testSuite<SearchTransportSubject>('search transport', searchTransportContract, subject, [
  [
    'reports every post as acknowledged after the first one',
    acknowledgingAfterOne,
    'fails a post to a network after a success',
  ],
  ...unsafeInEveryPort<'transport', SearchTransportSubject>('transport'),
  showsInput<'transport', SearchTransportSubject>('transport'),
  ['treats a NACK as an acknowledgement', acknowledging('nacking'), 'fails bap_unreachable for a NACK'],
  [
    'treats a refused connection as an acknowledgement',
    acknowledging('gone'),
    'fails bap_unreachable when the connection is refused',
  ],
  [
    'treats a page of HTML as an acknowledgement',
    acknowledging('garbage'),
    'fails bap_unreachable for a response that is not JSON',
  ],
  [
    'reports a NACK as a timeout',
    failingWith({ kind: 'timeout', detail: 'too late' }),
    'fails bap_unreachable for a NACK',
  ],
  [
    'loses a catalog that is the response of a network',
    posting(
      (post) =>
        (...args) =>
          post(...args).map(() => ({ outcome: 'ack' })),
    ),
    'returns a catalog that is the response of a network',
  ],
  [
    'returns another text than that of the catalog',
    posting(
      (post) =>
        (...args) =>
          post(...args).map((response) =>
            'callback' in response ? { ...response, callback: { text: '{}' } } : response,
          ),
    ),
    'returns a catalog that is the response of a network',
  ],
  [
    'posts twice',
    posting(
      (post) =>
        (...args) =>
          post(...args).andThen(() => post(...args)),
    ),
    'sends each post once',
  ],
  [
    'posts again after a NACK',
    posting(
      (post) => (leg, envelope, signal) =>
        post(leg, envelope, signal).orElse((error) =>
          leg.id === 'nacking' ? post(leg, envelope, signal) : errAsync(error),
        ),
    ),
    'sends each post once',
  ],
  [
    'describes a failure with the host of the gateway',
    failingWith(failure('connect ECONNREFUSED gone.example.org')),
    generalPromises.failures,
  ],
  ['does not describe a failure', failingWith(failure('')), 'describes a failure without the gateway URL'],
  [
    'posts although the signal is aborted',
    posting((post) => (leg, envelope, signal) => post(leg, envelope, leg.id === 'silent' ? signal : new CoreSignal())),
    'fails a post whose signal is already aborted',
  ],
  [
    'acknowledges a post that was cancelled while it waited',
    posting(
      (post) => (leg, envelope, signal) =>
        post(leg, envelope, signal).orElse((error) =>
          signal.aborted && leg.id === 'silent' ? acknowledged : errAsync(error),
        ),
    ),
    'fails a post whose signal is aborted while it waits',
  ],
  [
    'keeps a listener on the signal',
    posting((post) => (leg, envelope, signal) => {
      signal.addEventListener('abort', () => {});
      return post(leg, envelope, signal);
    }),
    'keeps no listener on the signal of a post that has settled',
  ],
  [
    'posts only once at a time',
    posting((post) => {
      let running: ReturnType<SearchTransport['post']> | undefined;
      return (...args) => (running ??= post(...args));
    }),
    'keeps the results of concurrent posts apart',
  ],
  [
    'does not post any more after a failure',
    posting((post) => {
      let last: LegFailure | undefined;
      return (...args) =>
        last
          ? errAsync(last)
          : post(...args).mapErr((error) => {
              last = error;
              return error;
            });
    }),
    'posts again to a network after a failure',
  ],
  [
    'changes the envelope',
    posting((post) => (leg, envelope, signal) => {
      Object.assign(envelope.context, { message_id: 'changed' });
      return post(leg, envelope, signal);
    }),
    'does not change the envelope',
  ],
  [
    'reports every response as a catalog',
    posting(
      (post) =>
        (...args) =>
          post(...args).map(() => catalog),
    ),
    'reports an acknowledgement as ack',
  ],
]);

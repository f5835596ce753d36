import { err, errAsync, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../runtime/clock.fake.ts';
import { fakeIds } from '../../runtime/ids.fake.ts';
import { succeeds } from '../../contract/assertions.ts';
import { type Failure, invalid, unauthenticated, upstream } from '../../shared/failure.ts';
import { type Json, toJson } from '../../shared/json/json.ts';
import type { CallbackExchange } from './callback-exchange.port.ts';
import { fakeCallbackVerifier } from './callback-verifier.fake.ts';
import type { CallbackVerifier } from './callback-verifier.port.ts';
import type { Envelope } from '../envelope.ts';
import type { Leg } from '../leg.ts';
import { memoryCallbackExchange } from './memory-callback-exchange.ts';
import { callbackCounter, receiveCallback } from './receive-callback.ts';
import { aLeg, anOnSearch } from '../leg.fake.ts';
import { flushMicrotasks } from '../search.test.support.ts';
import { fakeSearchTransport } from '../transport/search-transport.fake.ts';
import { createSearchUseCases } from '../search-use-cases.ts';

const request = { persona: 'member', query: 'x', user_id: 'user-1' };

/** Starts a search. */
const startSearch = async (
  legs: readonly Leg[] = [aLeg('moa'), aLeg('mh')],
  verifier?: CallbackVerifier,
  maxCollectedBytes = 1_000_000,
) => {
  const clock = fakeClock();
  const transport = fakeSearchTransport();
  const exchange = memoryCallbackExchange(clock, { maxCollectedBytes });
  const ports = { clock, transport, exchange, ids: fakeIds(), verifier };
  const use = createSearchUseCases(ports, { legs });
  const running = await succeeds(use.search(request));
  const idOf = (leg: number) => transport.posts[leg]?.envelope.context.transaction_id ?? 'not posted';
  const countsAboveZero = () =>
    Object.fromEntries(Object.entries(use.searchStatus().callbacks).filter(([, count]) => count > 0));
  return { clock, use, running, posts: transport.posts, idOf, countsAboveZero };
};

describe('receiveCallback', () => {
  it('delivers a callback unchanged to the waiting leg', async () => {
    const { use, running, idOf, countsAboveZero } = await startSearch();
    const text = ` {"context":{"transaction_id":"${idOf(1)}","action":"on_search"},"n":12345678901234567890.0} `;
    expect(await use.receiveCallback({ text })).toEqual(ok('delivered'));
    expect(await running.legs[1]).toMatchObject({
      leg: { id: 'mh' },
      callback: { text, value: JSON.parse(text) as unknown },
    });
    expect(countsAboveZero()).toEqual({ delivered: 1 });
    expect(use.searchStatus().pending).toBe(1);
  });

  it('counts callbacks by outcome', async () => {
    const { clock, use, idOf } = await startSearch();
    expect(use.searchStatus()).toEqual({
      status: 'ok',
      pending: 2,
      callbacks: { delivered: 0, duplicate: 0, late: 0, unknown: 0, rejected: 0, mismatched: 0 },
    });
    await use.receiveCallback(anOnSearch(idOf(0)));
    for (let again = 0; again < 2; again++) await use.receiveCallback(anOnSearch(idOf(0)));
    clock.advance(10_000);
    for (let late = 0; late < 3; late++) expect(await use.receiveCallback(anOnSearch(idOf(1)))).toEqual(ok('late'));
    for (let unknown = 0; unknown < 4; unknown++) await use.receiveCallback(anOnSearch(`foreign-${unknown}`));
    for (let rejected = 0; rejected < 5; rejected++) await use.receiveCallback({ text: undefined });
    expect(use.searchStatus()).toEqual({
      status: 'ok',
      pending: 0,
      callbacks: { delivered: 1, duplicate: 2, late: 3, unknown: 4, rejected: 5, mismatched: 0 },
    });
  });

  it('delivers a callback once when it arrives twice at the same time', async () => {
    const { use, idOf } = await startSearch();
    const both = await Promise.all([
      use.receiveCallback(anOnSearch(idOf(0))),
      use.receiveCallback(anOnSearch(idOf(0))),
    ]);
    expect(both).toEqual([ok('delivered'), ok('duplicate')]);
  });

  it('delivers a callback with an error instead of a catalog', async () => {
    const { use, idOf } = await startSearch();
    const context = { transaction_id: idOf(0), action: 'on_search' };
    expect(await use.receiveCallback(toJson({ context, error: { code: '30001' } }))).toEqual(ok('delivered'));
  });

  it('counts a callback that the server refused as rejected', async () => {
    const { use, countsAboveZero } = await startSearch();
    use.refuseCallback();
    expect(countsAboveZero()).toEqual({ rejected: 1 });
  });

  it('does not change counts that were read before', async () => {
    const { use } = await startSearch();
    const { callbacks } = use.searchStatus();
    use.refuseCallback();
    expect(callbacks.rejected).toBe(0);
  });
});

describe('an invalid callback', () => {
  const action = 'on_search';
  const noId = { path: '/context/transaction_id', message: 'must be a string of 1 to 256 characters' };
  const noAction = { path: '/context/action', message: 'must be on_search or on_discover' };

  it.each([
    [undefined, { path: '', message: 'must be valid JSON in UTF-8, not nested more than 128 levels deep' }],
    [null, noId],
    ['on_search', noId],
    [[{ context: { transaction_id: 't', action } }], noId],
    [{}, noId],
    [{ transaction_id: 't', action }, noId],
    [{ context: [] }, noId],
    [{ context: { action } }, noId],
    [{ context: { action, transaction_id: '' } }, noId],
    [{ context: { action, transaction_id: 7 } }, noId],
    [{ context: { action, transaction_id: ['t'] } }, noId],
    [{ context: { action, transaction_id: 'x'.repeat(257) } }, noId],
    [{ context: { transaction_id: 't' } }, noAction],
    [{ context: { transaction_id: 't', action: 'search' } }, noAction],
    [{ context: { transaction_id: 't', action: 'ON_SEARCH' } }, noAction],
    [{ context: { transaction_id: 't', action: ['on_search'] } }, noAction],
  ])('rejects and counts %j', async (value, error) => {
    const { use, countsAboveZero } = await startSearch();
    const text = value === undefined ? undefined : JSON.stringify(value);
    expect(await use.receiveCallback({ text })).toEqual(
      err({
        kind: 'invalid',
        detail: 'Not a valid search callback.',
        errors: [error],
      }),
    );
    expect(countsAboveZero()).toEqual({ rejected: 1 });
  });

  it('does not settle the leg that an invalid callback names', async () => {
    const { use, idOf } = await startSearch();
    await use.receiveCallback(toJson({ context: { transaction_id: idOf(0), action: 'on_select' } }));
    expect(use.searchStatus().pending).toBe(2);
    expect(await use.receiveCallback(anOnSearch(idOf(0)))).toEqual(ok('delivered'));
  });

  it.each(['', '{', "{'context':1}", `${'['.repeat(129)}${']'.repeat(129)}`])('rejects %s', async (text) => {
    const { use } = await startSearch();
    expect(await use.receiveCallback({ text })).toMatchObject({ error: { kind: 'invalid', errors: [{ path: '' }] } });
  });

  it('accepts a transaction id of 256 characters', async () => {
    const { use } = await startSearch();
    expect(await use.receiveCallback(anOnSearch('x'.repeat(256)))).toEqual(ok('unknown'));
  });
});

/** A registry that accepts each signer by name, and the recorded verifications. */
const aRegistry = () => {
  const verifications: (readonly [
    authorization: string | undefined,
    bytes: Uint8Array,
    sellerId: string | undefined,
  ])[] = [];
  const verifier: CallbackVerifier = {
    verify: (authorization, bytes, sellerId) => {
      verifications.push([authorization, bytes, sellerId]);
      return authorization === 'registry down'
        ? errAsync(upstream('registry', 'timeout'))
        : fakeCallbackVerifier().verify(authorization, bytes, sellerId);
    },
  };
  return { verifications, verifier };
};

const bytes = Uint8Array.of(123, 125);

const signed = ({ text }: Json, authorization: string | undefined) => ({ text, bytes, authorization });

/** A search whose first leg accepts any callback, and whose second leg accepts only signed ones. */
const startVerifiedSearch = async () => {
  const { verifications, verifier } = aRegistry();
  return { verifications, ...(await startSearch([aLeg('moa'), aLeg('mh', { verifyCallbacks: true })], verifier)) };
};

describe('a leg with verifyCallbacks', () => {
  it('accepts a callback signed by its seller, verified over the received bytes', async () => {
    const { use, idOf, countsAboveZero, verifications } = await startVerifiedSearch();
    expect(await use.receiveCallback(signed(anOnSearch(idOf(1)), 'bpp.example.org'))).toEqual(ok('delivered'));
    expect(countsAboveZero()).toEqual({ delivered: 1 });
    expect(verifications).toEqual([['bpp.example.org', bytes, 'bpp.example.org']]);
    expect(verifications[0]?.[1]).toBe(bytes);
  });

  it.each<[string, string | undefined, Failure]>([
    ['no signature', undefined, unauthenticated('missing')],
    ['a signature that is not valid', 'forged', unauthenticated('invalid')],
    ['a signature of another subscriber', 'other.example.org', unauthenticated('invalid')],
    ['a signer that differs from the seller in case', 'BPP.example.org', unauthenticated('invalid')],
    ['a signature that cannot be checked now', 'registry down', upstream('registry', 'timeout')],
  ])('rejects %s, and still accepts a valid callback', async (_, authorization, failure) => {
    const { use, idOf, running, countsAboveZero } = await startVerifiedSearch();
    const callback = anOnSearch(idOf(1));
    expect(await use.receiveCallback(signed(callback, authorization))).toEqual(err(failure));
    expect(countsAboveZero()).toEqual({ rejected: 1 });
    expect(use.searchStatus().pending).toBe(2);
    expect(await use.receiveCallback(signed(callback, 'bpp.example.org'))).toEqual(ok('delivered'));
    expect(await running.legs[1]).toMatchObject({ callback });
  });

  it('rejects a callback without bpp_id', async () => {
    const { use, idOf, verifications } = await startVerifiedSearch();
    const anonymous = toJson({ context: { action: 'on_search', transaction_id: idOf(1) } });
    const result = await use.receiveCallback(signed(anonymous, 'bpp.example.org'));
    expect(result).toEqual(err(unauthenticated('invalid')));
    expect(verifications).toEqual([]);
  });

  it('accepts a callback of UHI signed by its provider_id', async () => {
    const { use, idOf } = await startVerifiedSearch();
    const callback = toJson({
      context: { action: 'on_search', transaction_id: idOf(1), bpp_id: null, provider_id: 'hspa.example' },
    });
    expect(await use.receiveCallback(signed(callback, 'other.example'))).toEqual(err(unauthenticated('invalid')));
    expect(await use.receiveCallback(signed(callback, 'hspa.example'))).toEqual(ok('delivered'));
  });

  it('rejects a callback whose other spelling of bpp_id names another seller', async () => {
    const { use, idOf } = await startVerifiedSearch();
    const context = {
      action: 'on_search',
      transaction_id: idOf(1),
      bpp_id: 'signer.example',
      bppId: 'bpp.example.org',
    };
    const result = await use.receiveCallback(signed(toJson({ context }), 'signer.example'));
    expect(result).toEqual(err(unauthenticated('invalid')));
  });

  it('rejects a callback without the signed bytes', async () => {
    const { use, idOf } = await startVerifiedSearch();
    const { text } = anOnSearch(idOf(1));
    expect(await use.receiveCallback({ text, authorization: 'bpp.example.org' })).toEqual(
      err(unauthenticated('missing')),
    );
  });

  it('rejects a signed callback that the exchange still reports as unverified', async () => {
    const exchange: CallbackExchange = { ...memoryCallbackExchange(fakeClock()), offer: () => okAsync('unverified') };
    const receive = receiveCallback(exchange, fakeCallbackVerifier(), callbackCounter());
    expect(await receive(signed(anOnSearch('t'), 'bpp.example.org'))).toEqual(err(unauthenticated('invalid')));
  });

  it.each([undefined, 'forged', 'other.example.org', 'registry down'])(
    'does not require signatures on another leg: %s',
    async (authorization) => {
      const { use, idOf, verifications } = await startVerifiedSearch();
      expect(await use.receiveCallback(signed(anOnSearch(idOf(0)), authorization))).toEqual(ok('delivered'));
      expect(verifications).toEqual([]);
    },
  );

  it('does not verify the signature of a callback that no leg waits for', async () => {
    const { use, idOf, verifications } = await startVerifiedSearch();
    expect(await use.receiveCallback(signed(anOnSearch('foreign'), 'forged'))).toEqual(ok('unknown'));
    await use.receiveCallback(signed(anOnSearch(idOf(1)), 'bpp.example.org'));
    expect(await use.receiveCallback(signed(anOnSearch(idOf(1)), 'forged'))).toEqual(ok('duplicate'));
    expect(verifications).toHaveLength(1);
  });

  it.each(['', 'not json', '{"context":{}}'])('does not call the registry for %j', async (text) => {
    const { use, verifications } = await startVerifiedSearch();
    expect(await use.receiveCallback({ text, bytes, authorization: 'bpp.example.org' })).toMatchObject({
      error: { kind: 'invalid' },
    });
    expect(verifications).toEqual([]);
  });

  it.each([
    [
      'after other transaction ids',
      (text: string) => `{"x":[${'{"transaction_id":"x"},'.repeat(20)}0],${text.slice(1)}`,
    ],
    ['written with escapes', (text: string) => text.replace('transaction_id', 'transaction\\u005fid')],
  ])('accepts a signed callback whose transaction id is %s', async (_, disguised) => {
    const { use, idOf } = await startVerifiedSearch();
    const text = disguised(anOnSearch(idOf(1)).text);
    expect(await use.receiveCallback({ text, bytes, authorization: 'bpp.example.org' })).toEqual(ok('delivered'));
  });
});

const acknowledgeWith = async (callback: (id: string) => ReturnType<typeof signed>) => {
  const legs = [aLeg('mh', { verifyCallbacks: true })];
  const { use, running, posts, idOf } = await startSearch(legs, aRegistry().verifier);
  posts[0]?.respond(ok({ outcome: 'catalog', callback: callback(idOf(0)) }));
  const outcome = await running.legs[0];
  expect(use.searchStatus().pending).toBe(0);
  return { outcome, text: callback(idOf(0)).text };
};

describe('a catalog in the acknowledgement of a leg with verifyCallbacks', () => {
  it('delivers the leg when it is signed by the seller', async () => {
    const { outcome, text } = await acknowledgeWith((id) => signed(anOnSearch(id), 'bpp.example.org'));
    expect(outcome).toMatchObject({ callback: { text } });
  });

  it.each<[string, (id: string) => ReturnType<typeof signed>]>([
    ['without a signature', (id) => signed(anOnSearch(id), undefined)],
    ['with a signature that is not valid', (id) => signed(anOnSearch(id), 'forged')],
    ['signed by another subscriber', (id) => signed(anOnSearch(id), 'other.example.org')],
    ['signed for another search', () => signed(anOnSearch('an-older-search'), 'bpp.example.org')],
    ['while the registry is down', (id) => signed(anOnSearch(id), 'registry down')],
    ['that is not an on_search', () => signed(toJson({ message: { catalog: {} } }), 'bpp.example.org')],
  ])('fails the leg %s', async (_, callback) => {
    const { outcome } = await acknowledgeWith(callback);
    expect(outcome).toMatchObject({
      error: { kind: 'bap_unreachable', detail: 'the network sent a catalog without a valid signature' },
    });
  });
});

describe('a failing exchange', () => {
  it.each([1, 2])('fails the callback, which is counted as rejected: offer %i', async (failing) => {
    const clock = fakeClock();
    const memory = memoryCallbackExchange(clock);
    let offered = 0;
    const exchange: CallbackExchange = {
      ...memory,
      offer: (...offer) =>
        ++offered === failing ? errAsync(upstream('search', 'unreachable')) : memory.offer(...offer),
    };
    const transport = fakeSearchTransport();
    const ports = { clock, exchange, transport, ids: fakeIds(), verifier: aRegistry().verifier };
    const use = createSearchUseCases(ports, { legs: [aLeg('mh', { verifyCallbacks: true })] });
    await use.search(request);
    const callback = anOnSearch(transport.posts[0]?.envelope.context.transaction_id ?? '');
    const result = await use.receiveCallback(signed(callback, 'bpp.example.org'));
    expect(result).toEqual(err(upstream('search', 'unreachable')));
    expect(use.searchStatus().callbacks.rejected).toBe(1);
  });
});

/** A callback that repeats what was sent, with these differences. */
const replyTo = ({ context }: Envelope, differences: object = {}) => {
  const { transaction_id, message_id, bap_id, domain } = context;
  return toJson({ context: { action: 'on_search', transaction_id, message_id, bap_id, domain, ...differences } });
};

describe('a callback of another message', () => {
  const differences = [{ message_id: 'another' }, { bap_id: 'other.example' }, { domain: 'another' }];

  it.each(differences)('is delivered and counted as mismatched: %j', async (differs) => {
    const { use, running, posts, countsAboveZero } = await startSearch();
    const callback = replyTo(posts[1]!.envelope, differs);
    expect(await use.receiveCallback(callback)).toEqual(ok('delivered'));
    expect(await running.legs[1]).toMatchObject({ callback: { text: callback.text } });
    expect(countsAboveZero()).toEqual({ delivered: 1, mismatched: 1 });
  });

  it('is not counted when the seller left the fields out', async () => {
    const { use, posts, countsAboveZero } = await startSearch();
    const left = { message_id: undefined, bap_id: undefined, domain: undefined };
    expect(await use.receiveCallback(replyTo(posts[1]!.envelope, left))).toEqual(ok('delivered'));
    expect(countsAboveZero()).toEqual({ delivered: 1 });
  });

  it.each([...differences, { message_id: undefined }])('is refused by a strict leg: %j', async (differs) => {
    const { use, posts, countsAboveZero } = await startSearch([aLeg('moa'), aLeg('mh', { strict: true })]);
    const refusal = await use.receiveCallback(replyTo(posts[1]!.envelope, differs));
    const path = '/context';
    const message = 'must have the message_id, bap_id and domain of the search';
    expect(refusal).toEqual(err(invalid('The callback belongs to another message.', { path, message })));
    expect(countsAboveZero()).toEqual({ rejected: 1, mismatched: 1 });
    expect(use.searchStatus().pending).toBe(2);
    expect(await use.receiveCallback(replyTo(posts[1]!.envelope))).toEqual(ok('delivered'));
  });
});

describe('a callback beyond the limits of its leg', () => {
  it('is refused as full and counted as rejected', async () => {
    const { use, posts, countsAboveZero } = await startSearch([
      aLeg('mh', { callbacks: { until: 'deadline' }, maxCallbacks: 1 }),
    ]);
    const id = posts[0]!.envelope.context.transaction_id;
    expect(await use.receiveCallback(anOnSearch(id, { sellerId: 'one' }))).toEqual(ok('delivered'));
    expect(await use.receiveCallback(anOnSearch(id, { sellerId: 'two' }))).toEqual(ok('full'));
    expect(countsAboveZero()).toEqual({ delivered: 1, rejected: 1 });
  });

  it('fails overloaded when all legs together have collected too much, and can be sent again', async () => {
    const text = anOnSearch('00000000-0000-4000-8000-000000000001').text;
    const { use, posts, clock } = await startSearch(
      [aLeg('mh', { callbacks: { until: 'deadline' } })],
      undefined,
      text.length + 10,
    );
    const id = posts[0]!.envelope.context.transaction_id;
    await use.receiveCallback(anOnSearch(id));
    const refusal = await use.receiveCallback(anOnSearch(id, { sellerId: 'two' }));
    expect(refusal).toEqual(err({ kind: 'overloaded', retryAfterSeconds: 1 }));
    clock.advance(5000);
    await succeeds(use.search(request));
    const again = anOnSearch(posts[1]!.envelope.context.transaction_id);
    expect(await use.receiveCallback(again)).toEqual(refusal);
    // The first search ends, and the second one still waits.
    clock.advance(5000);
    await flushMicrotasks();
    expect(await use.receiveCallback(again)).toEqual(ok('delivered'));
  });

  it('fails overloaded while a search that waits for another leg keeps too much, and can be sent again', async () => {
    const text = anOnSearch('00000000-0000-4000-8000-000000000001').text;
    const { use, idOf, clock, countsAboveZero } = await startSearch(undefined, undefined, text.length + 10);
    await use.receiveCallback(anOnSearch(idOf(0)));
    clock.advance(5000);
    await succeeds(use.search(request));
    const again = anOnSearch(idOf(2));
    expect(await use.receiveCallback(again)).toEqual(err({ kind: 'overloaded', retryAfterSeconds: 1 }));
    expect(countsAboveZero()).toEqual({ delivered: 1, rejected: 1 });
    clock.advance(5000);
    await flushMicrotasks();
    expect(await use.receiveCallback(again)).toEqual(ok('delivered'));
  });
});

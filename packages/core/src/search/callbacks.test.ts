import { err, errAsync, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../runtime/clock.fake.ts';
import { fakeIds } from '../runtime/ids.fake.ts';
import { succeeds } from '../shared/contract.ts';
import { type Failure, unauthenticated, upstream } from '../shared/failure.ts';
import { type Json, toJson } from '../shared/json.ts';
import { fakeCallbackVerifier } from './callback-verifier.fake.ts';
import type { CallbackVerifier } from './callback-verifier.port.ts';
import type { Verification } from './callbacks.ts';
import type { Leg } from './leg.ts';
import { memoryCallbackExchange } from './memory-callback-exchange.ts';
import { aLeg, anOnSearch } from './leg.fake.ts';
import { fakeSearchTransport } from './search-transport.fake.ts';
import { createSearchUseCases } from './search-use-cases.ts';

const request = { persona: 'member', query: 'x', user_id: 'user-1' };

/** A search under way. */
const searching = async (legs: readonly Leg[] = [aLeg('moa'), aLeg('mh')], verifier?: CallbackVerifier) => {
  const clock = fakeClock();
  const transport = fakeSearchTransport();
  const ports = { clock, transport, exchange: memoryCallbackExchange(clock), ids: fakeIds(), verifier };
  const use = createSearchUseCases(ports, { legs });
  const running = await succeeds(use.search(request));
  const idOf = (leg: number) => transport.posts[leg]?.envelope.context.transaction_id ?? 'not posted';
  const counted = () =>
    Object.fromEntries(Object.entries(use.searchStatus().callbacks).filter(([, count]) => count > 0));
  return { clock, use, running, idOf, counted };
};

describe('a callback', () => {
  it('is delivered to the leg that waits, as it came', async () => {
    const { use, running, idOf, counted } = await searching();
    const text = ` {"context":{"transaction_id":"${idOf(1)}","action":"on_search"},"n":12345678901234567890.0} `;
    const callback = { text, value: JSON.parse(text) as unknown };
    expect(await use.receiveCallback(callback)).toEqual(ok('delivered'));
    expect(await running.legs[1]).toMatchObject({ leg: { id: 'mh' }, callback });
    expect(counted()).toEqual({ delivered: 1 });
    expect(use.searchStatus().pending).toBe(1);
  });

  it('is counted by what became of it', async () => {
    const { clock, use, idOf } = await searching();
    expect(use.searchStatus()).toEqual({
      status: 'ok',
      pending: 2,
      callbacks: { delivered: 0, duplicate: 0, late: 0, unknown: 0, rejected: 0 },
    });
    await use.receiveCallback(anOnSearch(idOf(0)));
    for (let again = 0; again < 2; again++) await use.receiveCallback(anOnSearch(idOf(0)));
    clock.advance(10_000);
    for (let late = 0; late < 3; late++) await use.receiveCallback(anOnSearch(idOf(1)));
    for (let unknown = 0; unknown < 4; unknown++) await use.receiveCallback(anOnSearch(`foreign-${unknown}`));
    for (let rejected = 0; rejected < 5; rejected++) await use.receiveCallback(undefined);
    expect(use.searchStatus()).toEqual({
      status: 'ok',
      pending: 0,
      callbacks: { delivered: 1, duplicate: 2, late: 3, unknown: 4, rejected: 5 },
    });
  });

  it('says itself whether it was expected, repeated, late or unknown', async () => {
    const { clock, use, idOf } = await searching();
    expect(await use.receiveCallback(anOnSearch(idOf(0)))).toEqual(ok('delivered'));
    expect(await use.receiveCallback(anOnSearch(idOf(0)))).toEqual(ok('duplicate'));
    clock.advance(10_000);
    expect(await use.receiveCallback(anOnSearch(idOf(1)))).toEqual(ok('late'));
    expect(await use.receiveCallback(anOnSearch('foreign'))).toEqual(ok('unknown'));
  });

  it('is delivered once when it comes twice at the same time', async () => {
    const { use, idOf } = await searching();
    const both = await Promise.all([
      use.receiveCallback(anOnSearch(idOf(0))),
      use.receiveCallback(anOnSearch(idOf(0))),
    ]);
    expect(both).toEqual([ok('delivered'), ok('duplicate')]);
  });

  it('may hold an error instead of a catalog: what it means is for the reader', async () => {
    const { use, idOf } = await searching();
    const context = { transaction_id: idOf(0), action: 'on_search' };
    expect(await use.receiveCallback(toJson({ context, error: { code: '30001' } }))).toEqual(ok('delivered'));
  });

  it('is counted as rejected when the edge turned it away', async () => {
    const { use, counted } = await searching();
    use.refuseCallback();
    expect(counted()).toEqual({ rejected: 1 });
  });

  it('leaves alone the counts that were read before', async () => {
    const { use } = await searching();
    const { callbacks } = use.searchStatus();
    use.refuseCallback();
    expect(callbacks.rejected).toBe(0);
  });
});

describe('what is no callback', () => {
  const action = 'on_search';
  const noId = { path: '/context/transaction_id', message: 'must be a text of 1 to 256 characters' };
  const noAction = { path: '/context/action', message: 'must be on_search' };

  it.each([
    [undefined, { path: '', message: 'must be valid JSON in UTF-8, not nested too deep' }],
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
  ])('is refused and counted: %j', async (value, error) => {
    const { use, counted } = await searching();
    const body = value === undefined ? undefined : toJson(value);
    expect(await use.receiveCallback(body)).toEqual(
      err({
        kind: 'invalid',
        detail: 'This is no on_search callback.',
        errors: [error],
      }),
    );
    expect(counted()).toEqual({ rejected: 1 });
  });

  it('does not end the search that it names', async () => {
    const { use, idOf } = await searching();
    await use.receiveCallback(toJson({ context: { transaction_id: idOf(0), action: 'on_select' } }));
    expect(use.searchStatus().pending).toBe(2);
    expect(await use.receiveCallback(anOnSearch(idOf(0)))).toEqual(ok('delivered'));
  });

  it('is not an id that is merely long', async () => {
    const { use } = await searching();
    expect(await use.receiveCallback(anOnSearch('x'.repeat(256)))).toEqual(ok('unknown'));
  });
});

const body = Uint8Array.of(123, 125);

const registry: CallbackVerifier = {
  verify: (authorization, bytes) =>
    authorization === 'registry down'
      ? errAsync(upstream('registry', 'timeout'))
      : fakeCallbackVerifier().verify(authorization, bytes),
};

const verifying = () => searching([aLeg('moa'), aLeg('mh', { verifyCallbacks: true })], registry);

describe('the signature of a callback', () => {
  it('is not looked at when no leg wants one, even when there is a registry', async () => {
    const asked: unknown[] = [];
    const verify: CallbackVerifier['verify'] = (authorization, bytes) => {
      asked.push(authorization, bytes);
      return okAsync({ subscriberId: 'x' });
    };
    const { use, idOf } = await searching([aLeg('moa'), aLeg('mh', { verifyCallbacks: false })], { verify });
    expect(await use.verifyCallback('anything', body)).toBe('not-asked');
    expect(asked).toEqual([]);
    expect(await use.receiveCallback(anOnSearch(idOf(0)), 'not-asked')).toEqual(ok('delivered'));
  });

  it('is held against the very bytes that came', async () => {
    const asked: unknown[] = [];
    const verify: CallbackVerifier['verify'] = (authorization, bytes) => {
      asked.push(authorization, bytes);
      return okAsync({ subscriberId: 'x' });
    };
    const { use } = await searching([aLeg('mh', { verifyCallbacks: true })], { verify });
    await use.verifyCallback('Signature …', body);
    expect(asked[0]).toBe('Signature …');
    expect(asked[1]).toBe(body);
  });

  it.each<[string | undefined, Verification]>([
    ['bpp.example.org', { signer: { subscriberId: 'bpp.example.org' } }],
    [undefined, { failure: unauthenticated('missing') }],
    ['forged', { failure: unauthenticated('invalid') }],
    ['registry down', { failure: upstream('registry', 'timeout') }],
  ])('is looked at without deciding anything yet: %s', async (authorization, verification) => {
    const { use, counted } = await verifying();
    expect(await use.verifyCallback(authorization, body)).toEqual(verification);
    expect(counted()).toEqual({});
  });
});

/** Which callbacks, as text, have the registry asked. */
const asksFor = async (textOf: (idOf: (leg: number) => string) => string) => {
  let asked = 0;
  const verify: CallbackVerifier['verify'] = () => {
    asked++;
    return okAsync({ subscriberId: 'bpp.example.org' });
  };
  const { use, idOf } = await searching([aLeg('moa'), aLeg('mh', { verifyCallbacks: true })], { verify });
  await use.verifyCallback('Signature …', body, textOf(idOf));
  return asked;
};

describe('the registry', () => {
  it('is asked about a callback for a leg that wants signatures, wherever in it the id stands', async () => {
    expect(await asksFor((idOf) => anOnSearch(idOf(1)).text)).toBe(1);
    expect(
      await asksFor((idOf) => `{"x":{"transaction_id":"other"},"context":{ "transaction_id" : "${idOf(1)}"}}`),
    ).toBe(1);
  });

  it('is not asked about a callback for a leg that wants none', async () => {
    expect(await asksFor((idOf) => anOnSearch(idOf(0)).text)).toBe(0);
  });

  it.each(['', 'not json', '{"context":{}}', anOnSearch('nobody-waits').text])(
    'is not asked by a stranger: %s',
    async (text) => {
      expect(await asksFor(() => text)).toBe(0);
    },
  );
});

const received = async (
  { use }: Awaited<ReturnType<typeof verifying>>,
  callback: Json,
  authorization: string | undefined,
) => use.receiveCallback(callback, await use.verifyCallback(authorization, body));

describe('a leg that wants signatures', () => {
  it('takes a callback that its seller signed', async () => {
    const search = await verifying();
    expect(await received(search, anOnSearch(search.idOf(1)), 'bpp.example.org')).toEqual(ok('delivered'));
    expect(search.counted()).toEqual({ delivered: 1 });
  });

  it.each<[string, string | undefined, Failure]>([
    ['none', undefined, unauthenticated('missing')],
    ['one that is not good', 'forged', unauthenticated('invalid')],
    ['a good one of somebody else', 'other.example.org', unauthenticated('invalid')],
    ['one that differs from the seller in case', 'BPP.example.org', unauthenticated('invalid')],
    ['one that nobody can check now', 'registry down', upstream('registry', 'timeout')],
  ])('refuses %s, and still waits for the right one', async (_, authorization, failure) => {
    const search = await verifying();
    const id = search.idOf(1);
    expect(await received(search, anOnSearch(id), authorization)).toEqual(err(failure));
    expect(search.counted()).toEqual({ rejected: 1 });
    expect(search.use.searchStatus().pending).toBe(2);
    expect(await received(search, anOnSearch(id), 'bpp.example.org')).toEqual(ok('delivered'));
    expect(await search.running.legs[1]).toMatchObject({ callback: anOnSearch(id) });
  });

  it('refuses a callback that does not say who sends it', async () => {
    const search = await verifying();
    const anonymous = toJson({ context: { action: 'on_search', transaction_id: search.idOf(1) } });
    expect(await received(search, anonymous, 'bpp.example.org')).toEqual(err(unauthenticated('invalid')));
  });

  it('refuses a callback whose signature was never looked at', async () => {
    const { use, idOf } = await verifying();
    expect(await use.receiveCallback(anOnSearch(idOf(1)))).toEqual(err(unauthenticated('missing')));
    expect(await use.receiveCallback(anOnSearch(idOf(1)), 'not-asked')).toEqual(err(unauthenticated('missing')));
  });

  it.each([undefined, 'forged', 'other.example.org', 'registry down'])(
    'does not make the other leg want them: %s',
    async (authorization) => {
      const search = await verifying();
      expect(await received(search, anOnSearch(search.idOf(0)), authorization)).toEqual(ok('delivered'));
    },
  );

  it('has no say in a callback that nobody waits for', async () => {
    const search = await verifying();
    expect(await received(search, anOnSearch('foreign'), 'forged')).toEqual(ok('unknown'));
    await received(search, anOnSearch(search.idOf(1)), 'bpp.example.org');
    expect(await received(search, anOnSearch(search.idOf(1)), 'forged')).toEqual(ok('duplicate'));
  });

  it('refuses what is no callback before it asks who sent it', async () => {
    const search = await verifying();
    expect(await received(search, toJson({}), 'forged')).toMatchObject({ error: { kind: 'invalid' } });
  });
});

describe('an exchange that cannot say who waits', () => {
  it.each(['legOf', 'offer'] as const)('fails the callback, which is counted as rejected: %s', async (question) => {
    const clock = fakeClock();
    const exchange = {
      ...memoryCallbackExchange(clock),
      [question]: () => errAsync(upstream('search', 'unreachable')),
    };
    const legs = [aLeg('mh', { verifyCallbacks: true })];
    const ports = { clock, exchange, transport: fakeSearchTransport(), ids: fakeIds(), verifier: registry };
    const use = createSearchUseCases(ports, { legs });
    expect(await use.receiveCallback(anOnSearch('t'))).toEqual(err(upstream('search', 'unreachable')));
    expect(use.searchStatus().callbacks.rejected).toBe(1);
  });
});

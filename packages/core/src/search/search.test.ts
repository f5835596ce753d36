import { err, errAsync, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { observedClient } from '../runtime/observed-client.test.support.ts';
import { fakeClock } from '../runtime/clock.fake.ts';
import { fakeIds } from '../runtime/ids.fake.ts';
import { succeeds } from '../contract/assertions.ts';
import { upstream } from '../shared/failure.ts';
import { toJson } from '../shared/json/json.ts';
import { searchResponseText } from './response.ts';
import { fakeCallbackExchange } from './callbacks/callback-exchange.fake.ts';
import { memoryCallbackExchange } from './callbacks/memory-callback-exchange.ts';
import type { NetworkProfile } from './profiles/network-profile.ts';
import { contextFields } from './profiles/context-fields.ts';
import { networkProfiles } from './profiles/profiles.ts';
import { parseSearchRequest, type SearchSettings } from './search.ts';
import { aLeg, anOnSearch } from './leg.fake.ts';
import { fakeSearchTransport } from './transport/search-transport.fake.ts';
import { createSearchUseCases } from './search-use-cases.ts';

const request = { persona: 'member', query: 'dental cover', user_id: 'user-1' };
const bothLegs = [aLeg('moa'), aLeg('mh')];

const searchApi = (settings: Partial<SearchSettings> = {}) => {
  const clock = fakeClock();
  const transport = fakeSearchTransport();
  const ports = { clock, transport, exchange: memoryCallbackExchange(clock), ids: fakeIds() };
  const use = createSearchUseCases(ports, { legs: bothLegs, ...settings });
  const idOf = (post: number) => transport.posts[post]?.envelope.context.transaction_id ?? 'not posted';
  return { ...ports, use, idOf };
};

const cannotRegister = () => errAsync(upstream('search', 'unreachable'));

/** Returns how long each leg waits for a callback that never arrives. */
const elapsedWithoutCallbacks = async (settings?: Partial<SearchSettings>) => {
  const { use, clock } = searchApi(settings);
  const { response } = await succeeds(use.search(request));
  clock.advance(60_000);
  return (await response).legs.map(({ elapsedMs }) => elapsedMs);
};

const waiting = (transactionId: string) => ({ transactionId, legId: 'moa', deliver: () => {} });

describe('search', () => {
  it('posts to every leg and resolves with their callbacks', async () => {
    const { use, clock, idOf } = searchApi();
    const { response } = await succeeds(use.search(request));
    clock.advance(2_304);
    await use.receiveCallback(anOnSearch(idOf(0)));
    clock.advance(6);
    await use.receiveCallback(anOnSearch(idOf(1)));
    expect(JSON.parse(searchResponseText(await response))).toEqual({
      elapsed_ms: 2_310,
      moa: anOnSearch(idOf(0)).value,
      mh: anOnSearch(idOf(1)).value,
      traces: {
        moa: { transaction_id: idOf(0), elapsed_ms: 2_304, label: 'The moa network' },
        mh: { transaction_id: idOf(1), elapsed_ms: 2_310, label: 'The mh network' },
      },
    });
  });

  it('waits ten seconds for callbacks by default', async () => {
    expect(await elapsedWithoutCallbacks()).toEqual([10_000, 10_000]);
    expect(await elapsedWithoutCallbacks({ timeoutMs: 25 })).toEqual([25, 25]);
  });

  it('trims the query', async () => {
    const { use, transport } = searchApi();
    await use.search({ ...request, query: ' \t dental  cover\n' });
    expect(transport.posts[0]?.envelope.message.intent.item.descriptor.name).toBe('dental  cover');
  });

  it('cancels the search when the client disconnects', async () => {
    const client = observedClient();
    const { use } = searchApi();
    const { response } = await succeeds(use.search(request, client.signal));
    client.disconnect();
    expect((await response).legs).toMatchObject([{ error: { kind: 'bap_unreachable' } }, { error: {} }]);
    expect(use.searchStatus().pending).toBe(0);
  });

  it('fails when the exchange fails to register the legs', async () => {
    const { use, clock, transport, exchange, ids } = searchApi();
    const broken = createSearchUseCases(
      { clock, transport, ids, exchange: { ...exchange, expect: cannotRegister } },
      { legs: bothLegs },
    );
    expect(await broken.search(request)).toEqual(err(upstream('search', 'unreachable')));
    expect(transport.posts).toEqual([]);
    expect(use.searchStatus().pending).toBe(0);
  });
});

describe('maxPending', () => {
  it('refuses a search that would exceed the limit', async () => {
    const { use, transport, idOf } = searchApi({ maxPending: 5, timeoutMs: 10_001 });
    expect((await use.search(request)).isOk()).toBe(true);
    expect((await use.search(request)).isOk()).toBe(true);
    expect(use.searchStatus().pending).toBe(4);
    expect(await use.search(request)).toEqual(err({ kind: 'overloaded', retryAfterSeconds: 11 }));
    expect(transport.posts).toHaveLength(4);
    await use.receiveCallback(anOnSearch(idOf(0)));
    expect((await use.search(request)).isOk()).toBe(true);
    expect(use.searchStatus().pending).toBe(5);
  });

  it('allows exactly as many legs as the limit', async () => {
    const { use } = searchApi({ maxPending: 4 });
    const results = await Promise.all([use.search(request), use.search(request), use.search(request)]);
    expect(results.map((result) => result.isOk())).toEqual([true, true, false]);
  });

  it('defaults to 10,000 legs', async () => {
    const { use, exchange } = searchApi();
    await exchange.expect(
      Array.from({ length: 9_998 }, (_, leg) => waiting(`other-${leg}`)),
      1,
    );
    expect((await use.search(request)).isOk()).toBe(true);
    expect((await use.search(request)).isErr()).toBe(true);
  });

  it('rejects an invalid request with invalid, not overloaded', async () => {
    const { use } = searchApi({ maxPending: 0 });
    expect(await use.search({})).toMatchObject({ error: { kind: 'invalid' } });
  });
});

/** A search API whose exchange is degraded for this reason. */
const degradedSearch = (degradedReason?: string, settings: Partial<SearchSettings> = {}) => {
  const clock = fakeClock();
  const exchange = fakeCallbackExchange(clock);
  exchange.degrade(degradedReason);
  const ports = { clock, transport: fakeSearchTransport(), exchange, ids: fakeIds() };
  return { exchange, ...createSearchUseCases(ports, { legs: bothLegs, ...settings }) };
};

describe('searchStatus', () => {
  it('reports ok, without reasons, while callbacks can be delivered and searches are accepted', () => {
    const { searchStatus } = degradedSearch();
    expect(searchStatus()).toEqual({
      status: 'ok',
      pending: 0,
      callbacks: { delivered: 0, duplicate: 0, late: 0, unknown: 0, rejected: 0, mismatched: 0 },
    });
  });

  it('reports why the next search would be refused', async () => {
    const { search, searchStatus } = degradedSearch(undefined, { maxPending: 3 });
    expect(searchStatus().status).toBe('ok');
    await search(request);
    expect(searchStatus()).toMatchObject({ status: 'degraded', reasons: ['too many legs are pending'], pending: 2 });
  });

  it('reports ok while exactly one more search would be accepted', async () => {
    const { search, searchStatus } = degradedSearch(undefined, { maxPending: 4 });
    await search(request);
    expect(searchStatus()).toMatchObject({ status: 'ok', pending: 2 });
    expect((await search(request)).isOk()).toBe(true);
  });

  it('reports the degraded reason of the exchange while there is one', () => {
    const { exchange, searchStatus } = degradedSearch('the exchange is down');
    expect(searchStatus()).toMatchObject({ status: 'degraded', reasons: ['the exchange is down'] });
    exchange.degrade(undefined);
    expect(searchStatus()).not.toHaveProperty('reasons');
    expect(searchStatus().status).toBe('ok');
  });

  it('reports all reasons', async () => {
    const { search, searchStatus } = degradedSearch('the exchange is down', { maxPending: 2 });
    await search(request);
    expect(searchStatus().reasons).toEqual(['too many legs are pending', 'the exchange is down']);
  });

  it('accepts searches while the exchange is degraded', async () => {
    expect((await degradedSearch('the exchange is down').search(request)).isOk()).toBe(true);
  });
});

const pathsOf = (value: unknown, personas?: readonly string[]) =>
  parseSearchRequest(value, personas).match(
    () => [],
    (failure) => (failure.kind === 'invalid' ? failure.errors.map(({ path }) => path) : [failure.kind]),
  );

describe('parseSearchRequest', () => {
  it('trims persona, query and user_id and ignores other fields', () => {
    expect(parseSearchRequest({ persona: ' member ', query: '\u00a0x\u3000', user_id: '\tu\n', debug: true })).toEqual(
      ok({ persona: 'member', query: 'x', userId: 'u' }),
    );
  });

  it.each([undefined, null, 'text', 7, true, [], {}, [request], Object.create(request)])(
    'reports all missing fields of %j',
    (value) => {
      expect(pathsOf(value)).toEqual(['/persona', '/query', '/user_id']);
    },
  );

  it('describes the required format of each field', async () => {
    expect(await searchApi().use.search({})).toEqual(
      err({
        kind: 'invalid',
        detail: 'The search request must have a valid persona, query and user_id.',
        errors: [
          { path: '/persona', message: 'must be a string of 1 to 64 characters' },
          { path: '/query', message: 'must be a string of 1 to 256 characters' },
          { path: '/user_id', message: 'must be a string of 1 to 128 characters' },
        ],
      }),
    );
  });

  const fields = [
    ['persona', 64],
    ['query', 256],
    ['user_id', 128],
  ] as const;

  it.each(fields)('accepts a %s of 1 to %d characters', (name, most) => {
    for (const text of ['x', 'x'.repeat(most), `  ${'x'.repeat(most)}  `])
      expect(pathsOf({ ...request, [name]: text })).toEqual([]);
    for (const text of ['', ' \t\r\n\u00a0', 'x'.repeat(most + 1)])
      expect(pathsOf({ ...request, [name]: text })).toEqual([`/${name}`]);
  });

  it.each(fields)('counts the length of %s in code points, as JSON Schema does', (name, most) => {
    expect(pathsOf({ ...request, [name]: '😀'.repeat(most) })).toEqual([]);
    expect(pathsOf({ ...request, [name]: `${'😀'.repeat(most)}x` })).toEqual([`/${name}`]);
    expect(pathsOf({ ...request, [name]: '😀'.repeat(100_000) })).toEqual([`/${name}`]);
  });

  it.each(fields)('rejects a %s that is not a string', (name) => {
    for (const value of [undefined, null, 7, true, ['x'], { x: 1 }, { toString: () => 'x' }])
      expect(pathsOf({ ...request, [name]: value })).toEqual([`/${name}`]);
  });

  it('rejects a persona that is not in the list', () => {
    expect(pathsOf({ ...request, persona: ' member ' }, ['member', 'agent'])).toEqual([]);
    expect(pathsOf(request, [])).toEqual(['/persona']);
    expect(pathsOf({ ...request, persona: '' }, ['member'])).toEqual(['/persona']);
    expect(pathsOf({ ...request, query: '' }, ['agent'])).toEqual(['/query']);
    expect(parseSearchRequest({ ...request, persona: 'Member' }, ['member', 'agent'])).toMatchObject({
      error: { errors: [{ path: '/persona', message: 'must be one of member, agent' }] },
    });
  });

  it('uses the personas of the settings', async () => {
    const { use, transport } = searchApi({ personas: ['agent'] });
    expect(await use.search(request)).toMatchObject({ error: { kind: 'invalid' } });
    expect(transport.posts).toEqual([]);
    expect((await use.search({ ...request, persona: 'agent' })).isOk()).toBe(true);
  });
});

describe('the legs of a search', () => {
  it('returns the legs as configured', async () => {
    expect(await searchApi().use.listLegs()).toEqual(ok(bothLegs));
  });

  it.each([
    ['there are none', []],
    ['two have the same id', [aLeg('moa'), aLeg('mh'), aLeg('moa')]],
    ['one has the id elapsed_ms', [aLeg('elapsed_ms')]],
    ['one has the id errors', [aLeg('moa'), aLeg('errors')]],
    ['one has the id traces', [aLeg('traces')]],
  ])('rejects the legs when %s', (_, legs) => {
    expect(() => searchApi({ legs })).toThrow(
      new TypeError('A search needs at least one leg. Leg ids must be unique and not elapsed_ms, errors or traces.'),
    );
  });

  it('rejects a leg with verifyCallbacks when there is no verifier', () => {
    expect(() => searchApi({ legs: [aLeg('moa'), aLeg('mh', { verifyCallbacks: true })] })).toThrow(
      new TypeError('A leg with verifyCallbacks needs the port verifier.'),
    );
  });

  it.each([
    ['maxBytes', { maxBytes: 333.33 }],
    ['maxBytes', { maxBytes: Number.NaN }],
    ['maxCallbacks', { maxCallbacks: -1 }],
    ['count', { callbacks: { count: 1.5 } }],
    ['quietMs', { callbacks: { quietMs: 0 } }],
  ])('refuses a limit of a leg that is not a whole number: %s %j', (name, more) => {
    expect(() => searchApi({ legs: [aLeg('moa', more)] })).toThrow(
      new TypeError(`${name} of the leg moa must be a whole number of at least 1.`),
    );
  });

  it.each([
    ['timeoutMs', Number.NaN],
    ['timeoutMs', 0],
    ['timeoutMs', Infinity],
    ['maxPending', Number.NaN],
    ['maxPending', -1],
  ])('refuses a limit of the search that would never apply: %s %d', (name, value) => {
    expect(() => searchApi({ legs: [aLeg('moa')], [name]: value })).toThrow(new RegExp(`^${name} of a search must be`));
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'Errors'])('accepts a leg with the id %s', async (id) => {
    const { use, idOf } = searchApi({ legs: [aLeg(id), aLeg('mh')] });
    const { response } = await succeeds(use.search(request));
    await use.receiveCallback(anOnSearch(idOf(0)));
    await use.receiveCallback(anOnSearch(idOf(1)));
    const parsed = JSON.parse(searchResponseText(await response)) as object;
    expect(Object.getOwnPropertyDescriptor(parsed, id)?.value).toEqual(anOnSearch(idOf(0)).value);
  });
});

describe('personas with settings', () => {
  const personas = {
    member: { legs: ['mh'], intent: { for: '{persona} {user_id}' } },
    broker: {},
  };

  it('searches only the legs of the persona, and responds with only these', async () => {
    const { use, transport, idOf } = searchApi({ personas });
    const { response } = await succeeds(use.search(request));
    expect(transport.posts.map(({ leg }) => leg.id)).toEqual(['mh']);
    await use.receiveCallback(anOnSearch(idOf(0)));
    const body = JSON.parse(searchResponseText(await response)) as object;
    expect(Object.keys(body)).toEqual(['elapsed_ms', 'mh', 'traces']);
  });

  it('merges the intent of the persona', async () => {
    const { use, transport } = searchApi({ personas });
    await use.search(request);
    await use.search({ ...request, persona: 'broker' });
    expect(transport.posts.map(({ envelope }) => envelope.message.intent)).toMatchObject([
      { for: 'member user-1', item: { descriptor: { name: 'dental cover' } } },
      {},
      {},
    ]);
    expect(transport.posts[1]?.envelope.message.intent).not.toHaveProperty('for');
  });

  it('counts only the legs that are searched against maxPending', async () => {
    const { use } = searchApi({ personas, maxPending: 1 });
    expect((await use.search({ ...request, persona: 'broker' })).isErr()).toBe(true);
    expect((await use.search(request)).isOk()).toBe(true);
    expect((await use.search(request)).isErr()).toBe(true);
  });

  it.each(['__proto__', 'constructor', 'toString', 'guest'])('refuses the persona %s', async (persona) => {
    const { use, transport } = searchApi({ personas });
    expect(await use.search({ ...request, persona })).toMatchObject({
      error: { kind: 'invalid', errors: [{ path: '/persona', message: 'must be one of member, broker' }] },
    });
    expect(transport.posts).toEqual([]);
  });

  it.each([
    [['moa', 'elsewhere'], 'The persona member names the leg elsewhere, which does not exist.'],
    [['constructor'], 'The persona member names the leg constructor, which does not exist.'],
    [[], 'The persona member must name at least one leg.'],
  ])('rejects the legs %j', (legs, message) => {
    expect(() => searchApi({ personas: { member: { legs } } })).toThrow(new TypeError(message));
  });
});

describe('listLegs', () => {
  it('returns the path of the profile for a leg without its own', async () => {
    const { gatewayPath: _, ...leg } = aLeg('moa', { profile: 'beckn-2.0' });
    const { use } = searchApi({ legs: [leg, aLeg('mh')] });
    expect(await succeeds(use.listLegs())).toMatchObject([{ gatewayPath: '/discover' }, { gatewayPath: '/search' }]);
  });

  it.each([
    [10_000, 'PT10S'],
    [1_500, 'PT1.5S'],
    [1, 'PT0.001S'],
    [600_000, 'PT600S'],
  ])(
    'returns the time that a search waits as ttl of a leg without one, which is sent: %d ms',
    async (timeoutMs, ttl) => {
      const { ttl: _, ...leg } = aLeg('moa');
      const { use, transport } = searchApi({ legs: [leg, aLeg('mh')], timeoutMs });
      expect(await succeeds(use.listLegs())).toMatchObject([{ ttl }, { ttl: 'PT10M' }]);
      await use.search(request);
      expect(transport.posts.map(({ envelope }) => envelope.context.ttl)).toEqual([ttl, 'PT10M']);
    },
  );
});

describe('a leg of Beckn 2.0', () => {
  const legs = [aLeg('moa', { profile: 'beckn-2.0' })];
  const catalogs = { message: { catalogs: [] } };

  it.each([
    ['camel case', (id: string) => ({ transactionId: id, bppId: 'bpp.example.org' })],
    ['snake case', (id: string) => ({ transaction_id: id, bpp_id: 'bpp.example.org' })],
  ])('is delivered by an on_discover callback with names in %s', async (_, context) => {
    const { use, transport } = searchApi({ legs });
    const { response } = await succeeds(use.search(request));
    const { transactionId } = contextFields(transport.posts[0]?.envelope.context);
    const callback = toJson({ context: { action: 'on_discover', ...context(String(transactionId)) }, ...catalogs });
    expect(await use.receiveCallback(callback)).toEqual(ok('delivered'));
    expect(JSON.parse(searchResponseText(await response))).toMatchObject({ moa: callback.value });
  });

  it.each([{ messageId: 'another' }, { bapId: 'other.example' }])(
    'counts a callback with %j as mismatched',
    async (other) => {
      const { use, transport } = searchApi({ legs });
      await succeeds(use.search(request));
      const { transactionId } = contextFields(transport.posts[0]?.envelope.context);
      const context = { action: 'on_discover', transactionId, ...other };
      await use.receiveCallback(toJson({ context, ...catalogs }));
      expect(use.searchStatus().callbacks).toMatchObject({ delivered: 1, mismatched: 1 });
    },
  );
});

const profileWith = (context: object): NetworkProfile => ({
  ...networkProfiles['beckn-1.1'],
  buildEnvelope: ({ transactionId }) => ({ context: { ...context, transaction_id: transactionId }, message: {} }),
});

describe('a profile of your own', () => {
  it('is used for its leg', async () => {
    const { use, transport } = searchApi({ legs: [aLeg('moa', { profile: profileWith({ own: true }) })] });
    await succeeds(use.search(request));
    expect(transport.posts[0]?.envelope).toMatchObject({ context: { own: true }, message: {} });
  });

  it('must send the transaction id', () => {
    const profile = { ...profileWith({}), buildEnvelope: () => ({ context: {}, message: {} }) };
    expect(() => searchApi({ legs: [aLeg('moa', { profile })] })).toThrow(
      new TypeError('The profile of the leg moa must send the transaction id in the context.'),
    );
  });
});

import { generateKeyPairSync } from 'node:crypto';
import {
  declareService,
  type DocumentLocator,
  type Leg,
  type Ports,
  toJson,
  unauthenticated,
  upstream,
} from '@portico/core';
import {
  coreModule,
  portTokens,
  searchModule,
  searchPortTokens,
  searchUseCasesToken,
  sentSearchesToken,
  useCasesToken,
  useCaseTokens,
} from '@portico/core/inversify';
import { aMember, type FakeClock, fakeClock } from '@portico/core/testing';
import { Container, type ContainerModule } from 'inversify';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { becknSigner } from './beckn/signature.ts';
import { httpModule, httpSearchModule, type HttpSearchModuleSettings } from './inversify.ts';
import { httpServer, valueOf } from './http/local-servers.test.support.ts';
import { systemClock } from '@portico/core/system';

const settings = (url: string) => ({
  identity: { issuer: url, audience: ['portico'] },
  downstreams: {
    eligibility: { url: `${url}/eligibility` },
    claims: { url: `${url}/claims` },
    documents: { url: `${url}/documents` },
    policy: { url: `${url}/policy` },
    notifications: { url: `${url}/notifications` },
    consent: { url: `${url}/consent` },
  },
});

it('httpModule binds every port to its own service', async () => {
  const server = await httpServer((response) => response.writeHead(404).end());
  const container = new Container();
  container.load(httpModule(settings(server.url)));
  const port = <Name extends keyof Ports>(name: Name) => container.get(portTokens[name]);
  const member = aMember();
  await port('identity').warm();
  await port('eligibility').coverage(member);
  await port('claims').list(member, []);
  await port('documents').get(member, 'DOC-1' as DocumentLocator, {});
  await port('policy').profile(member);
  await port('notifications').preferences(member);
  await port('consent').get(member);
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/.well-known/openid-configuration',
    '/eligibility/members/PTY-1/coverage',
    '/claims/members/PTY-1/claims',
    '/documents/members/PTY-1/documents/DOC-1',
    '/policy/parties/PTY-1',
    '/notifications/preferences/PTY-1',
    '/consent/consent/PTY-1',
  ]);
});

/** The ways to bind a custom clock. */
const clockChoices: readonly (readonly [
  string,
  (container: Container, clock: FakeClock, ...modules: readonly ContainerModule[]) => void,
])[] = [
  [
    'bound before the modules',
    (container, clock, ...modules) => {
      container.bind(portTokens.clock).toConstantValue(clock);
      container.load(...modules);
    },
  ],
  [
    'rebound after the modules',
    (container, clock, ...modules) => {
      container.load(...modules);
      container.rebind(searchPortTokens.clock).toConstantValue(clock);
    },
  ],
];

describe('the clock', () => {
  it('the clock is the system clock for both modules, in either order', () => {
    for (const modules of [
      [httpModule(settings('http://downstream.test')), httpSearchModule()],
      [httpSearchModule(), httpModule(settings('http://downstream.test'))],
    ]) {
      const container = new Container();
      container.load(...modules);
      expect(container.getAll(portTokens.clock)).toEqual([systemClock]);
      expect(container.get(searchPortTokens.clock)).toBe(systemClock);
    }
  });

  it.each(clockChoices)('the clock is a custom clock for both modules when it is %s', (_, choose) => {
    const clock = fakeClock();
    const container = new Container();
    choose(container, clock, httpModule(settings('http://downstream.test')), httpSearchModule());
    expect(container.getAll(portTokens.clock)).toEqual([clock]);
    expect(container.get(searchPortTokens.clock)).toBe(clock);
  });
});

it('httpModule binds a single identity adapter, so that keys are fetched once', () => {
  const container = new Container();
  container.load(httpModule(settings('http://downstream.test')));
  expect(container.get(portTokens.identity)).toBe(container.get(portTokens.identity));
});

it('httpModule completes the use cases', async () => {
  const text = '{"plan":"gold"}';
  const { url } = await httpServer((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(text),
  );
  const container = new Container();
  container.load(coreModule(), httpModule(settings(url)));
  const getCoverage = container.get(useCaseTokens.getCoverage);
  expect(await valueOf(getCoverage(aMember()))).toMatchObject({ text });
});

it('httpModule binds no port for a service without settings', () => {
  const { identity, downstreams } = settings('http://downstream.test');
  const container = new Container();
  container.load(coreModule(), httpModule({ identity, downstreams: { claims: downstreams.claims } }));
  expect(Object.keys(container.get(useCasesToken))).toEqual([
    'authenticate',
    'requestToken',
    'listClaims',
    'getClaim',
    'submitClaim',
  ]);
});

it('httpModule rejects invalid settings when it is loaded', () => {
  const { identity, downstreams } = settings('http://downstream.test');
  const container = new Container();
  expect(() =>
    container.load(httpModule({ identity, downstreams: { ...downstreams, claims: { url: 'claims' } } })),
  ).toThrow(TypeError);
});

describe('the search module', () => {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const signing = {
    subscriberId: 'bpp.example.org',
    uniqueKeyId: 'k1',
    privateKey: Buffer.from(d, 'base64url').toString('base64'),
  };
  const record = {
    subscriber_id: 'bpp.example.org',
    key_id: 'k1',
    signing_public_key: Buffer.from(x, 'base64url').toString('base64'),
  };
  const request = { persona: 'member', query: 'cover', user_id: 'u-1' };

  /** Starts two networks that acknowledge, and a registry, all on one server. A path in `silence.at` gets no response. */
  const loadSearch = async (
    settings: HttpSearchModuleSettings,
    differences: Partial<Leg> = {},
    choose: (typeof clockChoices)[number][1] = (container, _, ...modules) => container.load(...modules),
  ) => {
    const clock = fakeClock();
    const silence = { at: '' };
    const network = await httpServer((response, { path }) => {
      if (path === silence.at) return;
      if (path === '/lookup') response.setHeader('content-type', 'application/json').end(JSON.stringify([record]));
      else response.end('{"message":{"ack":{"status":"ACK"}}}');
    });
    const aLeg = (id: string): Leg => ({
      id,
      label: id,
      domain: `schemes:${id}`,
      version: '1.1.0',
      city: 'std:080',
      categoryCode: 'health-cover',
      bapId: 'bap.example.org',
      bapUri: 'https://bap.example.org',
      gatewayUrl: network.url,
      gatewayPath: `/${id}/search`,
      ttl: 'PT10M',
    });
    const container = new Container();
    const registry = settings.registry && { ...settings.registry, url: network.url };
    choose(
      container,
      clock,
      searchModule({ legs: [aLeg('moa'), { ...aLeg('mh'), ...differences }] }),
      httpSearchModule({ ...settings, ...(registry && { registry }) }),
    );
    return { network, silence, container, clock };
  };

  describe.each(clockChoices)('with a clock %s', (_, choose) => {
    it('posts to every network, signs where configured, and times out by the clock', async () => {
      const { network, container, clock } = await loadSearch({ transport: { signing: { mh: signing } } }, {}, choose);
      const useCases = container.get(searchUseCasesToken);
      const { response } = await valueOf(useCases.search(request));
      await acknowledged(clock);
      const requests = network.requests.toSorted((one, other) => (one.path < other.path ? -1 : 1));
      expect(requests.map(({ path, headers }) => [path, headers['authorization'] !== undefined])).toEqual([
        ['/mh/search', true],
        ['/moa/search', false],
      ]);
      expect(requests[0]?.headers['authorization']).toContain('created="1767225600"');

      const callback = onSearch(transactionOf(requests, '/moa/search'));
      expect(await useCases.receiveCallback(callback)).toEqual(ok('delivered'));
      clock.advance(10_000);
      expect(await response).toMatchObject({
        elapsedMs: 10_000,
        legs: [
          { leg: { id: 'moa' }, elapsedMs: 0, callback },
          { leg: { id: 'mh' }, elapsedMs: 10_000, error: { kind: 'timeout' } },
        ],
      });
      expect(clock.scheduled).toBe(0);
    });

    it('times out by the clock when a network does not acknowledge', async () => {
      const { network, silence, container, clock } = await loadSearch({ transport: { ackTimeoutMs: 700 } }, {}, choose);
      silence.at = '/mh/search';
      const { legs } = await valueOf(container.get(searchUseCasesToken).search(request));
      await network.until(() => network.requests.length === 2);
      // The deadline of the search and that of the silent network.
      await expect.poll(() => clock.scheduled, { interval: 1 }).toBe(2);
      clock.advance(700);
      expect(await legs[1]).toMatchObject({
        elapsedMs: 700,
        error: { kind: 'bap_unreachable', detail: 'the network did not acknowledge in time' },
      });
      clock.advance(9300);
      expect(await legs[0]).toMatchObject({ elapsedMs: 10_000, error: { kind: 'timeout' } });
      expect(clock.scheduled).toBe(0);
    });

    it('forgets settled transactions by the clock', async () => {
      const { container, clock } = await loadSearch({}, {}, choose);
      const exchange = container.get(searchPortTokens.exchange);
      const settle = async (transactionId: string) => {
        await exchange.expect([{ transactionId, legId: 'moa', deliver: () => {} }], 1000);
        exchange.release(transactionId);
      };
      const callback = onSearch('first');
      await settle('first');
      expect(await exchange.offer('first', callback.text)).toEqual(ok('late'));
      for (const next of ['second', 'third']) {
        clock.advance(60_000);
        await settle(next);
      }
      expect(await exchange.offer('first', callback.text)).toEqual(ok('unknown'));
    });

    it('times out by the clock when the registry does not respond', async () => {
      const settings = { registry: { url: '', timeoutMs: 700 } };
      const { network, silence, container, clock } = await loadSearch(settings, { verifyCallbacks: true }, choose);
      silence.at = '/lookup';
      const bytes = Buffer.from('{}');
      const created = clock.now() / 1000;
      const verifying = container
        .get(searchPortTokens.verifier)
        .verify(becknSigner(signing).sign(bytes, created, created + 60), bytes);
      await network.until(() => network.requests.length === 1);
      clock.advance(700);
      expect(await verifying).toEqual(err(upstream('registry', 'timeout')));
    });

    it('accepts only callbacks whose signature verifies with a key in the registry', async () => {
      const settings = { registry: { url: '' } };
      const { network, container, clock } = await loadSearch(settings, { verifyCallbacks: true }, choose);
      const created = clock.now() / 1000;
      const useCases = container.get(searchUseCasesToken);
      const { legs } = await valueOf(useCases.search(request));
      await acknowledged(clock);
      const callback = onSearch(transactionOf(network.requests, '/mh/search'));
      const bytes = Buffer.from(callback.text);
      const signed = becknSigner(signing).sign(bytes, created, created + 60);

      const { text } = callback;
      const unsigned = await useCases.receiveCallback({ text, bytes });
      expect(unsigned).toEqual(err(unauthenticated('missing')));
      const good = await useCases.receiveCallback({ text, bytes, authorization: signed });
      expect(good).toEqual(ok('delivered'));
      expect(await legs[1]).toMatchObject({ leg: { id: 'mh' }, callback });
      expect(network.requests.filter(({ path }) => path === '/lookup')).toHaveLength(1);
      clock.advance(10_000);
      expect(await legs[0]).toMatchObject({ leg: { id: 'moa' }, error: { kind: 'timeout' } });
    });
  });

  it('the search module has no verifier without a registry, and fails to resolve when a leg verifies callbacks', async () => {
    const { container } = await loadSearch({});
    expect(container.isBound(searchPortTokens.verifier)).toBe(false);
    const unverified = await loadSearch({}, { verifyCallbacks: true });
    expect(() => unverified.container.get(searchUseCasesToken)).toThrow(TypeError);
  });

  it.each([
    ['a search of portico serve can wait', {}, 599_999],
    ['the setting', { rememberMs: 2_000_000 }, 1_999_999],
  ])('remembers what was sent for as long as %s', async (_, settings, laterMs) => {
    const { container, clock } = await loadSearch(settings, {}, clockChoices[0]![1]);
    const sent = container.get(sentSearchesToken);
    const search = { legId: 'mh', signature: 'c2lnbmF0dXJl' };
    await sent.remember('transaction-1', search);
    clock.advance(laterMs);
    expect(await sent.find('transaction-1')).toEqual(ok(search));
  });

  it('binds a single exchange, transport and set of use cases', async () => {
    const { container } = await loadSearch({});
    for (const token of [searchPortTokens.exchange, searchPortTokens.transport])
      expect(container.get<unknown>(token)).toBe(container.get<unknown>(token));
    expect(container.get(searchUseCasesToken)).toBe(container.get(searchUseCasesToken));
  });
});

/** Resolves when only the deadline of the search is scheduled. */
const acknowledged = (clock: FakeClock) => expect.poll(() => clock.scheduled, { interval: 1 }).toBe(1);

const onSearch = (transactionId: string) =>
  toJson({
    context: { action: 'on_search', transaction_id: transactionId, bpp_id: 'bpp.example.org' },
    message: { catalog: { providers: [] } },
  });

/** The transaction id of the request to this path. */
const transactionOf = (requests: readonly { readonly path: string; readonly body: string }[], path: string): string =>
  (
    JSON.parse(requests.find((request) => request.path === path)?.body ?? '') as {
      readonly context: { readonly transaction_id: string };
    }
  ).context.transaction_id;

it('httpModule binds services of your own from their declarations', async () => {
  const { url, requests } = await httpServer((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  );
  const plans = declareService('plans', { get: { route: 'GET /me/plans', path: '/plans/{partyLocator}' } });
  const visits = declareService('visits', { get: { route: 'GET /me/visits', path: '/visits/{partyLocator}' } });
  const { identity } = settings(url);
  const services = [plans, visits].map((declaration) => ({ declaration, settings: { url } }));
  const container = new Container();
  container.load(coreModule(), httpModule({ identity, downstreams: {}, services }));
  const bound = container.get(useCasesToken).services ?? [];
  expect(bound.map(({ declaration }) => declaration)).toEqual([plans, visits]);
  for (const { useCases } of bound) await useCases['get']?.(aMember());
  expect(requests.map(({ path }) => path)).toEqual(['/plans/PTY-1', '/visits/PTY-1']);
});

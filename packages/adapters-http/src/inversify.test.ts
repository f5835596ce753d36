import { generateKeyPairSync } from 'node:crypto';
import { type DocumentLocator, type Leg, type Ports, toJson, unauthenticated } from '@portico/core';
import {
  coreModule,
  portTokens,
  searchModule,
  searchPortTokens,
  searchUseCasesToken,
  useCasesToken,
} from '@portico/core/inversify';
import { aMember, type FakeClock, fakeClock } from '@portico/core/testing';
import { Container, type ServiceIdentifier } from 'inversify';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { becknSigner } from './beckn-signature.ts';
import { httpModule, httpSearchModule, type HttpSearchModuleSettings } from './inversify.ts';
import { httpServer, valueOf } from './local-servers.test.support.ts';

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

it('answers every port, each from its own system', async () => {
  const server = await httpServer((response) => response.writeHead(404).end());
  const container = new Container();
  container.load(httpModule(settings(server.url)));
  const port = <Name extends keyof Ports>(name: Name) =>
    container.get(portTokens[name] as ServiceIdentifier<Ports[Name]>);
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

it('gives everybody the same adapter, so that keys are fetched once', () => {
  const container = new Container();
  container.load(httpModule(settings('http://downstream.test')));
  expect(container.get(portTokens.identity)).toBe(container.get(portTokens.identity));
});

it('makes the use cases whole', async () => {
  const text = '{"plan":"gold"}';
  const { url } = await httpServer((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(text),
  );
  const container = new Container();
  container.load(coreModule(), httpModule(settings(url)));
  const { getCoverage } = container.get(useCasesToken);
  expect(await valueOf(getCoverage(aMember()))).toMatchObject({ text });
});

it('refuses settings that cannot work when it is loaded, not when a member asks', () => {
  const { identity, downstreams } = settings('http://downstream.test');
  const container = new Container();
  expect(() =>
    container.load(httpModule({ identity, downstreams: { ...downstreams, claims: { url: 'claims' } } })),
  ).toThrow(TypeError);
});

describe('the search half', () => {
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

  /** Two networks that acknowledge, the second one taking signed callbacks only, and whoever else is asked. */
  const searching = async (settings: HttpSearchModuleSettings, differences: Partial<Leg> = {}) => {
    const network = await httpServer((response, { path }) =>
      path === '/lookup'
        ? response.setHeader('content-type', 'application/json').end(JSON.stringify([record]))
        : response.end('{"message":{"ack":{"status":"ACK"}}}'),
    );
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
    container.load(
      searchModule({ legs: [aLeg('moa'), { ...aLeg('mh'), ...differences }] }),
      httpSearchModule({ ...settings, ...(registry && { registry }) }),
    );
    return { network, container };
  };

  it('posts to every network, signed where asked, and ends by the clock it is given', async () => {
    const clock = fakeClock();
    const { network, container } = await searching({ clock, transport: { signing: { mh: signing } } });
    const use = container.get(searchUseCasesToken);
    const { answer } = await valueOf(use.search(request));
    await acknowledged(clock);
    const heard = network.requests.toSorted((one, other) => (one.path < other.path ? -1 : 1));
    expect(heard.map(({ path, headers }) => [path, headers['authorization'] !== undefined])).toEqual([
      ['/mh/search', true],
      ['/moa/search', false],
    ]);
    expect(heard[0]?.headers['authorization']).toContain('created="1767225600"');

    const callback = onSearch(transactionOf(heard, '/moa/search'));
    expect(await use.receiveCallback(callback)).toEqual(ok('delivered'));
    clock.advance(10_000);
    expect(await answer).toMatchObject({
      elapsedMs: 10_000,
      legs: [
        { leg: { id: 'moa' }, elapsedMs: 0, callback },
        { leg: { id: 'mh' }, elapsedMs: 10_000, error: { kind: 'timeout' } },
      ],
    });
    expect(clock.scheduled).toBe(0);
  });

  it('takes callbacks for whose signature the registry vouches, and no others', async () => {
    const clock = fakeClock();
    const created = clock.now() / 1000;
    const { network, container } = await searching({ clock, registry: { url: '' } }, { verifyCallbacks: true });
    const use = container.get(searchUseCasesToken);
    const { legs } = await valueOf(use.search(request));
    await acknowledged(clock);
    const callback = onSearch(transactionOf(network.requests, '/mh/search'));
    const bytes = Buffer.from(callback.text);
    const signed = becknSigner(signing).sign(bytes, created, created + 60);

    const unsigned = await use.receiveCallback(callback, await use.verifyCallback(undefined, bytes));
    expect(unsigned).toEqual(err(unauthenticated('missing')));
    const good = await use.receiveCallback(callback, await use.verifyCallback(signed, bytes));
    expect(good).toEqual(ok('delivered'));
    expect(await legs[1]).toMatchObject({ leg: { id: 'mh' }, callback });
    expect(network.requests.filter(({ path }) => path === '/lookup')).toHaveLength(1);
    clock.advance(10_000);
    expect(await legs[0]).toMatchObject({ leg: { id: 'moa' }, error: { kind: 'timeout' } });
  });

  it('verifies nothing without a registry, and cannot be made when a leg wants that', async () => {
    const { container } = await searching({});
    expect(container.isBound(searchPortTokens.verifier)).toBe(false);
    const wanting = await searching({}, { verifyCallbacks: true });
    expect(() => wanting.container.get(searchUseCasesToken)).toThrow(TypeError);
  });

  it('waits in one place, whoever asks', async () => {
    const { container } = await searching({});
    expect(container.get(searchPortTokens.exchange)).toBe(container.get(searchPortTokens.exchange));
    expect(container.get(searchUseCasesToken)).toBe(container.get(searchUseCasesToken));
  });
});

/** Only the deadline of the search is left to wait for. */
const acknowledged = (clock: FakeClock) => expect.poll(() => clock.scheduled, { interval: 1 }).toBe(1);

const onSearch = (transactionId: string) =>
  toJson({
    context: { action: 'on_search', transaction_id: transactionId, bpp_id: 'bpp.example.org' },
    message: { catalog: { providers: [] } },
  });

/** Under which id a network was asked at this path. */
const transactionOf = (requests: readonly { readonly path: string; readonly body: string }[], path: string): string =>
  (
    JSON.parse(requests.find((heard) => heard.path === path)?.body ?? '') as {
      readonly context: { readonly transaction_id: string };
    }
  ).context.transaction_id;

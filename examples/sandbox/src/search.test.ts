import { randomUUID } from 'node:crypto';
import { becknRegistry, becknVerifier } from '@portico/adapters-http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { envelopeFor, type OnSearch, parsed, post, type Received, startBuyer } from './search/buyer.test.support.ts';
import type { Seller } from './search/seller-behaviour.ts';
import { type LegSettings, type SearchNetworks, startSearchNetworks } from './search.ts';

const search = async (leg: LegSettings, name = 'health') => {
  const envelope = envelopeFor(leg, name);
  const response = await post(leg.gatewayUrl + leg.gatewayPath, envelope);
  return { envelope, response, transactionId: envelope.context.transaction_id };
};

let buyer: Awaited<ReturnType<typeof startBuyer>>;
let networks: SearchNetworks;
let legs: Record<'moa' | 'mh', LegSettings>;
const others: SearchNetworks[] = [];

beforeEach(async () => {
  buyer = await startBuyer();
  networks = await startSearchNetworks({ delayMs: [5, 20] });
  legs = networks.legs(buyer.url);
});
afterEach(async () => {
  await Promise.all([networks.close(), buyer.close(), ...others.splice(0).map((one) => one.close())]);
});

const onSearchOf = async (seller: Seller, transactionId: string): Promise<OnSearch> => {
  await seller.callbackDone(transactionId);
  const [callback, ...more] = buyer.received.map(parsed);
  if (!callback || more.length > 0) throw new Error(`expected one callback, received ${buyer.received.length}`);
  return callback;
};

const signerOf = async ({ headers, bytes }: Received) => {
  const verifier = becknVerifier({ registry: becknRegistry({ url: networks.mh.registry.url }) });
  return (await verifier.verify(headers.authorization, bytes)).match(
    ({ subscriberId }) => subscriberId,
    ({ kind }) => kind,
  );
};

describe('the moa network', () => {
  test('accepts an unsigned envelope and calls back at the public base URL', async () => {
    const { envelope, response, transactionId } = await search(legs.moa);
    expect(response).toMatchObject({ status: 200, body: { message: { ack: 'ACK' } } });
    const { context } = await onSearchOf(networks.moa, transactionId);
    expect(context).toEqual({
      ...envelope.context,
      action: 'on_search',
      bpp_id: networks.moa.bppId,
      bpp_uri: networks.moa.url,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    });
    expect(buyer.received[0]).toMatchObject({ path: '/on_search' });
    expect(buyer.received[0]?.headers.authorization).toBeUndefined();
    expect(networks.moa.callbacks).toEqual([{ transactionId, status: 200, at: expect.any(Date) as Date }]);
  });

  test('removes a trailing slash of the public base URL', async () => {
    const { transactionId } = await search({ ...legs.moa, bapUri: `${buyer.url}/` });
    await networks.moa.callbackDone(transactionId);
    expect(buyer.received).toMatchObject([{ path: '/on_search' }]);
  });

  test.each([
    ['SCHOLARSHIP', ['wc-girls']],
    ['kidney', ['ha-dialysis']],
    ['insurance farmers', ['rl-crop']],
    ['submarine', []],
  ])('finds items by every word of the name or the short description: %s', async (name, ids) => {
    const { transactionId } = await search(legs.moa, name);
    const { catalog } = (await onSearchOf(networks.moa, transactionId)).message;
    expect(catalog['providers']?.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(ids);
  });

  test('returns everything for an empty query', async () => {
    const { transactionId } = await search(legs.moa, '');
    const { catalog } = (await onSearchOf(networks.moa, transactionId)).message;
    expect(catalog['providers']?.map(({ items }) => items.length)).toEqual([4, 3, 3, 3]);
  });

  test.each(['{"context":', '{}', 'null', '{"context":{"action":"search"},"message":{"intent":{}}}'])(
    'refuses an envelope that is not a search: %s',
    async (body) => {
      expect(await post(`${networks.moa.url}/search`, body)).toMatchObject({
        status: 400,
        body: { message: { ack: 'NACK' } },
      });
    },
  );

  test('records a callback that was not received', async () => {
    const { transactionId } = await search({ ...legs.moa, bapUri: 'http://127.0.0.1:1' });
    expect(await networks.moa.callbackDone(transactionId)).toMatchObject([
      { status: null, error: expect.any(String) as string },
    ]);
  });
});

describe('the mh network', () => {
  test('calls back at the unchanged URL, signed by the seller', async () => {
    const { envelope, response, transactionId } = await search(legs.mh, 'health');
    expect(response).toMatchObject({ status: 200, body: { message: { ack: { status: 'ACK' } } } });
    const { context, message } = await onSearchOf(networks.mh, transactionId);
    expect(context).toMatchObject({
      domain: 'retail',
      action: 'on_search',
      transaction_id: transactionId,
      message_id: envelope.context.message_id,
      bpp_uri: networks.mh.url,
    });
    expect(message.catalog['bpp/providers']?.map(({ items }) => items.length)).toEqual([3, 3, 3]);
    expect(buyer.received.map(({ path }) => path)).toEqual(['/on_search']);
    expect(await Promise.all(buyer.received.map(signerOf))).toEqual([networks.mh.bppId]);
    expect(context['bpp_id']).toBe(networks.mh.bppId);
  });

  test.each([
    ['glucometer', ['hd-glucometer']],
    ['PHARMACY vitamin', ['np-vitamin-d']],
    ['zzzz', []],
  ])('finds offers by every word of the name of the offer, the shop or the catalog: %s', async (name, ids) => {
    const { transactionId } = await search(legs.mh, name);
    const { catalog } = (await onSearchOf(networks.mh, transactionId)).message;
    expect(catalog['bpp/providers']?.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(ids);
  });

  test('sends a search through every tier once', async () => {
    await search({ ...legs.mh, gatewayPath: '/bap/caller/search' });
    const { adapter, enrichment, gateway, registry, server } = networks.mh;
    const paths = [adapter, enrichment, gateway, registry, server].map(({ requests }) => requests.map((r) => r.path));
    expect(paths).toEqual([['/bap/caller/search'], ['/enrich'], ['/search'], ['/lookup'], ['/search']]);
  });

  test("refuses at the gateway what another party signed in the buyer's name", async () => {
    const result = await search({ ...legs.mh, bapId: 'another.example' });
    expect(result.response.status).toBe(401);
  });

  test('sends a search without enrichment when that service fails', async () => {
    await networks.mh.enrichment.setFault({ kind: 'garbage' });
    const { response, transactionId } = await search(legs.mh);
    expect(response.status).toBe(200);
    expect(await networks.mh.callbackDone(transactionId)).toMatchObject([{ status: 200 }]);
  });

  test('responds with 503 or 502 when a tier is down', async () => {
    await networks.mh.registry.setFault({ kind: 'refuse' });
    expect((await search(legs.mh)).response.status).toBe(503);
    await networks.mh.gateway.setFault({ kind: 'refuse' });
    expect((await search(legs.mh)).response.status).toBe(502);
    await expect(post(`${networks.mh.adapter.url}/bap/caller/search/`, '{')).resolves.toMatchObject({ status: 400 });
  });

  test('the mh network has a healthy enrichment service that recognizes a returning customer', async () => {
    const { url } = networks.mh.enrichment;
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });
    const { body } = await post(`${url}/enrich`, { intent: { item: {} }, user: { id: 'u-1' } });
    expect(body).toMatchObject({ intent: { item: {}, tags: [{ list: [{ value: 'returning' }, {}] }] } });
    expect(await post(`${url}/enrich`, {})).toMatchObject({ status: 400 });
  });

  test('the mh network has a registry that returns an empty list for an unknown key', async () => {
    const { body } = await post(`${networks.mh.registry.url}/lookup`, { subscriber_id: networks.mh.bppId, ukId: 'x' });
    expect(body).toEqual([]);
  });
});

describe.each(['moa', 'mh'] as const)('a seller of %s', (name) => {
  const seller = () => networks[name];
  const leg = () => legs[name];

  test('may refuse a search or fail', async () => {
    await seller().setBehaviour({ fault: 'nack' });
    const nack = await search(leg());
    const ack = { moa: 'NACK', mh: { status: 'NACK' } }[name];
    expect(nack.response).toMatchObject({ status: 200, body: { message: { ack } } });
    await seller().setBehaviour({ fault: 'status-500' });
    const failed = await search(leg());
    expect(failed.response.status).toBe(500);
    const sent = await Promise.all([nack, failed].map(({ transactionId }) => seller().callbackDone(transactionId)));
    expect(sent).toEqual([[], []]);
  });

  test('may acknowledge late', async () => {
    await seller().setBehaviour({ fault: 'slow-ack', slowAckMs: 60 });
    const started = performance.now();
    const { response, transactionId } = await search(leg());
    expect(response.status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(55);
    expect(await seller().callbackDone(transactionId)).toMatchObject([{ status: 200 }]);
  });

  test('may call back before it acknowledges', async () => {
    await seller().setBehaviour({ fault: 'callback-before-ack' });
    const { transactionId } = await search(leg());
    expect(buyer.received.map((one) => parsed(one).context['transaction_id'])).toEqual([transactionId]);
  });

  test('may call back late', async () => {
    const hour = 3_600_000;
    await seller().setBehaviour({ fault: 'late-callback', delayMs: [hour, hour], lateMs: 5 });
    const { transactionId } = await search(leg());
    expect(await seller().callbackDone(transactionId)).toMatchObject([{ status: 200 }]);
  });

  test('may call back for an unknown search', async () => {
    await seller().setBehaviour({ fault: 'wrong-transaction' });
    const { transactionId } = await search(leg());
    const { context } = await onSearchOf(seller(), transactionId);
    expect(context['transaction_id']).toMatch(/^[\da-f-]{36}$/);
    expect(context['transaction_id']).not.toBe(transactionId);
  });
});

test('a seller of mh may send a callback that names it and has a wrong signature', async () => {
  await networks.mh.setBehaviour({ fault: 'wrong-signature' });
  const { context } = await onSearchOf(networks.mh, (await search(legs.mh)).transactionId);
  expect(context['bpp_id']).toBe(networks.mh.bppId);
  expect(buyer.received[0]?.headers.authorization).toContain(`"${networks.mh.bppId}|`);
  expect(await Promise.all(buyer.received.map(signerOf))).toEqual(['unauthenticated']);
});

test('the search networks use the random function for the delay, and cancel pending callbacks when closed', async () => {
  let chance = 0;
  const networks = await startSearchNetworks({ delayMs: [1, 3_600_000], random: () => chance });
  others.push(networks);
  const soon = await search(networks.legs(buyer.url).moa);
  expect(await networks.moa.callbackDone(soon.transactionId)).toHaveLength(1);
  chance = 0.999;
  const later = await search(networks.legs(buyer.url).moa);
  const dropped = networks.moa.callbackDone(later.transactionId);
  await networks.close();
  expect(await dropped).toEqual([]);
  expect(await networks.moa.callbackDone(randomUUID())).toEqual([]);
  expect(buyer.received).toHaveLength(1);
});

test('the search networks drop searches that wait for an acknowledgement when closed', async () => {
  const networks = await startSearchNetworks();
  others.push(networks);
  await networks.mh.setBehaviour({ fault: 'slow-ack', slowAckMs: 3_600_000 });
  const cut = expect(search(networks.legs(buyer.url).mh)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  await expect.poll(() => networks.mh.server.requests.length, { interval: 1 }).toBe(1);
  await networks.close();
  await cut;
});

test('the search networks provide legs for a buyer-side app', () => {
  expect(networks.legs('http://127.0.0.1:8080/')).toMatchObject({
    moa: {
      domain: 'schemes:moa',
      version: '1.1.0',
      bapUri: 'http://127.0.0.1:8080/',
      gatewayUrl: networks.moa.url,
      gatewayPath: '/search',
      ttl: 'PT10M',
    },
    mh: {
      domain: 'retail',
      version: '1.1.0',
      bapUri: 'http://127.0.0.1:8080/on_search',
      gatewayUrl: networks.mh.adapter.url,
      gatewayPath: '/bap/caller/search/',
      ttl: 'PT10M',
    },
  });
});

test('the search networks use six consecutive ports, and do not start when one is taken', async () => {
  const { networks, firstPort } = await startInARow();
  const { adapter, gateway, server, enrichment, registry } = networks.mh;
  expect(
    [networks.moa.server, adapter, gateway, server, enrichment, registry].map(({ port }) => port - firstPort),
  ).toEqual([0, 1, 2, 3, 4, 5]);
  await expect(startSearchNetworks({ firstPort: firstPort - 5 })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await networks.close();
  const restarted = await startSearchNetworks({ firstPort });
  others.push(restarted);
  expect(restarted.mh.registry.url).toBe(registry.url);
});

/** Other processes may use any port, so this returns the first free row. */
const startInARow = async () => {
  for (let firstPort = 20_000; firstPort < 30_000; firstPort += 10) {
    const networks = await startSearchNetworks({ firstPort }).catch(() => undefined);
    if (!networks) continue;
    others.push(networks);
    return { networks, firstPort };
  }
  throw new Error('no six consecutive free ports');
};

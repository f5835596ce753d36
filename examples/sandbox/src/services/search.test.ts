import { randomUUID } from 'node:crypto';
import { becknRegistry, becknVerifier } from '@portico/adapters-http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { envelopeFor, type OnSearch, parsed, post, type Received, startBuyer } from '../search/buyer.test.support.ts';
import type { Seller } from '../search/seller-behaviour.ts';
import { type LegSettings, type SearchNetworks, startSearchNetworks } from './search.ts';

const search = async (leg: LegSettings, name = 'health') => {
  const envelope = envelopeFor(leg, name);
  const answer = await post(leg.gatewayUrl + leg.gatewayPath, envelope);
  return { envelope, answer, transactionId: envelope.context.transaction_id };
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
  if (!callback || more.length > 0) throw new Error(`one callback was due, not ${buyer.received.length}`);
  return callback;
};

const signerOf = async ({ headers, bytes }: Received) => {
  const verifier = becknVerifier({ registry: becknRegistry({ url: networks.mh.registryUrl }) });
  return (await verifier.verify(headers.authorization, bytes)).match(
    ({ subscriberId }) => subscriberId,
    ({ kind }) => kind,
  );
};

describe('the moa network', () => {
  test('takes an unsigned envelope and calls back under the public base', async () => {
    const { envelope, answer, transactionId } = await search(legs.moa);
    expect(answer).toMatchObject({ status: 200, body: { message: { ack: 'ACK' } } });
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

  test('strips the slash that a public base may end in', async () => {
    const { transactionId } = await search({ ...legs.moa, bapUri: `${buyer.url}/` });
    await networks.moa.callbackDone(transactionId);
    expect(buyer.received).toMatchObject([{ path: '/on_search' }]);
  });

  test.each([
    ['SCHOLARSHIP', ['wc-girls']],
    ['kidney', ['ha-dialysis']],
    ['insurance farmers', ['rl-crop']],
    ['submarine', []],
  ])('finds by every word of the name or the short description: %s', async (name, ids) => {
    const { transactionId } = await search(legs.moa, name);
    const { catalog } = (await onSearchOf(networks.moa, transactionId)).message;
    expect(catalog['providers']?.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(ids);
  });

  test('offers everything to an empty query', async () => {
    const { transactionId } = await search(legs.moa, '');
    const { catalog } = (await onSearchOf(networks.moa, transactionId)).message;
    expect(catalog['providers']?.map(({ items }) => items.length)).toEqual([4, 3, 3, 3]);
  });

  test.each(['{"context":', '{}', 'null', '{"context":{"action":"search"},"message":{"intent":{}}}'])(
    'refuses what is not a search: %s',
    async (body) => {
      expect(await post(`${networks.moa.url}/search`, body)).toMatchObject({
        status: 400,
        body: { message: { ack: 'NACK' } },
      });
    },
  );

  test('records a callback that nobody took', async () => {
    const { transactionId } = await search({ ...legs.moa, bapUri: 'http://127.0.0.1:1' });
    expect(await networks.moa.callbackDone(transactionId)).toMatchObject([
      { status: null, error: expect.any(String) as string },
    ]);
  });
});

describe('the mh network', () => {
  test('answers any query with the whole catalog, at the address as given, signed by the seller', async () => {
    const { envelope, answer, transactionId } = await search(legs.mh, 'submarine');
    expect(answer).toMatchObject({ status: 200, body: { message: { ack: { status: 'ACK' } } } });
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

  test('passes every tier once', async () => {
    await search({ ...legs.mh, gatewayPath: '/bap/caller/search' });
    const { adapter, enrichment, gateway, registry, server } = networks.mh;
    const paths = [adapter, enrichment, gateway, registry, server].map(({ requests }) => requests.map((r) => r.path));
    expect(paths).toEqual([['/bap/caller/search'], ['/enrich'], ['/search'], ['/lookup'], ['/search']]);
  });

  test("keeps out of the gateway what someone else signed in the buyer's name", async () => {
    const answer = await search({ ...legs.mh, bapId: 'another.example' });
    expect(answer.answer.status).toBe(401);
  });

  test('goes on without enrichment when that service is ill', async () => {
    await networks.mh.enrichment.setFault({ kind: 'garbage' });
    const { answer, transactionId } = await search(legs.mh);
    expect(answer.status).toBe(200);
    expect(await networks.mh.callbackDone(transactionId)).toMatchObject([{ status: 200 }]);
  });

  test('answers for the tier that is down', async () => {
    await networks.mh.registry.setFault({ kind: 'refuse' });
    expect((await search(legs.mh)).answer.status).toBe(503);
    await networks.mh.gateway.setFault({ kind: 'refuse' });
    expect((await search(legs.mh)).answer.status).toBe(502);
    await expect(post(`${networks.mh.adapter.url}/bap/caller/search/`, '{')).resolves.toMatchObject({ status: 400 });
  });

  test('has an enrichment service in good health that knows a returning customer', async () => {
    const { url } = networks.mh.enrichment;
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });
    const { body } = await post(`${url}/enrich`, { intent: { item: {} }, user: { id: 'u-1' } });
    expect(body).toMatchObject({ intent: { item: {}, tags: [{ list: [{ value: 'returning' }, {}] }] } });
    expect(await post(`${url}/enrich`, {})).toMatchObject({ status: 400 });
  });

  test('has a registry that answers an empty list for an unknown key', async () => {
    const { body } = await post(`${networks.mh.registryUrl}/lookup`, { subscriber_id: networks.mh.bppId, ukId: 'x' });
    expect(body).toEqual([]);
  });
});

describe.each(['moa', 'mh'] as const)('a seller of %s', (name) => {
  const seller = () => networks[name];
  const leg = () => legs[name];

  test('that is silent acknowledges and never calls back', async () => {
    await seller().setBehaviour({ fault: 'silent' });
    const { answer, transactionId } = await search(leg());
    expect(answer.status).toBe(200);
    expect(await seller().callbackDone(transactionId)).toEqual([]);
  });

  test('may say no, or fail', async () => {
    await seller().setBehaviour({ fault: 'nack' });
    const nack = await search(leg());
    const ack = { moa: 'NACK', mh: { status: 'NACK' } }[name];
    expect(nack.answer).toMatchObject({ status: 200, body: { message: { ack } } });
    await seller().setBehaviour({ fault: 'status-500' });
    const failed = await search(leg());
    expect(failed.answer.status).toBe(500);
    const sent = await Promise.all([nack, failed].map(({ transactionId }) => seller().callbackDone(transactionId)));
    expect(sent).toEqual([[], []]);
  });

  test('may not be reachable, until it is well again', async () => {
    await seller().setBehaviour({ fault: 'refused' });
    await expect(search(leg())).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await seller().setBehaviour({ fault: null });
    expect((await search(leg())).answer.status).toBe(200);
  });

  test('may take its time to acknowledge', async () => {
    await seller().setBehaviour({ fault: 'slow-ack', slowAckMs: 60 });
    const started = performance.now();
    const { answer, transactionId } = await search(leg());
    expect(answer.status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(55);
    expect(await seller().callbackDone(transactionId)).toMatchObject([{ status: 200 }]);
  });

  test('may call back twice', async () => {
    await seller().setBehaviour({ fault: 'two-callbacks' });
    const { transactionId } = await search(leg());
    expect(await seller().callbackDone(transactionId)).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(buyer.received[0]?.bytes).toEqual(buyer.received[1]?.bytes);
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

  test('may call back about a search that nobody made', async () => {
    await seller().setBehaviour({ fault: 'wrong-transaction' });
    const { transactionId } = await search(leg());
    const { context } = await onSearchOf(seller(), transactionId);
    expect(context['transaction_id']).toMatch(/^[\da-f-]{36}$/);
    expect(context['transaction_id']).not.toBe(transactionId);
  });

  test('may call back with as many bytes as one likes', async () => {
    await seller().setBehaviour({ fault: 'huge-catalog', hugeBytes: 1_000_001 });
    const { transactionId } = await search(leg());
    expect((await onSearchOf(seller(), transactionId)).context['transaction_id']).toBe(transactionId);
    expect(buyer.received[0]?.bytes.length).toBe(1_000_001);
  });

  test('may call back with what is not JSON', async () => {
    await seller().setBehaviour({ fault: 'broken-json' });
    await seller().callbackDone((await search(leg())).transactionId);
    expect(buyer.received).toHaveLength(1);
    expect(() => buyer.received.map(parsed)).toThrow(SyntaxError);
  });
});

test('a forged callback names the seller and does not verify', async () => {
  await networks.mh.setBehaviour({ fault: 'wrong-signature' });
  const { context } = await onSearchOf(networks.mh, (await search(legs.mh)).transactionId);
  expect(context['bpp_id']).toBe(networks.mh.bppId);
  expect(buyer.received[0]?.headers.authorization).toContain(`"${networks.mh.bppId}|`);
  expect(await Promise.all(buyer.received.map(signerOf))).toEqual(['unauthenticated']);
});

test('chance picks the delay, and closing drops what is still to come', async () => {
  let chance = 0;
  const own = await startSearchNetworks({ delayMs: [1, 3_600_000], random: () => chance });
  others.push(own);
  const soon = await search(own.legs(buyer.url).moa);
  expect(await own.moa.callbackDone(soon.transactionId)).toHaveLength(1);
  chance = 0.999;
  const later = await search(own.legs(buyer.url).moa);
  const dropped = own.moa.callbackDone(later.transactionId);
  await own.close();
  expect(await dropped).toEqual([]);
  expect(await own.moa.callbackDone(randomUUID())).toEqual([]);
  expect(buyer.received).toHaveLength(1);
});

test('closing cuts off whoever waits for an acknowledgement', async () => {
  const own = await startSearchNetworks();
  others.push(own);
  await own.mh.setBehaviour({ fault: 'slow-ack', slowAckMs: 3_600_000 });
  const cut = expect(search(own.legs(buyer.url).mh)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  await expect.poll(() => own.mh.server.requests.length, { interval: 1 }).toBe(1);
  await own.close();
  await cut;
});

test('the legs point a buyer-side app at the networks', () => {
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

test('takes six ports in a row, and fails when one is taken', async () => {
  const { own, firstPort } = await startInARow();
  const { adapter, gateway, server, enrichment, registry } = own.mh;
  expect([own.moa.server, adapter, gateway, server, enrichment, registry].map(({ port }) => port - firstPort)).toEqual([
    0, 1, 2, 3, 4, 5,
  ]);
  await expect(startSearchNetworks({ firstPort: firstPort - 5 })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await own.close();
  const again = await startSearchNetworks({ firstPort });
  others.push(again);
  expect(again.mh.registryUrl).toBe(registry.url);
});

/** Somebody else may have any port, so the first row that is free. */
const startInARow = async () => {
  for (let firstPort = 20_000; firstPort < 30_000; firstPort += 10) {
    const own = await startSearchNetworks({ firstPort }).catch(() => undefined);
    if (!own) continue;
    others.push(own);
    return { own, firstPort };
  }
  throw new Error('no six free ports in a row');
};

import { becknRegistry, becknSigner, becknVerifier } from '@portico/adapters-http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { envelopeFor, parsed, post, type Received, startBuyer } from '../search/buyer.test.support.ts';
import type { LegSettings } from '../search.ts';
import { type SellerNetwork, startSellerNetwork } from './network.ts';

type NetworkLeg = LegSettings & {
  readonly signing: { readonly subscriberId: string; readonly uniqueKeyId: string; readonly privateKey: string };
};

let buyer: Awaited<ReturnType<typeof startBuyer>>;
let network: SellerNetwork;
let leg: NetworkLeg;
beforeEach(async () => {
  buyer = await startBuyer();
  network = await startSellerNetwork({ longestDelayMs: 20 });
  leg = network.leg(buyer.url) as NetworkLeg;
});
afterEach(() => Promise.all([network.close(), buyer.close()]));

const now = () => Math.floor(Date.now() / 1000);

/** Sends a search to the gateway. Resolves with its transaction id when every seller has called back. */
const search = async (name = 'health') => {
  const text = JSON.stringify(envelopeFor(leg, name));
  const authorization = becknSigner(leg.signing).sign(Buffer.from(text), now(), now() + 60);
  const response = await post(`${network.gateway.url}/search`, text, { authorization });
  const { context } = JSON.parse(text) as { readonly context: { readonly transaction_id: string } };
  await Promise.all(Object.values(network.sellers).map((seller) => seller.callbackDone(context.transaction_id)));
  return response;
};

/** Looks up keys without the cache of an earlier lookup. */
const signerOf = async ({ headers, bytes }: Received) => {
  const verifier = becknVerifier({ registry: becknRegistry({ url: network.registry.url }) });
  return (await verifier.verify(headers.authorization, bytes)).match(
    ({ subscriberId }) => subscriberId,
    ({ kind }) => kind,
  );
};

const keyIdOf = ({ headers }: Received) => /keyId="[^|]+\|([^|]+)\|/.exec(headers.authorization ?? '')?.[1];
const bodyOf = (received: Received) => parsed(received) as Partial<ReturnType<typeof parsed>> & { error?: object };
const from = (name: string) => buyer.received.filter((one) => parsed(one).context['bpp_id'] === `${name}.care.example`);
const itemsIn = (received: Received) =>
  bodyOf(received).message?.catalog['providers']?.flatMap(({ items }) => items.map(({ id }) => id));

test('the gateway forwards a search to every seller, and each calls back directly with its signature', async () => {
  expect(await search()).toMatchObject({ status: 200, body: { message: { ack: { status: 'ACK' } } } });
  expect(new Set(buyer.received.map(({ path }) => path))).toEqual(new Set(['/on_search']));
  expect(await Promise.all(buyer.received.map(signerOf))).toEqual(
    buyer.received.map((one) => parsed(one).context['bpp_id']),
  );
  expect(from('fast').map(itemsIn)).toEqual([['st-thermometer', 'st-pain-balm']]);
  expect(from('slow').map(itemsIn)).toEqual([['vi-glucometer', 'vi-bandages']]);
  expect(from('paged').map(itemsIn)).toEqual([
    ['hc-walker', 'hc-wheelchair'],
    ['hc-nebuliser', 'hc-hot-water'],
  ]);
  expect(from('twice').map(({ bytes }) => bytes.toString())).toEqual(Array(2).fill(from('twice')[0]!.bytes.toString()));
  expect(from('failing').map(bodyOf)).toMatchObject([{ error: { code: '30004' } }]);
  expect(from('failing').map(bodyOf)[0]).not.toHaveProperty('message');
});

test('a seller finds items by every word, and sends an empty catalog without any', async () => {
  await search('glucometer strips');
  expect(['fast', 'slow', 'paged'].map((name) => from(name).map(itemsIn))).toEqual([[[]], [['vi-glucometer']], [[]]]);
});

test('the gateway refuses a search without a signature of its buyer', async () => {
  const text = JSON.stringify(envelopeFor(leg, 'health'));
  const stranger = { ...leg.signing, subscriberId: 'fast.care.example' };
  const authorization = becknSigner(stranger).sign(Buffer.from(text), now(), now() + 60);
  const url = `${network.gateway.url}/search`;
  const inAnotherName = JSON.stringify(envelopeFor({ ...leg, bapId: 'fast.care.example' }, 'health'));
  const own = becknSigner(leg.signing).sign(Buffer.from(inAnotherName), now(), now() + 60);
  expect([
    await post(url, text),
    await post(url, text, { authorization }),
    await post(url, inAnotherName, { authorization: own }),
  ]).toMatchObject([{ status: 401, body: { message: { ack: { status: 'NACK' } } } }, { status: 401 }, { status: 401 }]);
  expect(Object.values(network.sellers).map(({ searches }) => searches)).toEqual([0, 0, 0, 0, 0]);
});

test('a seller that refuses connections does not keep the others from a search', async () => {
  await network.sellers.fast.setBehaviour({ fault: 'refused' });
  const text = JSON.stringify(envelopeFor(leg, 'health'));
  const authorization = becknSigner(leg.signing).sign(Buffer.from(text), now(), now() + 60);
  expect(await post(`${network.gateway.url}/search`, text, { authorization })).toMatchObject({ status: 200 });
  await expect.poll(() => from('slow').length, { interval: 2 }).toBe(1);
  expect(from('fast')).toEqual([]);
});

test('a rotated key signs at once, and the old key is valid until its time', async () => {
  await search();
  const [before] = from('fast');
  const rotatedAt = Date.now();
  const { keyId, oldKeyId, oldKeyValidUntil } = network.sellers.fast.rotateKey(60_000);
  expect([keyIdOf(before!), oldKeyId]).toEqual(['fast.care.example.key-1', 'fast.care.example.key-1']);
  expect(Date.parse(oldKeyValidUntil)).toBeGreaterThanOrEqual(rotatedAt + 60_000);
  await search();
  expect(from('fast').map(keyIdOf)).toEqual([oldKeyId, keyId]);
  expect(await Promise.all(from('fast').map(signerOf))).toEqual(['fast.care.example', 'fast.care.example']);

  network.sellers.slow.rotateKey(0);
  expect(await signerOf(from('slow')[0]!)).toBe('unauthenticated');
  await search();
  expect(await signerOf(from('slow').at(-1)!)).toBe('slow.care.example');
});

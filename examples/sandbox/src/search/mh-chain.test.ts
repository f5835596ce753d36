import { afterEach, expect, test } from 'vitest';
import { type FaultyServer, startFaultyServer } from '../faults.ts';
import { keyRing } from '../network/key-ring.ts';
import { startNetworkRegistry } from '../network/registry.ts';
import { envelopeFor, post } from './buyer.test.support.ts';
import { startMhAdapter } from './mh-adapter.ts';
import { startMhEnrichment } from './mh-enrichment.ts';
import { startMhGateway } from './mh-gateway.ts';
import { type Subscriber, subscriber } from './subscriber.ts';
import { routesListener, json, relay } from './routes.ts';

const running: FaultyServer[] = [];
const keep = (server: FaultyServer): FaultyServer => {
  running.push(server);
  return server;
};
afterEach(() => Promise.all(running.splice(0).map((server) => server.close())));

const envelope = envelopeFor(
  {
    label: 'Health retail',
    domain: 'retail',
    version: '1.1.0',
    city: 'std:080',
    categoryCode: 'health-retail',
    bapId: 'buyer.example',
    bapUri: 'http://127.0.0.1:1/on_search',
    gatewayUrl: 'http://127.0.0.1:1',
    gatewayPath: '/search',
    ttl: 'PT10M',
  },
  'health',
);

test('the adapter enriches the envelope and signs the bytes that it sends', async () => {
  const chain = await startChain((bytes) => bytes);
  expect(await chain.send()).toMatchObject({ status: 200 });
  const [bytes] = chain.forwarded;
  expect(JSON.parse(bytes?.toString() ?? '')).toEqual({
    ...envelope,
    message: {
      intent: {
        ...envelope.message.intent,
        tags: [
          {
            descriptor: { code: 'customer-profile' },
            list: [
              { descriptor: { code: 'segment' }, value: 'guest' },
              { descriptor: { code: 'language' }, value: 'en' },
            ],
          },
        ],
      },
    },
  });
});

test('the gateway refuses an envelope that was altered between adapter and gateway', async () => {
  const chain = await startChain((bytes) => Buffer.from(bytes.toString().replace('health', 'wealth')));
  const response = await chain.send();
  expect(response).toMatchObject({ status: 401, body: { message: { ack: { status: 'NACK' } } } });
  expect(response.headers.get('www-authenticate')).toMatch(
    /^Signature realm="[^"]+",headers="\(created\) \(expires\) digest"$/,
  );
  expect(chain.accepted).toEqual([]);
});

test.each<[string, (self: Subscriber, bytes: Buffer) => Record<string, string>]>([
  ['unsigned', () => ({})],
  ['signed with an unregistered key', (self, bytes) => ({ authorization: self.forge(bytes) })],
  ['signed by an unknown subscriber', (_, bytes) => ({ authorization: subscriber('stranger.example').sign(bytes) })],
])('the gateway refuses an envelope that is %s', async (_, headers) => {
  const chain = await startChain((bytes) => bytes);
  const text = JSON.stringify(envelope);
  expect(await post(`${chain.gateway.url}/search`, text, headers(chain.self, Buffer.from(text)))).toMatchObject({
    status: 401,
  });
});

/** A chain in which `alter` changes the bytes between adapter and gateway. */
const startChain = async (alter: (bytes: Buffer<ArrayBuffer>) => Buffer<ArrayBuffer>) => {
  const keys = keyRing(envelope.context.bap_id);
  const self = keys.current;
  const forwarded: Buffer[] = [];
  const accepted: Buffer[] = [];
  const registry = keep(await startNetworkRegistry([keys]));
  const seller = keep(
    await startFaultyServer(
      routesListener({
        'POST /search': (bytes) => {
          accepted.push(bytes);
          return json({ message: { ack: { status: 'ACK' } } });
        },
      }),
    ),
  );
  const gateway = keep(await startMhGateway({ registryUrl: registry.url, sellerUrl: seller.url }));
  const between = keep(
    await startFaultyServer(
      routesListener({
        'POST /search': (bytes, { authorization = '' }) => {
          forwarded.push(bytes);
          return relay(`${gateway.url}/search`, alter(bytes), { authorization });
        },
      }),
    ),
  );
  const enrichment = keep(await startMhEnrichment());
  const adapter = keep(await startMhAdapter({ buyer: self, enrichmentUrl: enrichment.url, gatewayUrl: between.url }));
  return { self, gateway, forwarded, accepted, send: () => post(`${adapter.url}/bap/caller/search/`, envelope) };
};

import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { becknSigner, parseSignatureHeader, publicKeyOf, verifySignature } from '@portico/adapters-http';
import { hasRedis, startRedis } from '@portico/demo/cluster';
import { listening } from '@portico/demo/ports';
import { expect, it, onTestFinished } from 'vitest';
import { serveHere } from '../command-line/serve-here.ts';

const base64 = (base64url: string) => Buffer.from(base64url, 'base64url').toString('base64');

const keyPair = (subscriberId: string, uniqueKeyId: string) => {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { subscriberId, uniqueKeyId, privateKey: base64(d), publicKey: base64(x) };
};
const buyer = keyPair('bap.example', 'buyer-key');
const seller = keyPair('bpp.example', 'seller-key');
const publicKeyOfBuyer = publicKeyOf(buyer.publicKey)!;

interface Received {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly body: Buffer;
}

/** Starts a server that responds with JSON. */
const serverOf = async (respond: (request: Received) => object): Promise<string> => {
  const server = createServer((request: IncomingMessage, response) => {
    void buffer(request).then((body) => {
      const { method = '', url: path = '', headers } = request;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(respond({ method, path, authorization: headers.authorization ?? '', body })));
    });
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  return url;
};

interface Network {
  readonly leg: object;
  readonly registry: object;
  /** The record of the seller in the registry's response. */
  readonly record: object;
  readonly requestPath: string;
  readonly lookup: string;
  readonly callbackPath: string;
  /** The callback to a request with this context. */
  readonly callback: (context: Readonly<Record<string, unknown>>) => object;
  readonly isChained?: boolean;
}

const record = { subscriber_id: seller.subscriberId, signing_public_key: seller.publicKey, status: 'SUBSCRIBED' };
const replyTo = (context: object) => ({ ...context, action: 'on_search', bpp_id: seller.subscriberId });
const providers = [{ id: 'p1', items: [{ id: 'i1', descriptor: { name: 'Dental check' } }] }];

const networks: Readonly<Record<string, Network>> = {
  'beckn-1.1': {
    leg: { version: '1.1.0' },
    registry: {},
    record: [{ ...record, key_id: 'seller-key' }],
    requestPath: '/search',
    lookup: 'POST /lookup',
    callbackPath: '/on_search',
    callback: (context) => ({ context: replyTo(context), message: { catalog: { providers } } }),
  },
  'beckn-0.9': {
    leg: { version: '0.9.4' },
    registry: { profile: 'uhi', path: '/api/lookup' },
    record: { message: [{ ...record, pub_key_id: 'seller-key' }] },
    requestPath: '/search',
    lookup: 'POST /api/lookup',
    callbackPath: '/on_search',
    callback: (context) => ({ context: replyTo(context), message: { catalog: { 'bpp/providers': providers } } }),
  },
  'ondc-1.2': {
    leg: { version: '1.2.0', finderFee: { type: 'percent', amount: '3' } },
    registry: { profile: 'ondc', lookup: { country: 'IND' } },
    record: [{ ...record, ukId: 'seller-key' }],
    requestPath: '/search',
    lookup: 'POST /v2.0/lookup',
    callbackPath: '/on_search',
    callback: (context) => ({ context: replyTo(context), message: { catalog: { 'bpp/providers': providers } } }),
  },
  'beckn-2.0': {
    leg: { version: '2.0.0' },
    registry: { profile: 'dedi' },
    record: { data: { details: { subscriber_id: seller.subscriberId, signing_public_key: seller.publicKey } } },
    requestPath: '/discover',
    lookup: 'GET /lookup/bpp.example/subscribers.beckn.one/seller-key',
    callbackPath: '/on_discover',
    callback: (context) => ({
      context: { ...context, action: 'on_discover', bppId: seller.subscriberId },
      message: { catalogs: [{ id: 'c1', resources: [{ id: 'r1', descriptor: { name: 'Dental check' } }] }] },
    }),
    isChained: true,
  },
};

interface Situation {
  /** The seller signs this signature instead of the one of the request. */
  readonly requestSignature?: string;
  /** Two instances share this Redis, and the seller calls back to the other one. */
  readonly redisUrl?: string;
}

const startPortico = async (search: object, redisUrl: string | null): Promise<string> => {
  const values = { listen: { port: 0 }, log: { level: 'silent' }, search, redis: { url: redisUrl } };
  const { url, close } = await serveHere(values);
  onTestFinished(close);
  const health = async () => ((await (await fetch(`${url}/health`)).json()) as { readonly status: string }).status;
  await expect.poll(health, { interval: 5, timeout: 60_000 }).toBe('ok');
  return url;
};

/** Starts Portico with one leg of the profile, a seller that calls back, and a registry. */
const searchOn = async (profile: string, network: Network, { requestSignature, redisUrl }: Situation = {}) => {
  const portico = Promise.withResolvers<string>();
  const lookups: Received[] = [];
  const requests: Received[] = [];
  const callbacks: Promise<number>[] = [];
  const registry = await serverOf((request) => {
    lookups.push(request);
    return network.record;
  });
  const callBack = async ({ body, authorization }: Received): Promise<number> => {
    const { context } = JSON.parse(body.toString()) as { readonly context: Readonly<Record<string, unknown>> };
    const bytes = Buffer.from(JSON.stringify(network.callback(context)));
    const now = Math.floor(Date.now() / 1000);
    const ofRequest = requestSignature ?? /signature="([^"]+)"/.exec(authorization)?.[1];
    const signature = becknSigner(seller).sign(bytes, now, now + 60, network.isChained ? ofRequest : undefined);
    const response = await fetch((await portico.promise) + network.callbackPath, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: signature },
      body: bytes,
    });
    return response.status;
  };
  const gatewayUrl = await serverOf((request) => {
    requests.push(request);
    callbacks.push(callBack(request));
    return { message: { ack: { status: 'ACK' } } };
  });
  const leg = {
    label: profile,
    profile,
    domain: 'health',
    city: 'std:080',
    categoryCode: 'dental',
    bapId: buyer.subscriberId,
    bapUri: 'https://bap.example',
    gatewayUrl,
    extraIntent: { note: '{query} for {persona}' },
    signing: { subscriberId: buyer.subscriberId, uniqueKeyId: buyer.uniqueKeyId, privateKey: buyer.privateKey },
    verifyCallbacks: true,
    registry: { url: registry, ...network.registry },
    ...network.leg,
  };
  const search = { timeoutMs: 30_000, legs: { net: leg } };
  const url = await startPortico(search, redisUrl ?? null);
  portico.resolve(redisUrl === undefined ? url : await startPortico(search, redisUrl));
  const client = new AbortController();
  const response = fetch(`${url}/api/search`, {
    method: 'POST',
    signal: client.signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ persona: 'member', query: 'dental', user_id: 'u-1' }),
  });
  return { response, lookups, requests, callbacks, disconnect: () => client.abort() };
};

it.each(Object.entries(networks))(
  'a network of %s is searched, and its signed callback is the result',
  async (profile, network) => {
    const { response, lookups, requests, callbacks } = await searchOn(profile, network);
    const result = (await (await response).json()) as Readonly<Record<string, unknown>>;
    const [request] = requests;
    const { context, message } = JSON.parse(String(request?.body)) as {
      readonly context: object;
      readonly message: { readonly intent: unknown };
    };

    expect([request?.path, lookups.map(({ method, path }) => `${method} ${path}`)]).toEqual([
      network.requestPath,
      [network.lookup],
    ]);
    expect(message.intent).toMatchObject({ note: 'dental for member' });
    expect(verifySignature(parseSignatureHeader(request!.authorization)!, request!.body, publicKeyOfBuyer)).toBe(true);
    expect(await Promise.all(callbacks)).toEqual([200]);
    expect(result['net']).toEqual(network.callback(context as Readonly<Record<string, unknown>>));
    expect(result).not.toHaveProperty('errors');
  },
);

it.skipIf(!hasRedis)('a callback of Beckn 2.0 is verified on another instance than its search', async () => {
  const redis = await startRedis();
  onTestFinished(redis.stop);
  const redisUrl = `redis://127.0.0.1:${redis.port}`;
  const { response, callbacks } = await searchOn('beckn-2.0', networks['beckn-2.0']!, { redisUrl });
  expect(await (await response).json()).not.toHaveProperty('errors');
  expect(await Promise.all(callbacks)).toEqual([200]);
});

it('a callback of Beckn 2.0 that signs the signature of another request is refused', async () => {
  const foreign = Buffer.alloc(64, 1).toString('base64');
  const { response, callbacks, disconnect } = await searchOn('beckn-2.0', networks['beckn-2.0']!, {
    requestSignature: foreign,
  });
  response.catch(() => {}); // The leg never settles, so the client disconnects at the end.
  await expect.poll(() => callbacks.length, { interval: 1, timeout: 60_000 }).toBe(1);
  expect(await Promise.all(callbacks)).toEqual([401]);
  disconnect();
});

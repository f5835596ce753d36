import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { upstream } from '@portico/core';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { err } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publicKeyOf } from './signature.ts';
import { closedPort, describeOnce, httpServer, sendJson, valueOf } from '../http/local-servers.test.support.ts';
import { becknRegistry } from './registry.ts';
import type { RegistrySettings } from './registry-lookup.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;

/** The public keys of RFC 8032, section 7.1, tests 1 and 2. */
const oldKey = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
const newKey = 'PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=';

const seller = {
  subscriber_id: 'seller.example',
  key_id: 'k1',
  signing_public_key: oldKey,
  valid_from: '2025-01-01T00:00:00.000Z',
  valid_until: '2027-01-01T00:00:00.000Z',
  status: 'SUBSCRIBED',
};

let clock: FakeClock;

beforeEach(() => {
  clock = fakeClock(Date.parse('2026-01-01T00:00:00Z'));
});

afterEach(async () => {
  await expect.poll(() => clock.scheduled, { interval: 1, message: 'timers that are still scheduled' }).toBe(0);
});

const withPad = (pad: string) => [{ ...seller, pad }];

/** The record of the seller, as JSON of this length. */
const paddedTo = (bytes: number) => withPad('x'.repeat(bytes - JSON.stringify(withPad('')).length));

/** Starts a registry whose `response` the test can change, and creates its adapter. */
const startRegistry = async (records: unknown = [seller], settings: Partial<RegistrySettings> = {}) => {
  const response = { records, status: 200 };
  const server = await httpServer((reply) => sendJson(reply, response.records, response.status));
  const registry = becknRegistry({ url: server.url, clock, ...settings });
  return {
    response,
    server,
    registry,
    get lookups() {
      return server.requests.length;
    },
    key: (subscriber = 'seller.example', uniqueKeyId = 'k1') => textOf(registry.publicKeys(subscriber, uniqueKeyId)),
    freshKey: () => textOf(registry.publicKeys('seller.example', 'k1', true)),
  };
};

const firstOf = async (lookup: ReturnType<ReturnType<typeof becknRegistry>['publicKeys']>) =>
  (await valueOf(lookup))[0];

/** The first key as base64, for readable assertion errors. */
const textOf = async (lookup: ReturnType<ReturnType<typeof becknRegistry>['publicKeys']>) =>
  (await firstOf(lookup))?.export({ format: 'der', type: 'spki' }).subarray(12).toString('base64');

describeOnce('a lookup', () => {
  it.each(['', '/', '/registry/v1', '/registry/v1//'])('posts subscriber and key to %s/lookup', async (path) => {
    const server = await httpServer((response) => sendJson(response, [seller]));
    const registry = becknRegistry({ url: server.url + path, clock });
    expect(await textOf(registry.publicKeys('seller.example', 'k1'))).toBe(oldKey);
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: `${path.replace(/\/+$/, '')}/lookup`,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: '{"subscriber_id":"seller.example","ukId":"k1"}',
      },
    ]);
  });

  it('uses the record that matches the subscriber and the key', async () => {
    const other = { ...seller, signing_public_key: newKey };
    const many = [
      { ...other, subscriber_id: 'other.example' },
      { ...other, key_id: 'k2' },
      { ...other, status: 'EXPIRED' },
      { ...other, valid_until: '2025-12-31T23:59:59Z' },
      { ...other, signing_public_key: 'not a key' },
      seller,
      other,
    ];
    expect(await (await startRegistry(many)).key()).toBe(oldKey);
  });

  it.each([
    ['with a lower-case status', { status: 'subscribed' }],
    ['without a status', { status: undefined }],
    ['with the status null', { status: null }],
    ['without times', { valid_from: undefined, valid_until: undefined }],
    ['with empty times', { valid_from: null, valid_until: null }],
    ['valid from now', { valid_from: '2026-01-01T00:00:00Z' }],
    ['valid for a millisecond more', { valid_until: '2026-01-01T00:00:00.001Z' }],
    ['with times in another time zone', { valid_from: '2026-01-01T05:30:00+05:30' }],
    ['with the key as SPKI DER', { signing_public_key: `MCowBQYDK2VwAyEA${oldKey}` }],
    ['with additional fields', { type: 'BPP', encr_public_key: 'x', nested: { status: 'EXPIRED' } }],
  ])('accepts a record %s', async (_, record) => {
    expect(await (await startRegistry([{ ...seller, ...record }])).key()).toBe(oldKey);
  });

  it.each([
    ['of another subscriber', { subscriber_id: 'Seller.example' }],
    ['of another key', { key_id: 'K1' }],
    ['under review', { status: 'UNDER_SUBSCRIPTION' }],
    ['with an empty status', { status: '' }],
    ['with a status that is not a string', { status: ['SUBSCRIBED'] }],
    ['not yet valid', { valid_from: '2026-01-01T00:00:00.001Z' }],
    ['no longer valid', { valid_until: '2026-01-01T00:00:00Z' }],
    ['with an invalid start', { valid_from: 'yesterday' }],
    ['with an invalid end', { valid_until: 'never' }],
    ['with an end that is a number', { valid_until: 1_798_761_600_000 }],
    ['with an end without a time zone', { valid_until: '2027-01-01T00:00:00' }],
    ['without a key', { signing_public_key: undefined }],
    ['with a key that is a number', { signing_public_key: 5 }],
    ['with a key of 31 bytes', { signing_public_key: Buffer.alloc(31).toString('base64') }],
  ])('ignores a record %s', async (_, record) => {
    expect(await (await startRegistry([{ ...seller, ...record }])).key()).toBeUndefined();
  });

  it.each([[[]], [[null, 5, 'text', [], true, {}]], [[[seller]]]])('finds no key in %j', async (records) => {
    expect(await (await startRegistry(records)).key()).toBeUndefined();
  });
});

describeOnce('a key in the registry', () => {
  it('a key in the registry is cached for 10 minutes', async () => {
    const at = await startRegistry();
    expect(await at.key()).toBe(oldKey);
    at.response.records = [{ ...seller, signing_public_key: newKey }];
    clock.advance(10 * minuteMs - 1);
    expect(await at.key()).toBe(oldKey);
    expect(at.lookups).toBe(1);
    clock.advance(1);
    expect(await at.key()).toBe(newKey);
    expect(at.lookups).toBe(2);
  });

  it.each([
    ['the machine was suspended', 10 * minuteMs, 0],
    ['the wall clock was set back', -60 * minuteMs, 10 * minuteMs],
  ])('a key in the registry is not cached longer when %s', async (_, wallMs, monotonicMs) => {
    let aheadMs = 0;
    const { now, ...others } = clock;
    const { valid_until: _endless, ...endless } = seller;
    const at = await startRegistry([endless], { clock: { ...others, now: () => now() + aheadMs } });
    expect(await at.key()).toBe(oldKey);
    at.response.records = [];
    aheadMs = wallMs - 1;
    expect(await at.key()).toBe(oldKey);
    aheadMs = wallMs;
    clock.advance(monotonicMs);
    expect(await at.key()).toBeUndefined();
    expect(at.lookups).toBe(2);
  });

  it('a key in the registry is the same object each time', async () => {
    const { registry } = await startRegistry();
    const first = await firstOf(registry.publicKeys('seller.example', 'k1'));
    expect(first?.equals(publicKeyOf(oldKey)!)).toBe(true);
    expect(await firstOf(registry.publicKeys('seller.example', 'k1'))).toBe(first);
  });

  it('a key in the registry is not cached past its valid_until', async () => {
    const at = await startRegistry([{ ...seller, valid_until: '2026-01-01T00:03:00Z' }]);
    expect(await at.key()).toBe(oldKey);
    clock.advance(3 * minuteMs - 1);
    expect(await at.key()).toBe(oldKey);
    expect(at.lookups).toBe(1);
    clock.advance(1);
    expect(await at.key()).toBeUndefined();
    expect(at.lookups).toBe(2);
  });

  it('a key in the registry is looked up once for concurrent requests', async () => {
    const at = await startRegistry();
    const keys = await Promise.all(Array.from({ length: 20 }, () => at.key()));
    expect(new Set(keys)).toEqual(new Set([oldKey]));
    expect(at.lookups).toBe(1);
  });

  it('a key in the registry is not looked up while 100 other lookups wait, and fails overloaded', async () => {
    const held: ServerResponse[] = [];
    const server = await httpServer(
      (response, _, nth) =>
        void (nth <= 100 ? held.push(response) : sendJson(response, [{ ...seller, key_id: 'k100' }])),
    );
    const registry = becknRegistry({ url: server.url, clock });
    const keyOf = (nth: number) => registry.publicKeys('seller.example', `k${nth}`);
    const waiting = Array.from({ length: 100 }, (_, nth) => keyOf(nth));
    await server.until(() => held.length === 100);
    expect(await keyOf(100)).toEqual(err({ kind: 'overloaded', retryAfterSeconds: 1 }));
    const shared = keyOf(1);
    for (const response of held) sendJson(response, [seller]);
    expect(await textOf(shared)).toBe(oldKey);
    await Promise.all(waiting);
    expect(await textOf(keyOf(100))).toBe(oldKey);
  });

  it('a key in the registry is looked up separately from other keys', async () => {
    const at = await startRegistry([seller, { ...seller, key_id: 'k2', signing_public_key: newKey }]);
    expect(await Promise.all([at.key(), at.key('seller.example', 'k2'), at.key('seller', '.example')])).toEqual([
      oldKey,
      newKey,
      undefined,
    ]);
    expect(at.lookups).toBe(3);
  });

  it('a key in the registry is used from the cache while the registry is down', async () => {
    const at = await startRegistry();
    await at.key();
    at.response.status = 500;
    clock.advance(10 * minuteMs - 1);
    expect(await at.key()).toBe(oldKey);
    expect(await at.freshKey()).toBe(oldKey);
    clock.advance(1);
    expect(await at.registry.publicKeys('seller.example', 'k1')).toEqual(err(upstream('registry', 'status')));
  });

  it('a key in the registry is evicted when it is the least recently used of more than 1000 keys', async () => {
    let lookups = 0;
    const fetch: typeof globalThis.fetch = async (request) => {
      lookups++;
      const { subscriber_id, ukId } = (await (request as Request).json()) as { subscriber_id: string; ukId: string };
      return Response.json([{ ...seller, subscriber_id, key_id: ukId }]);
    };
    const registry = becknRegistry({ url: 'http://registry.example', clock, fetch });
    const use = (nth: number) => firstOf(registry.publicKeys('seller.example', `k${nth}`));
    for (let nth = 0; nth < 1000; nth++) await use(nth);
    await use(0);
    await use(1000);
    expect(lookups).toBe(1001);
    await use(0);
    await use(1000);
    expect(lookups).toBe(1001);
    await use(1);
    expect(lookups).toBe(1002);
  });
});

describeOnce('a missing key', () => {
  it('a missing key is cached as missing for 30 seconds', async () => {
    const at = await startRegistry([]);
    expect(await at.key()).toBeUndefined();
    at.response.records = [seller];
    clock.advance(30 * secondMs - 1);
    expect(await at.key()).toBeUndefined();
    expect(at.lookups).toBe(1);
    clock.advance(1);
    expect(await at.key()).toBe(oldKey);
    expect(at.lookups).toBe(2);
  });

  it('a missing key is one of at most 1000 and never evicts an existing key', async () => {
    let lookups = 0;
    const fetch: typeof globalThis.fetch = async (request) => {
      lookups++;
      return Response.json((await (request as Request).text()).includes('stranger') ? [] : [seller]);
    };
    const registry = becknRegistry({ url: 'http://registry.example', clock, fetch });
    const key = (subscriber: string, ukId: string) => firstOf(registry.publicKeys(subscriber, ukId));
    const known = await key('seller.example', 'k1');
    expect(known).toBeDefined();
    for (let nth = 0; nth < 1001; nth++) await key('stranger.example', `k${nth}`);
    expect(lookups).toBe(1002);
    expect(await key('seller.example', 'k1')).toBe(known);
    await key('stranger.example', 'k1000');
    expect(lookups).toBe(1002);
    await key('stranger.example', 'k0');
    expect(lookups).toBe(1003);
  });
});

describeOnce('a fresh lookup', () => {
  it('replaces the cached key, and is cached for 10 minutes', async () => {
    const at = await startRegistry();
    await at.key();
    at.response.records = [{ ...seller, signing_public_key: newKey }];
    clock.advance(9 * minuteMs);
    expect(await at.freshKey()).toBe(newKey);
    clock.advance(10 * minuteMs - 1);
    expect(await at.key()).toBe(newKey);
    expect(at.lookups).toBe(2);
  });

  it('a fresh lookup is allowed right after the first lookup, then once per second and key', async () => {
    const at = await startRegistry();
    await at.key();
    expect(await at.freshKey()).toBe(oldKey);
    at.response.records = [{ ...seller, signing_public_key: newKey }];
    clock.advance(secondMs - 1);
    expect(await at.freshKey()).toBe(oldKey);
    expect(at.lookups).toBe(2);
    await textOf(at.registry.publicKeys('seller.example', 'k2', true));
    expect(at.lookups).toBe(3);
    clock.advance(1);
    expect(await at.freshKey()).toBe(newKey);
    expect(at.lookups).toBe(4);
  });

  it('a fresh lookup is shared by concurrent requests', async () => {
    const at = await startRegistry();
    await at.key();
    at.response.records = [{ ...seller, signing_public_key: newKey }];
    expect(await Promise.all([at.freshKey(), at.freshKey(), at.freshKey()])).toEqual([newKey, newKey, newKey]);
    expect(at.lookups).toBe(2);
  });

  it('does not delay requests for the cached key', async () => {
    const held: ServerResponse[] = [];
    const server = await httpServer(
      (response, _, nth) => void (nth === 1 ? sendJson(response, [seller]) : held.push(response)),
    );
    const registry = becknRegistry({ url: server.url, clock });
    const key = await firstOf(registry.publicKeys('seller.example', 'k1'));
    const fresh = registry.publicKeys('seller.example', 'k1', true);
    expect(await firstOf(registry.publicKeys('seller.example', 'k1'))).toBe(key);
    await server.until(() => held.length === 1);
    sendJson(held[0]!, []);
    expect(await firstOf(fresh)).toBeUndefined();
  });

  it('removes a key that is no longer in the registry', async () => {
    const at = await startRegistry();
    await at.key();
    at.response.records = [{ ...seller, status: 'UNSUBSCRIBED' }];
    expect(await at.freshKey()).toBeUndefined();
    expect(await at.key()).toBeUndefined();
    expect(at.lookups).toBe(2);
  });

  it('a fresh lookup is allowed again 1 second after a failed lookup', async () => {
    const at = await startRegistry();
    await at.key();
    at.response.status = 503;
    expect(await at.freshKey()).toBe(oldKey);
    clock.advance(secondMs - 1);
    expect(await at.freshKey()).toBe(oldKey);
    expect(at.lookups).toBe(2);
    at.response.status = 200;
    at.response.records = [{ ...seller, signing_public_key: newKey }];
    clock.advance(1);
    expect(await at.freshKey()).toBe(newKey);
    expect(at.lookups).toBe(3);
  });

  it('a fresh lookup is allowed right after a lookup that succeeds after a failed one', async () => {
    const at = await startRegistry();
    at.response.status = 503;
    expect((await at.registry.publicKeys('seller.example', 'k1')).isErr()).toBe(true);
    at.response.status = 200;
    expect(await at.key()).toBe(oldKey);
    at.response.records = [{ ...seller, signing_public_key: newKey }];
    expect(await at.freshKey()).toBe(newKey);
  });

  it('fails when the cached key expires while the registry does not respond', async () => {
    const server = await httpServer((response, _, nth) => {
      if (nth === 1) sendJson(response, [{ ...seller, valid_until: '2026-01-01T00:00:01Z' }]);
    });
    const registry = becknRegistry({ url: server.url, clock });
    await firstOf(registry.publicKeys('seller.example', 'k1'));
    const fresh = registry.publicKeys('seller.example', 'k1', true);
    await server.until(() => server.requests.length === 2);
    clock.advance(5000);
    expect(await fresh).toEqual(err(upstream('registry', 'timeout')));
  });
});

describe('a faulty registry', () => {
  it.each([301, 400, 401, 404, 429, 500, 503])('fails with reason status on %i', async (status) => {
    const at = await startRegistry();
    at.response.status = status;
    expect(await at.registry.publicKeys('seller.example', 'k1')).toEqual(err(upstream('registry', 'status')));
  });

  it.each([
    ['an object', { records: [seller] }],
    ['null', null],
    ['a string', 'SUBSCRIBED'],
  ])('fails malformed when it responds with %s', async (_, records) => {
    const { registry } = await startRegistry(records);
    expect(await registry.publicKeys('seller.example', 'k1')).toEqual(err(upstream('registry', 'malformed')));
  });

  it('fails malformed when it responds with HTML or no content', async () => {
    const server = await httpServer((response, _, nth) =>
      nth === 1 ? response.writeHead(200, { 'content-type': 'text/html' }).end('<p>') : response.writeHead(204).end(),
    );
    const registry = becknRegistry({ url: server.url, clock });
    for (let nth = 0; nth < 2; nth++)
      expect(await registry.publicKeys('seller.example', 'k1')).toEqual(err(upstream('registry', 'malformed')));
  });

  it('a faulty registry is limited to responses of 1 MiB by default, or to the setting', async () => {
    const padded = paddedTo(1_048_577);
    const tooLarge = err(upstream('registry', 'too-large'));
    expect(await (await startRegistry(paddedTo(1_048_576))).key()).toBe(oldKey);
    expect(await (await startRegistry(padded)).registry.publicKeys('seller.example', 'k1')).toEqual(tooLarge);
    expect(await (await startRegistry(padded, { maxResponseBytes: 2_097_152 })).key()).toBe(oldKey);
  });

  it('times out after 5 seconds by default, or after the setting', async () => {
    const server = await httpServer(() => {});
    for (const timeoutMs of [undefined, 800]) {
      const registry = becknRegistry({ url: server.url, clock, ...(timeoutMs !== undefined && { timeoutMs }) });
      const before = server.requests.length;
      const lookup = registry.publicKeys('seller.example', 'k1');
      await server.until(() => server.requests.length > before);
      clock.advance((timeoutMs ?? 5000) - 1);
      expect(clock.scheduled).toBe(1);
      clock.advance(1);
      expect(await lookup).toEqual(err(upstream('registry', 'timeout')));
    }
  });

  it('a faulty registry is queried again after a failure, which is not cached', async () => {
    const at = await startRegistry();
    at.response.status = 500;
    const failures = await Promise.all([1, 2, 3].map(() => at.registry.publicKeys('seller.example', 'k1')));
    expect(failures).toEqual(failures.map(() => err(upstream('registry', 'status'))));
    expect(at.lookups).toBe(1);
    at.response.status = 200;
    expect(await at.key()).toBe(oldKey);
    expect(at.lookups).toBe(2);
  });

  it('does not expose its URL, the request or the response in a failure', async () => {
    const closed = await closedPort();
    const unreachable = await becknRegistry({ url: `${closed.url}/secret-path`, clock }).publicKeys(
      'secret-id',
      'secret-key',
    );
    expect(unreachable).toEqual(err(upstream('registry', 'unreachable')));
    const at = await startRegistry({ detail: 'secret-answer' });
    for (const status of [200, 500]) {
      at.response.status = status;
      const failed = await at.registry.publicKeys('secret-id', 'secret-key');
      expect(failed.isErr()).toBe(true);
      expect(inspect(failed, { depth: Infinity })).not.toMatch(/secret|127\.0\.0\.1/);
    }
  });
});

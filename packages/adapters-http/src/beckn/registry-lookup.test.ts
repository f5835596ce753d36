import { generateKeyPairSync } from 'node:crypto';
import { type Failure, upstream } from '@portico/core';
import { fakeClock, fakeSearchSigner } from '@portico/core/testing';
import { err, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { httpServer, sendJson, valueOf } from '../http/local-servers.test.support.ts';
import { becknRegistry } from './registry.ts';
import type { RegistrySettings } from './registry-lookup.ts';
import { isCurrent, parseSignatureHeader, publicKeyOf, verifySignature } from './signature.ts';

/** The public keys of RFC 8032, section 7.1, tests 1 and 2. */
const [firstKey, secondKey] = [
  '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  'PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=',
];
const now = Date.parse('2026-01-01T00:00:00Z');
const own = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const signing = {
  subscriberId: 'bap.example',
  uniqueKeyId: 'own-1',
  privateKey: Buffer.from(own.d ?? '', 'base64url').toString('base64'),
};

const startRegistry = async (response: unknown, settings: Partial<RegistrySettings> = {}, status = 200) => {
  const clock = fakeClock(now);
  const server = await httpServer((reply) => sendJson(reply, response, status));
  const registry = becknRegistry({ url: server.url, clock, ...settings });
  const lookUp = () => registry.publicKeys('seller.example', 'k1');
  const keys = async () =>
    (await valueOf(lookUp())).map((key) => key.export({ format: 'der', type: 'spki' }).subarray(12).toString('base64'));
  return { clock, server, registry, keys, lookUp };
};

const subscriber = { subscriber_id: 'seller.example', signing_public_key: firstKey, status: 'SUBSCRIBED' };

describe('the records of a registry', () => {
  it.each([
    ['Beckn', { ...subscriber, key_id: 'k1' }],
    [
      'ONDC',
      { ...subscriber, ukId: 'k1', valid_from: '2025-01-01T00:00:00.000Z', valid_until: '2027-01-01T00:00:00.000Z' },
    ],
    ['UHI', { ...subscriber, unique_key_id: 'u1', pub_key_id: 'k1', valid_to: '2027-01-01T00:00:00.000Z' }],
    ['UHI, by its unique key id', { ...subscriber, unique_key_id: 'k1', pub_key_id: 'p1' }],
    ['Beckn 2.0', { subscriberId: 'seller.example', keyId: 'k1', signingPublicKey: firstKey, status: 'SUBSCRIBED' }],
  ])('are understood in the spelling of %s', async (_, record) => {
    expect(await (await startRegistry([record])).keys()).toEqual([firstKey]);
  });

  it.each([
    ['that is revoked', { is_revoked: true }],
    ['that is revoked in another type', { is_revoked: 'true' }],
    ['of UHI that has expired', { valid_to: '2025-12-31T23:59:59Z' }],
    ['of Beckn 2.0 that is not yet valid', { validFrom: '2026-01-01T00:00:01Z' }],
    ['of Beckn 2.0 that has expired', { validUntil: '2026-01-01T00:00:00Z' }],
    ['that is suspended', { status: 'SUSPENDED' }],
    ['that is unsubscribed', { status: 'UNSUBSCRIBED' }],
  ])('do not include one %s', async (_, differences) => {
    expect(await (await startRegistry([{ ...subscriber, key_id: 'k1', ...differences }])).keys()).toEqual([]);
  });

  it('may have several keys under one id, each returned once', async () => {
    const other = { ...subscriber, key_id: 'k1', signing_public_key: secondKey };
    const records = [{ ...subscriber, key_id: 'k1' }, other, { ...subscriber, ukId: 'k1', domain: 'other' }];
    expect(await (await startRegistry(records)).keys()).toEqual([firstKey, secondKey]);
  });

  it('keep the valid keys cached when another one of the same id expires', async () => {
    const expiring = { ...subscriber, key_id: 'k1', valid_until: '2026-01-01T00:00:01Z' };
    const lasting = { ...subscriber, key_id: 'k1', signing_public_key: secondKey };
    const { clock, keys, server } = await startRegistry([expiring, lasting]);
    expect(await keys()).toEqual([firstKey, secondKey]);
    clock.advance(1000);
    expect(await keys()).toEqual([secondKey]);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a registry of ONDC', () => {
  it('is sent a signed lookup with its additional fields', async () => {
    const settings = { profile: 'ondc', signing, lookup: { country: 'IND', domain: 'ONDC:RET10' } } as const;
    const { keys, server } = await startRegistry([{ ...subscriber, ukId: 'k1' }], settings);
    expect(await keys()).toEqual([firstKey]);
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v2.0/lookup',
      body: '{"country":"IND","domain":"ONDC:RET10","subscriber_id":"seller.example","ukId":"k1"}',
    });
    const header = parseSignatureHeader(String(request?.headers.authorization))!;
    expect(header).toMatchObject({ subscriberId: 'bap.example', uniqueKeyId: 'own-1' });
    expect(isCurrent(header, now / 1000)).toBe(true);
    const publicKey = publicKeyOf(Buffer.from(own.x ?? '', 'base64url').toString('base64'))!;
    expect(verifySignature(header, Buffer.from(request?.body ?? ''), publicKey)).toBe(true);
  });

  it('fails unreachable when the lookup cannot be signed, without a request', async () => {
    const signer = fakeSearchSigner();
    signer.failWith(upstream('claims', 'timeout'));
    const settings = { profile: 'ondc', signing: { ...signing, signer } } as const;
    const { lookUp, server } = await startRegistry([], settings);
    expect(await lookUp()).toEqual(err(upstream('registry', 'unreachable')));
    expect(server.requests).toEqual([]);
  });
});

describe('a lookup', () => {
  it.each([200, 299])('may have the status %i', async (status) => {
    const { keys } = await startRegistry([{ ...subscriber, key_id: 'k1' }], {}, status);
    expect(await keys()).toEqual([firstKey]);
  });

  it('has no signature without a key to sign it, also through a custom fetch', async () => {
    const { keys, server } = await startRegistry([{ ...subscriber, key_id: 'k1' }], { fetch });
    expect(await keys()).toEqual([firstKey]);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('waits for its signature no longer than its deadline', async () => {
    const signer = { sign: () => new ResultAsync<Uint8Array, Failure>(new Promise(() => {})) };
    for (const [settings, ms] of [
      [{}, 5000],
      [{ timeoutMs: 700 }, 700],
    ] as const) {
      const { clock, lookUp, server } = await startRegistry([], { signing: { ...signing, signer }, ...settings });
      const result = lookUp();
      clock.advance(ms - 1);
      expect(clock.scheduled).toBe(1);
      clock.advance(1);
      expect(await result).toEqual(err(upstream('registry', 'unreachable')));
      expect(server.requests).toEqual([]);
    }
  });
});

describe('a registry of UHI', () => {
  it('is queried by pub_key_id, and has its records in message', async () => {
    const response = { message: [{ ...subscriber, pub_key_id: 'k1' }] };
    const { keys, server } = await startRegistry(response, { profile: 'uhi', path: '/api/lookup' });
    expect(await keys()).toEqual([firstKey]);
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/api/lookup', body: '{"subscriber_id":"seller.example","pub_key_id":"k1"}' },
    ]);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it.each([[{}], [{ message: null }], [{ message: {} }], [null]])(
    'is malformed when it responds with %j',
    async (body) => {
      expect(await (await startRegistry(body, { profile: 'uhi' })).lookUp()).toEqual(
        err(upstream('registry', 'malformed')),
      );
    },
  );
});

describe('a DeDi registry', () => {
  const details = { subscriber_id: 'seller.example', signing_public_key: firstKey, type: 'BPP' };

  it('is queried by subscriber, registry and key, as path segments', async () => {
    const { server, registry } = await startRegistry({ data: { details } }, { profile: 'dedi', registryName: 'a/b' });
    await registry.publicKeys('seller.example?x', 'k#1');
    expect(server.requests).toMatchObject([
      { method: 'GET', path: '/lookup/seller.example%3Fx/a%2Fb/k%231', body: '' },
    ]);
  });

  it('holds its subscribers in the registry of Beckn by default', async () => {
    const { keys, server } = await startRegistry({ data: { details } }, { profile: 'dedi' });
    expect(await keys()).toEqual([firstKey]);
    expect(server.requests).toMatchObject([
      {
        path: '/lookup/seller.example/subscribers.beckn.one/k1',
        headers: { accept: 'application/json' },
      },
    ]);
  });

  it.each([
    ['a wrapper', { data: { record_id: 'r', details } }],
    ['the record itself', { ...details, keyId: 'k1', status: 'SUBSCRIBED' }],
  ])('may respond with %s', async (_, response) => {
    expect(await (await startRegistry(response, { profile: 'dedi' })).keys()).toEqual([firstKey]);
  });

  it.each([
    ['of another subscriber', { data: { details: { ...details, subscriber_id: 'other.example' } } }],
    ['with another key', { ...details, keyId: 'k2' }],
    ['that is revoked', { data: { is_revoked: true, details } }],
    [
      'that is revoked, also if its details deny it',
      { data: { is_revoked: true, details: { ...details, is_revoked: false } } },
    ],
    ['with revoked details and no other mark', { data: { details: { ...details, is_revoked: true } } }],
    ['with revoked details', { data: { is_revoked: false, details: { ...details, is_revoked: true } } }],
  ])('has no key in a record %s', async (_, response) => {
    expect(await (await startRegistry(response, { profile: 'dedi' })).keys()).toEqual([]);
  });

  it.each(['.', '..', '../../other.example/r/k1', '..%2Fk1', String.raw`..\k1`, 'a/b'])(
    'is not queried for ids that would change the path, also if a proxy decodes them: %s',
    async (id) => {
      const { server, registry } = await startRegistry({ data: { details } }, { profile: 'dedi' });
      expect(await valueOf(registry.publicKeys(id, 'k1'))).toEqual([]);
      expect(await valueOf(registry.publicKeys('seller.example', id))).toEqual([]);
      expect(server.requests).toEqual([]);
    },
  );

  it.each([404, 410])('has no key when it responds with %i', async (status) => {
    expect(await (await startRegistry({}, { profile: 'dedi' }, status)).keys()).toEqual([]);
  });

  it('fails on another status, and malformed without a record', async () => {
    const failing = await startRegistry({}, { profile: 'dedi' }, 500);
    expect(await failing.lookUp()).toEqual(err(upstream('registry', 'status')));
    const malformed = await startRegistry('text', { profile: 'dedi' });
    expect(await malformed.lookUp()).toEqual(err(upstream('registry', 'malformed')));
  });
});

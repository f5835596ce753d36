import type { KeyObject } from 'node:crypto';
import { type Failure, memorySentSearches, type SentSearch, unauthenticated, upstream } from '@portico/core';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { err, errAsync, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import { beforeEach, describe, expect, it } from 'vitest';
import { becknSigner, publicKeyOf } from './signature.ts';
import { becknVerifier } from './callback-verifier.ts';
import { httpServer } from '../http/local-servers.test.support.ts';
import { becknRegistry } from './registry.ts';

/** RFC 8032, section 7.1, tests 1 and 2: seed and public key. */
const oldPair = {
  privateKey: 'nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=',
  publicKey: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
};
const newPair = {
  privateKey: 'TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs=',
  publicKey: 'PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=',
};

const body = Buffer.from('{"context":{"action":"on_search"},"message":{}}');
const start = 1_767_225_600;
const missing = err(unauthenticated('missing'));
const invalid = err(unauthenticated('invalid'));
const unavailable = err(upstream('search', 'unreachable'));
const sellerSigned = ok({ subscriberId: 'seller.example' });

let clock: FakeClock;

beforeEach(() => {
  clock = fakeClock(start * 1000);
});

const signed = ({ privateKey } = oldPair, created = start, expires = start + 60, bytes: Uint8Array = body) =>
  becknSigner({ subscriberId: 'seller.example', uniqueKeyId: 'k1', privateKey }).sign(bytes, created, expires);

type Lookup = Result<KeyObject | undefined, Failure>;

const keyOf = ({ publicKey }: typeof oldPair): Lookup => ok(publicKeyOf(publicKey));
const down = (): Lookup => err(upstream('registry', 'timeout'));

/** A verifier whose registry has one cached result, and another one for a fresh lookup. */
const verifierWith = (cached: Lookup, fresh: Lookup = cached) => {
  const lookups: (readonly [string, string, boolean])[] = [];
  const { verify } = becknVerifier({
    clock,
    registry: {
      publicKeys: (subscriberId, uniqueKeyId, again = false) => {
        lookups.push([subscriberId, uniqueKeyId, again]);
        return new ResultAsync(Promise.resolve(again ? fresh : cached)).map((key) => (key ? [key] : []));
      },
    },
  });
  return { lookups, verify };
};

const once = [['seller.example', 'k1', false]];
const twice = [...once, ['seller.example', 'k1', true]];

describe('a signed callback', () => {
  it('returns the subscriber whose key signed it', async () => {
    const { verify, lookups } = verifierWith(keyOf(oldPair));
    expect(await verify(signed(), body)).toEqual(sellerSigned);
    expect(lookups).toEqual(once);
  });

  it('fails unauthenticated without a signature, and without a lookup', async () => {
    const { verify, lookups } = verifierWith(keyOf(oldPair));
    expect(await verify(undefined, body)).toEqual(missing);
    expect(lookups).toEqual([]);
  });

  it('a signed callback is rejected without a lookup when the signer is not its seller', async () => {
    const { verify, lookups } = verifierWith(keyOf(oldPair));
    expect(await verify(signed(), body, 'other.example')).toEqual(invalid);
    expect(lookups).toEqual([]);
    expect(await verify(signed(), body, 'seller.example')).toEqual(sellerSigned);
  });

  it.each([
    ['is empty', ''],
    ['has another scheme', 'Bearer abc'],
    ['has another algorithm', signed().replace('algorithm="ed25519"', 'algorithm="rsa-sha256"')],
    ['covers other headers', signed().replace('(created) (expires) digest', '(created) digest')],
    ['is truncated', signed().slice(0, -10)],
    ['is created 6 s from now', signed(oldPair, start + 6)],
    ['has expired', signed(oldPair, start - 60, start - 1)],
  ])('a signed callback is rejected without a lookup when its signature %s', async (_, header) => {
    const { verify, lookups } = verifierWith(keyOf(oldPair));
    expect(await verify(header, body)).toEqual(invalid);
    expect(lookups).toEqual([]);
  });

  it('a signed callback is accepted from 5 s before its creation time until it expires', async () => {
    const { verify } = verifierWith(keyOf(oldPair));
    const header = signed(oldPair, start + 5, start + 10);
    expect(await verify(header, body)).toEqual(sellerSigned);
    clock.advance(10_000);
    expect(await verify(header, body)).toEqual(sellerSigned);
    clock.advance(1);
    expect(await verify(header, body)).toEqual(invalid);
  });

  it('a signed callback is rejected when the registry does not have the key', async () => {
    const { verify, lookups } = verifierWith(ok(undefined), keyOf(oldPair));
    expect(await verify(signed(), body)).toEqual(invalid);
    expect(lookups).toEqual(once);
  });

  it('a signed callback is accepted when the subscriber has a new key under the same id', async () => {
    const { verify, lookups } = verifierWith(keyOf(oldPair), keyOf(newPair));
    expect(await verify(signed(newPair), body)).toEqual(sellerSigned);
    expect(lookups).toEqual(twice);
  });

  it.each([
    ['the same key', keyOf(oldPair), invalid],
    ['another key', keyOf(newPair), invalid],
    ['no key', ok(undefined), invalid],
    ['a failed lookup', down(), down()],
  ])(
    'a signed callback is rejected with a changed body after a fresh lookup returns %s',
    async (_, fresh: Lookup, expected) => {
      const { verify, lookups } = verifierWith(keyOf(oldPair), fresh);
      expect(await verify(signed(), Buffer.concat([body, Buffer.from(' ')]))).toEqual(expected);
      expect(lookups).toEqual(twice);
    },
  );

  it('fails upstream while the registry is down', async () => {
    const { verify, lookups } = verifierWith(down());
    expect(await verify(signed(), body)).toEqual(down());
    expect(lookups).toEqual(once);
  });
});

it('a verifier with a registry limits forged callbacks to one more lookup per second', async () => {
  const server = await httpServer((response) => {
    const record = { subscriber_id: 'seller.example', key_id: 'k1', signing_public_key: oldPair.publicKey };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([record]));
  });
  const { verify } = becknVerifier({ registry: becknRegistry({ url: server.url, clock }), clock });
  for (let nth = 0; nth < 10; nth++) expect(await verify(signed(newPair), body)).toEqual(invalid);
  expect(server.requests).toHaveLength(2);
  clock.advance(999);
  expect(await verify(signed(newPair), body)).toEqual(invalid);
  expect(server.requests).toHaveLength(2);
  clock.advance(1);
  expect(await verify(signed(newPair), body)).toEqual(invalid);
  expect(server.requests).toHaveLength(3);
});

/** A registry with one seller, which has some keys under the same id. */
const registryWith = (...pairs: readonly (typeof oldPair)[]) => {
  const keys = pairs.map(({ publicKey }) => publicKeyOf(publicKey)!);
  const lookups: boolean[] = [];
  return {
    lookups,
    publicKeys: (_subscriber: string, _keyId: string, fresh = false): ResultAsync<readonly KeyObject[], Failure> => {
      lookups.push(fresh);
      return okAsync(keys);
    },
  };
};

describe('a seller with several keys under one id', () => {
  it('may sign with each of them', async () => {
    const registry = registryWith(oldPair, newPair);
    const { verify } = becknVerifier({ clock, registry });
    expect(await verify(signed(oldPair), body)).toEqual(sellerSigned);
    expect(await verify(signed(newPair), body)).toEqual(sellerSigned);
    expect(registry.lookups).toEqual([false, false]);
  });
});

const callbackFor = (context: object) => Buffer.from(JSON.stringify({ context }));

describe('a leg with its own registry', () => {
  const toMh = callbackFor({ action: 'on_search', transaction_id: 'to-mh' });
  const toMoa = callbackFor({ action: 'on_discover', transactionId: 'to-moa' });

  it('accepts only signatures with keys of that registry', async () => {
    const searches = memorySentSearches({ clock });
    await searches.remember('to-mh', { legId: 'mh' });
    await searches.remember('to-moa', { legId: 'moa' });
    const { verify } = becknVerifier({
      clock,
      registry: registryWith(oldPair),
      registries: { mh: registryWith(newPair) },
      sent: searches,
    });
    expect(await verify(signed(newPair, start, start + 60, toMh), toMh)).toEqual(sellerSigned);
    expect(await verify(signed(oldPair, start, start + 60, toMh), toMh)).toEqual(invalid);
    expect(await verify(signed(oldPair, start, start + 60, toMoa), toMoa)).toEqual(sellerSigned);
    expect(await verify(signed(newPair, start, start + 60, toMoa), toMoa)).toEqual(invalid);
  });

  it.each([
    ['an unknown transaction id', { transaction_id: 'unknown' }],
    ['a transaction id that every object has', { transaction_id: '__proto__' }],
    ['no transaction id', {}],
    ['a transaction id that is a number', { transaction_id: 1 }],
  ])('fails upstream for a callback with %s, so that the seller sends it again', async (_, context) => {
    const callback = callbackFor(context);
    const registries = { mh: registryWith(oldPair) };
    const { verify } = becknVerifier({
      clock,
      registry: registryWith(oldPair),
      registries,
      sent: memorySentSearches({ clock }),
    });
    expect(await verify(signed(oldPair, start, start + 60, callback), callback)).toEqual(unavailable);
  });

  it.each([
    ['no transaction id', '{"context":{}}'],
    ['a transaction id that is a number', '{"context":{"transaction_id":1}}'],
    ['a context that is a string', '{"context":"transaction_id"}'],
    ['no JSON object', '[]'],
    ['null', 'null'],
    ['no JSON', '{'],
  ])('looks up the search of no transaction for a callback with %s', async (_, text) => {
    const found: unknown[] = [];
    const sent = {
      remember: async () => {},
      find: (transactionId: string) => {
        found.push(transactionId);
        return okAsync(undefined);
      },
    };
    const { verify } = becknVerifier({ clock, registries: { mh: registryWith(oldPair) }, sent });
    const callback = Buffer.from(text);
    expect(await verify(signed(oldPair, start, start + 60, callback), callback)).toEqual(unavailable);
    expect(found).toEqual(['']);
  });
});

/** A verifier that knows what was sent for `transaction-1`. */
const verifierAfter = async (sentSearch: SentSearch) => {
  const sent = memorySentSearches({ clock });
  await sent.remember('transaction-1', sentSearch);
  return becknVerifier({ clock, registry: registryWith(oldPair), sent });
};

describe('a callback that signs the signature of the request', () => {
  const signature = Buffer.alloc(64, 7).toString('base64');
  const callback = callbackFor({ action: 'on_discover', transaction_id: 'transaction-1' });

  const chainedTo = (requestSignature: string) =>
    becknSigner({ subscriberId: 'seller.example', uniqueKeyId: 'k1', privateKey: oldPair.privateKey }).sign(
      callback,
      start,
      start + 60,
      requestSignature,
    );

  it('is accepted only for the request that was sent', async () => {
    const { verify } = await verifierAfter({ legId: 'net', signature });
    expect(await verify(chainedTo(signature), callback)).toEqual(sellerSigned);
    expect(await verify(chainedTo('AAAA'), callback)).toEqual(invalid);
  });

  it('may leave the request signature out, and is then verified as in Beckn 1.1', async () => {
    const { verify } = await verifierAfter({ legId: 'net', signature });
    expect(await verify(signed(oldPair, start, start + 60, callback), callback)).toEqual(sellerSigned);
  });

  it('is invalid for a search that was not signed', async () => {
    const { verify } = await verifierAfter({ legId: 'net' });
    expect(await verify(chainedTo(signature), callback)).toEqual(invalid);
    expect(await verify(chainedTo('undefined'), callback)).toEqual(invalid);
    expect(await verify(chainedTo(''), callback)).toEqual(invalid);
  });

  it('fails upstream for a search that is not known, so that the seller sends it again', async () => {
    const sent = memorySentSearches({ clock });
    const { verify } = becknVerifier({ clock, registry: registryWith(oldPair), sent });
    expect(await verify(chainedTo(signature), callback)).toEqual(unavailable);
  });

  it('fails upstream while it cannot be found out what was sent, so that the seller sends it again', async () => {
    const sent = { remember: async () => {}, find: () => errAsync(upstream('search', 'unreachable')) };
    const { verify } = becknVerifier({ clock, registry: registryWith(oldPair), sent });
    expect(await verify(chainedTo(signature), callback)).toEqual(unavailable);
  });

  it('need not be known for a callback that does not sign it, if all legs share a registry', async () => {
    const sent = { remember: async () => {}, find: () => errAsync(upstream('search', 'unreachable')) };
    const { verify } = becknVerifier({ clock, registry: registryWith(oldPair), sent });
    expect(await verify(signed(), body)).toEqual(sellerSigned);
  });

  it('causes no key lookup for a search that was not signed', async () => {
    const registry = registryWith(oldPair);
    const sent = memorySentSearches({ clock });
    await sent.remember('transaction-1', { legId: 'net' });
    const { verify } = becknVerifier({ clock, registry, sent });
    expect(await verify(chainedTo(signature), callback)).toEqual(invalid);
    expect(registry.lookups).toEqual([]);
  });

  it('is invalid without a memory of sent searches', async () => {
    const { verify } = becknVerifier({ clock, registry: registryWith(oldPair) });
    expect(await verify(chainedTo(signature), callback)).toEqual(invalid);
  });
});

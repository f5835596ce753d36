import { createHash, generateKeyPairSync } from 'node:crypto';
import { type Failure, upstream } from '@portico/core';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { base64url, CompactSign, compactVerify, type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KeysUnavailable, keySet } from './key-set.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

interface Pair {
  readonly jwk: JWK;
  /** Signed in advance, so that the key lookup starts without delay. */
  readonly token: string;
  readonly tokenWithoutKid: string;
  readonly signed: (kid: string) => Promise<string>;
}

const aPair = async (kid: string): Promise<Pair> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const signed = (kid?: string) => sign(privateKey, kid);
  const jwk = { ...(await exportJWK(publicKey)), kid };
  return { jwk, token: await signed(kid), tokenWithoutKid: await signed(), signed };
};

const sign = (key: CryptoKey, kid?: string) =>
  new CompactSign(new TextEncoder().encode('{}'))
    .setProtectedHeader({ alg: 'ES256', ...(kid !== undefined && { kid }) })
    .sign(key);

let old: Pair;
let recent: Pair;
let clock: FakeClock;

beforeAll(async () => {
  [old, recent] = await Promise.all([aPair('old'), aPair('recent')]);
});

beforeEach(() => {
  const { now, ...others } = fakeClock();
  suspendedMs = 0;
  clock = { ...others, now: () => now() + suspendedMs };
});

/** How far the wall clock is ahead of the monotonic one. */
let suspendedMs = 0;

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Creates a key set whose provider responds when the test calls `publishes`, `responds` or `fails`. */
const startKeySet = (freshMs = 10 * minuteMs) => {
  const pending: ((response: Result<unknown, Failure>) => void)[] = [];
  let fetches = 0;
  const observed: string[] = [];
  const keys = keySet(
    () => {
      fetches++;
      return new ResultAsync(new Promise((resolve) => void pending.push(resolve)));
    },
    clock,
    freshMs,
    { keysLoaded: () => observed.push('loaded'), keysFailed: (reason) => observed.push(reason) },
  );
  const respond = async (result: Result<unknown, Failure>) => {
    await expect.poll(() => pending.length, { interval: 1, message: 'pending fetches' }).toBeGreaterThan(0);
    pending.shift()?.(result);
    await settled();
  };
  return {
    get fetches() {
      return fetches;
    },
    keys,
    /** The calls of the observer. */
    observed,
    publishes: (...pairs: readonly Pair[]) => respond(ok({ keys: pairs.map(({ jwk }) => jwk) })),
    responds: (body: unknown) => respond(ok(body)),
    fails: () => respond(err(upstream('identity', 'unreachable'))),
    /** Verifies a token. Returns `good`, an error code, or the reason why no keys are available. */
    check: async (token: string): Promise<string> => {
      try {
        await keys.use((find) => compactVerify(token, find));
        return 'good';
      } catch (error) {
        if (error instanceof KeysUnavailable) return 'reason' in error.failure ? error.failure.reason : 'unavailable';
        return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      }
    },
  };
};

const warmed = async (...pairs: readonly Pair[]) => {
  const provider = startKeySet();
  const warm = provider.keys.warm();
  await provider.publishes(...pairs);
  await warm;
  return provider;
};

const noSuchKey = 'ERR_JWKS_NO_MATCHING_KEY';
const badSignature = 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED';

describe('the first keys', () => {
  it('the first keys are fetched once for concurrent checks', async () => {
    const provider = startKeySet();
    const checks = Array.from({ length: 50 }, () => provider.check(old.token));
    await provider.publishes(old);
    expect(new Set(await Promise.all(checks))).toEqual(new Set(['good']));
    expect(provider.fetches).toBe(1);
  });

  it('the first keys are fetched in advance by warm', async () => {
    const provider = await warmed(old);
    expect(await provider.check(old.token)).toBe('good');
    expect(provider.fetches).toBe(1);
  });

  it('the first keys are fetched once by concurrent calls of warm', async () => {
    const provider = startKeySet();
    const both = Promise.all([provider.keys.warm(), provider.keys.warm()]);
    await provider.publishes(old);
    expect(await both).toEqual([ok(undefined), ok(undefined)]);
    expect(provider.fetches).toBe(1);
  });

  it('the first keys are not fetched again by a second warm', async () => {
    const provider = await warmed(old);
    expect(await provider.keys.warm()).toEqual(ok(undefined));
    expect(provider.fetches).toBe(1);
  });

  it('fail all concurrent checks with the reason when the fetch fails', async () => {
    const provider = startKeySet();
    const checks = Array.from({ length: 50 }, () => provider.check(old.token));
    await provider.fails();
    expect(new Set(await Promise.all(checks))).toEqual(new Set(['unreachable']));
    expect(provider.fetches).toBe(1);
  });

  it('the first keys are fetched again 1 second after a failure, not before', async () => {
    const provider = startKeySet();
    const first = provider.check(old.token);
    await provider.fails();
    await first;
    clock.advance(999);
    expect(await provider.check(old.token)).toBe('unreachable');
    expect(provider.fetches).toBe(1);
    clock.advance(1);
    const second = provider.check(old.token);
    await provider.publishes(old);
    expect(await second).toBe('good');
    expect(provider.fetches).toBe(2);
  });

  it.each<[string, unknown]>([
    ['no keys', { keys: [] }],
    ['keys that are not an array', { keys: { kid: 'old' } }],
    ['keys that are not objects', { keys: ['old'] }],
    ['an error object', { error: 'canary' }],
    ['null', null],
    ['undefined', undefined],
    ['a string', 'canary'],
  ])('the first keys are malformed when the response contains %s', async (_, body) => {
    const provider = startKeySet();
    const warm = provider.keys.warm();
    await provider.responds(body);
    expect(await warm).toEqual(err(upstream('identity', 'malformed')));
    expect(await provider.check(old.token)).toBe('malformed');
  });
});

describe('a key that is not in the set', () => {
  it('a key that is not in the set is fetched immediately and found', async () => {
    const provider = await warmed(old);
    const check = provider.check(recent.token);
    await provider.publishes(old, recent);
    expect(await check).toBe('good');
    expect(provider.fetches).toBe(2);
  });

  it('a key that is not in the set is fetched once for concurrent checks', async () => {
    const provider = await warmed(old);
    const checks = Array.from({ length: 50 }, () => provider.check(recent.token));
    await provider.publishes(recent);
    expect(new Set(await Promise.all(checks))).toEqual(new Set(['good']));
    expect(provider.fetches).toBe(2);
  });

  it('a key that is not in the set is not fetched again within 30 seconds, for any kid', async () => {
    const provider = await warmed(old);
    const first = provider.check(await recent.signed('guess-0'));
    await provider.publishes(old);
    expect(await first).toBe(noSuchKey);
    clock.advance(29_999);
    for (let nth = 1; nth <= 20; nth++)
      expect(await provider.check(await recent.signed(`guess-${nth}`))).toBe(noSuchKey);
    expect(provider.fetches).toBe(2);
    clock.advance(1);
    const later = provider.check(recent.token);
    await provider.publishes(recent);
    expect(await later).toBe('good');
    expect(provider.fetches).toBe(3);
  });

  it('does not delay checks whose key is in the set', async () => {
    const provider = await warmed(old);
    const waiting = provider.check(recent.token);
    expect(await provider.check(old.token)).toBe('good');
    await provider.fails();
    expect(await waiting).toBe('unreachable');
  });

  it('fails with the reason when it cannot be fetched, while the other keys stay usable', async () => {
    const provider = await warmed(old);
    const check = provider.check(recent.token);
    await provider.fails();
    expect(await check).toBe('unreachable');
    expect(await provider.check(old.token)).toBe('good');
  });

  it('a key that is not in the set is fetched again 1 second after a failed fetch, then after 30 seconds', async () => {
    const provider = await warmed(old);
    const first = provider.check(recent.token);
    await provider.fails();
    await first;
    clock.advance(999);
    for (let nth = 0; nth < 20; nth++)
      expect(await provider.check(await recent.signed(`guess-${nth}`))).toBe('unreachable');
    expect(provider.fetches).toBe(2);
    clock.advance(1);
    const later = provider.check(recent.token);
    await provider.publishes(old, recent);
    expect(await later).toBe('good');
    clock.advance(29_999);
    expect(await provider.check(await recent.signed('another'))).toBe(noSuchKey);
    expect(provider.fetches).toBe(3);
  });
});

it('a key set reports each load of its keys and each failed request to its observer', async () => {
  const provider = startKeySet();
  const check = provider.check(old.token);
  await provider.fails();
  await check;
  clock.advance(1000);
  const malformed = provider.check(old.token);
  await provider.responds({ keys: [] });
  await malformed;
  clock.advance(1000);
  const loaded = provider.check(old.token);
  await provider.publishes(old);
  expect(await loaded).toBe('good');
  expect(provider.observed).toEqual(['unreachable', 'malformed', 'loaded']);
});

describe('a signature that does not match', () => {
  it('a signature that does not match is checked with newly fetched keys, because the provider may have a new key under the same kid', async () => {
    const provider = await warmed(old);
    const replaced = { ...recent, jwk: { ...recent.jwk, kid: 'old' } };
    const check = provider.check(await recent.signed('old'));
    await provider.publishes(replaced);
    expect(await check).toBe('good');
    expect(await provider.check(old.token)).toBe(badSignature);
    expect(provider.fetches).toBe(2);
  });

  it('a signature that does not match is checked with newly fetched keys when the token has no kid', async () => {
    const provider = await warmed(old);
    const check = provider.check(recent.tokenWithoutKid);
    await provider.publishes(recent);
    expect(await check).toBe('good');
    expect(provider.fetches).toBe(2);
  });

  it('shares its one fetch per 30 seconds with unknown kids', async () => {
    const provider = await warmed(old);
    const first = provider.check(await recent.signed('old'));
    await provider.publishes(old);
    expect(await first).toBe(badSignature);
    clock.advance(29_999);
    for (const token of [await recent.signed('old'), recent.tokenWithoutKid, recent.token])
      expect(await provider.check(token)).not.toBe('good');
    expect(provider.fetches).toBe(2);
    clock.advance(1);
    const later = provider.check(recent.tokenWithoutKid);
    await provider.publishes(old);
    expect(await later).toBe(badSignature);
    expect(provider.fetches).toBe(3);
  });

  it('a signature that does not match is rejected while the provider is down', async () => {
    const provider = await warmed(old);
    const check = provider.check(await recent.signed('old'));
    await provider.fails();
    expect(await check).toBe(badSignature);
  });
});

describe('several keys that match a token', () => {
  it('several keys that match a token are all tried, with one kid for both', async () => {
    const provider = await warmed(old, { ...recent, jwk: { ...recent.jwk, kid: 'old' } });
    expect(await provider.check(old.token)).toBe('good');
    expect(await provider.check(await recent.signed('old'))).toBe('good');
    expect(provider.fetches).toBe(1);
  });

  it('several keys that match a token are all tried for a token without a kid', async () => {
    const provider = await warmed(old, recent);
    expect(await provider.check(old.tokenWithoutKid)).toBe('good');
    expect(await provider.check(recent.tokenWithoutKid)).toBe('good');
    expect(provider.fetches).toBe(1);
  });

  it('reject a signature that none of them verifies', async () => {
    const provider = await warmed(old, recent);
    const unpublished = await aPair('unpublished');
    const check = provider.check(unpublished.tokenWithoutKid);
    await provider.publishes(old, recent);
    expect(await check).toBe(badSignature);
  });
});

/** Signs for a public exponent of 1, with which a signature is its own padded digest (RFC 8017, section 9.2). */
const forgedToken = (kid: string): string => {
  const input = [{ alg: 'RS256', kid }, {}].map((part) => base64url.encode(JSON.stringify(part))).join('.');
  const digest = createHash('sha256').update(input).digest('hex');
  const padded = `003031300d060960864801650304020105000420${digest}`.padStart(508, 'f');
  return `${input}.${Buffer.from(`0001${padded}`, 'hex').toString('base64url')}`;
};

describe('a weak key', () => {
  const { n } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });

  it('a weak key is not used, although the provider publishes it beside a good one', async () => {
    const weak = { ...old, jwk: { kty: 'RSA', n, e: 'AQ', kid: 'weak', alg: 'RS256' } as JWK };
    const provider = await warmed(weak, old);
    expect(await provider.check(old.token)).toBe('good');
    const check = provider.check(forgedToken('weak'));
    await provider.publishes(weak, old);
    expect(await check).toBe(noSuchKey);
  });

  it('does not lock out the tokens of a good key with the same kid', async () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const token = await new CompactSign(Buffer.from('{}'))
      .setProtectedHeader({ alg: 'RS256', kid: 'same' })
      .sign(pair.privateKey);
    const good = { ...old, jwk: { ...pair.publicKey.export({ format: 'jwk' }), kid: 'same' } };
    const provider = await warmed({ ...old, jwk: { ...short, kid: 'same' } }, good);
    expect(await provider.check(token)).toBe('good');
  });

  it('alone makes the key set malformed', async () => {
    const provider = startKeySet();
    const warm = provider.keys.warm();
    await provider.responds({ keys: [{ kty: 'RSA', n, e: 'AQ', kid: 'weak' }] });
    expect(await warm).toEqual(err(upstream('identity', 'malformed')));
  });
});

describe('the current keys', () => {
  it('the current keys are fresh for 10 minutes', async () => {
    const provider = await warmed(old);
    clock.advance(10 * minuteMs);
    expect(await provider.check(old.token)).toBe('good');
    expect(provider.fetches).toBe(1);
  });

  it('the current keys are refreshed in the background after 10 minutes', async () => {
    const provider = await warmed(old);
    clock.advance(10 * minuteMs + 1);
    expect(await Promise.all([provider.check(old.token), provider.check(old.token)])).toEqual(['good', 'good']);
    expect(provider.fetches).toBe(2);
    await provider.publishes(recent);
    expect(await provider.check(recent.token)).toBe('good');
    expect(provider.fetches).toBe(2);
  });

  it('the current keys are rejected once the provider has withdrawn them', async () => {
    const provider = await warmed(old);
    clock.advance(10 * minuteMs + 1);
    await provider.check(old.token);
    await provider.publishes(recent);
    const check = provider.check(old.token);
    await provider.publishes(recent);
    expect(await check).toBe(noSuchKey);
  });

  it('the current keys are used for 20 minutes while the provider does not respond', async () => {
    const provider = await warmed(old);
    clock.advance(11 * minuteMs);
    for (let nth = 0; nth < 9; nth++) {
      expect(await provider.check(old.token)).toBe('good');
      clock.advance(minuteMs);
    }
    expect(provider.fetches).toBe(2);
  });

  it('the current keys are refreshed before use after an idle time', async () => {
    const provider = await warmed(old);
    clock.advance(20 * hourMs);
    expect(provider.keys.version()).toBeUndefined();
    const [withdrawn, good] = [provider.check(old.token), provider.check(recent.token)];
    await provider.publishes(recent);
    expect(await good).toBe('good');
    // The token that no key matches triggers another fetch.
    await provider.publishes(recent);
    expect(await withdrawn).toBe(noSuchKey);
    expect(provider.fetches).toBe(3);
  });

  it('the current keys are used after an idle time when the provider is down, after waiting for it once', async () => {
    const provider = await warmed(old);
    clock.advance(20 * hourMs);
    const first = provider.check(old.token);
    await provider.fails();
    expect(await first).toBe('good');
    for (let nth = 0; nth < 9; nth++) {
      clock.advance(minuteMs);
      expect(await provider.check(old.token)).toBe('good');
      expect(provider.keys.version()).toBe(1);
      await provider.fails();
    }
    expect(provider.fetches).toBe(11);
  });

  it('the current keys are refreshed after the configured time', async () => {
    const provider = startKeySet(2000);
    const warm = provider.keys.warm();
    await provider.publishes(old);
    await warm;
    clock.advance(2001);
    expect(await provider.check(old.token)).toBe('good');
    await provider.publishes(recent);
    expect(await provider.check(recent.token)).toBe('good');
    expect(provider.fetches).toBe(2);
  });

  it('the current keys are fetched at most every 30 seconds while the provider is down', async () => {
    const provider = await warmed(old);
    clock.advance(hourMs);
    const first = provider.check(old.token);
    await provider.fails();
    expect(await first).toBe('good');
    clock.advance(29_999);
    expect(await provider.check(old.token)).toBe('good');
    expect(provider.fetches).toBe(2);
    clock.advance(1);
    expect(await provider.check(old.token)).toBe('good');
    expect(provider.fetches).toBe(3);
  });

  it.each<[string, unknown]>([
    ['an empty set', { keys: [] }],
    ['a response without a set', {}],
  ])('the current keys are not replaced by %s', async (_, body) => {
    const provider = await warmed(old);
    clock.advance(10 * minuteMs + 1);
    await provider.check(old.token);
    await provider.responds(body);
    expect(await provider.check(old.token)).toBe('good');
  });

  it('the current keys are used for 24 hours while the provider is down, and no longer', async () => {
    const provider = await warmed(old);
    clock.advance(24 * hourMs);
    const last = provider.check(old.token);
    await provider.fails();
    expect(await last).toBe('good');
    clock.advance(1);
    expect(await provider.check(old.token)).toBe('unreachable');
    clock.advance(1000);
    const check = provider.check(old.token);
    await provider.fails();
    expect(await check).toBe('unreachable');
  });

  it.each([
    ['the machine was suspended for a day', 24 * hourMs + 1, 0],
    ['the wall clock was set back', -48 * hourMs, 24 * hourMs + 1],
  ])('the current keys are not used longer when %s', async (_, wallMs, monotonicMs) => {
    const provider = await warmed(old);
    suspendedMs = wallMs;
    clock.advance(monotonicMs);
    expect(provider.keys.version()).toBeUndefined();
    const check = provider.check(old.token);
    await provider.fails();
    expect(await check).toBe('unreachable');
  });

  it('the current keys are replaced when the provider is up again after two days', async () => {
    const provider = await warmed(old);
    clock.advance(48 * hourMs);
    const gone = provider.check(recent.token);
    await provider.fails();
    expect(await gone).toBe('unreachable');
    clock.advance(1000);
    const back = provider.check(recent.token);
    await provider.publishes(recent);
    expect(await back).toBe('good');
  });
});

import { type Failure, upstream } from '@portico/core';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { CompactSign, compactVerify, type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KeysUnavailable, keySet } from './key-set.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

interface Pair {
  readonly jwk: JWK;
  /** Signed ahead, so that it asks for its key without delay. */
  readonly token: string;
  readonly signed: (kid: string) => Promise<string>;
}

const aPair = async (kid: string): Promise<Pair> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const signed = (named: string) => sign(privateKey, named);
  return { jwk: { ...(await exportJWK(publicKey)), kid }, token: await signed(kid), signed };
};

const sign = (key: CryptoKey, kid: string) =>
  new CompactSign(new TextEncoder().encode('{}')).setProtectedHeader({ alg: 'ES256', kid }).sign(key);

let old: Pair;
let recent: Pair;
let clock: FakeClock;

beforeAll(async () => {
  [old, recent] = await Promise.all([aPair('old'), aPair('recent')]);
});

beforeEach(() => {
  clock = fakeClock();
});

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** A provider whose answers come when the test gives them, and the key set that asks it. */
const asking = () => {
  const open: ((answer: Result<unknown, Failure>) => void)[] = [];
  let fetches = 0;
  const keys = keySet(
    () => {
      fetches++;
      return new ResultAsync(new Promise((resolve) => void open.push(resolve)));
    },
    clock,
    10 * minuteMs,
  );
  const answer = async (result: Result<unknown, Failure>) => {
    await settled();
    if (open.length === 0) throw new Error('Nobody has asked for keys.');
    open.shift()?.(result);
    await settled();
  };
  return {
    get fetches() {
      return fetches;
    },
    keys,
    gives: (...pairs: readonly Pair[]) => answer(ok({ keys: pairs.map(({ jwk }) => jwk) })),
    answers: (body: unknown) => answer(ok(body)),
    fails: () => answer(err(upstream('identity', 'unreachable'))),
    /** Whether this token was signed by a key of the set, or why nobody can tell. */
    check: async (token: string): Promise<string> => {
      try {
        await compactVerify(token, keys.find);
        return 'good';
      } catch (error) {
        if (error instanceof KeysUnavailable) return 'reason' in error.failure ? error.failure.reason : 'unavailable';
        return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      }
    },
  };
};

const warmed = async (...pairs: readonly Pair[]) => {
  const provider = asking();
  const warm = provider.keys.warm();
  await provider.gives(...pairs);
  await warm;
  return provider;
};

const noSuchKey = 'ERR_JWKS_NO_MATCHING_KEY';

describe('the first keys', () => {
  it('are fetched once for everybody who waits for them', async () => {
    const provider = asking();
    const checks = Array.from({ length: 50 }, () => provider.check(old.token));
    await provider.gives(old);
    expect(new Set(await Promise.all(checks))).toEqual(new Set(['good']));
    expect(provider.fetches).toBe(1);
  });

  it('are fetched ahead, so that nobody waits', async () => {
    const provider = await warmed(old);
    expect(await provider.check(old.token)).toBe('good');
    expect(provider.fetches).toBe(1);
  });

  it('are fetched once when warmed twice at a time', async () => {
    const provider = asking();
    const both = Promise.all([provider.keys.warm(), provider.keys.warm()]);
    await provider.gives(old);
    expect(await both).toEqual([ok(undefined), ok(undefined)]);
    expect(provider.fetches).toBe(1);
  });

  it('are not fetched again by warming what is warm, and are there while the provider is down', async () => {
    const provider = await warmed(old);
    expect(await provider.keys.warm()).toEqual(ok(undefined));
    expect(provider.fetches).toBe(1);
  });

  it('that cannot be fetched leave everybody with the reason', async () => {
    const provider = asking();
    const checks = Array.from({ length: 50 }, () => provider.check(old.token));
    await provider.fails();
    expect(new Set(await Promise.all(checks))).toEqual(new Set(['unreachable']));
    expect(provider.fetches).toBe(1);
  });

  it('are asked for again a second after a failure, not before', async () => {
    const provider = asking();
    const first = provider.check(old.token);
    await provider.fails();
    await first;
    clock.advance(999);
    expect(await provider.check(old.token)).toBe('unreachable');
    expect(provider.fetches).toBe(1);
    clock.advance(1);
    const second = provider.check(old.token);
    await provider.gives(old);
    expect(await second).toBe('good');
    expect(provider.fetches).toBe(2);
  });

  it.each<[string, unknown]>([
    ['no keys', { keys: [] }],
    ['keys that are no list', { keys: { kid: 'old' } }],
    ['keys that are no objects', { keys: ['old'] }],
    ['something else', { error: 'canary' }],
    ['null', null],
    ['nothing', undefined],
    ['text', 'canary'],
  ])('are malformed when the answer holds %s', async (_, body) => {
    const provider = asking();
    const warm = provider.keys.warm();
    await provider.answers(body);
    expect(await warm).toEqual(err(upstream('identity', 'malformed')));
    expect(await provider.check(old.token)).toBe('malformed');
  });
});

describe('a key that the set does not hold', () => {
  it('is asked for at once, and found', async () => {
    const provider = await warmed(old);
    const check = provider.check(recent.token);
    await provider.gives(old, recent);
    expect(await check).toBe('good');
    expect(provider.fetches).toBe(2);
  });

  it('is asked for once by everybody who needs it', async () => {
    const provider = await warmed(old);
    const checks = Array.from({ length: 50 }, () => provider.check(recent.token));
    await provider.gives(recent);
    expect(new Set(await Promise.all(checks))).toEqual(new Set(['good']));
    expect(provider.fetches).toBe(2);
  });

  it('is not asked for again within 30 seconds, whatever it is called', async () => {
    const provider = await warmed(old);
    const first = provider.check(await recent.signed('guess-0'));
    await provider.gives(old);
    expect(await first).toBe(noSuchKey);
    clock.advance(29_999);
    for (let nth = 1; nth <= 20; nth++)
      expect(await provider.check(await recent.signed(`guess-${nth}`))).toBe(noSuchKey);
    expect(provider.fetches).toBe(2);
    clock.advance(1);
    const later = provider.check(recent.token);
    await provider.gives(recent);
    expect(await later).toBe('good');
    expect(provider.fetches).toBe(3);
  });

  it('delays nobody whose key is there', async () => {
    const provider = await warmed(old);
    const waiting = provider.check(recent.token);
    expect(await provider.check(old.token)).toBe('good');
    await provider.fails();
    expect(await waiting).toBe(noSuchKey);
  });

  it('leaves the others serving when the provider is down', async () => {
    const provider = await warmed(old);
    const check = provider.check(recent.token);
    await provider.fails();
    expect(await check).toBe(noSuchKey);
    expect(await provider.check(old.token)).toBe('good');
  });

  it('is no reason to ask when the token does not name it', async () => {
    const provider = await warmed(old);
    const { privateKey } = await generateKeyPair('RS256');
    const nameless = await new CompactSign(new Uint8Array(1)).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
    expect(await provider.check(nameless)).toBe(noSuchKey);
    expect(provider.fetches).toBe(1);
  });
});

describe('keys in use', () => {
  it('are fresh for 10 minutes', async () => {
    const provider = await warmed(old);
    clock.advance(10 * minuteMs);
    expect(await provider.check(old.token)).toBe('good');
    expect(provider.fetches).toBe(1);
  });

  it('are refreshed after that, and nobody waits', async () => {
    const provider = await warmed(old);
    clock.advance(10 * minuteMs + 1);
    expect(await Promise.all([provider.check(old.token), provider.check(old.token)])).toEqual(['good', 'good']);
    expect(provider.fetches).toBe(2);
    await provider.gives(recent);
    expect(await provider.check(recent.token)).toBe('good');
    expect(provider.fetches).toBe(2);
  });

  it('are no longer good once the provider has withdrawn them', async () => {
    const provider = await warmed(old);
    clock.advance(10 * minuteMs + 1);
    await provider.check(old.token);
    await provider.gives(recent);
    const check = provider.check(old.token);
    await provider.gives(recent);
    expect(await check).toBe(noSuchKey);
  });

  it('serve on while the provider hangs', async () => {
    const provider = await warmed(old);
    clock.advance(hourMs);
    for (let nth = 0; nth < 5; nth++) {
      expect(await provider.check(old.token)).toBe('good');
      clock.advance(minuteMs);
    }
    expect(provider.fetches).toBe(2);
  });

  it('ask a provider that is down every 30 seconds, no more often', async () => {
    const provider = await warmed(old);
    clock.advance(hourMs);
    expect(await provider.check(old.token)).toBe('good');
    await provider.fails();
    clock.advance(29_999);
    expect(await provider.check(old.token)).toBe('good');
    expect(provider.fetches).toBe(2);
    clock.advance(1);
    expect(await provider.check(old.token)).toBe('good');
    expect(provider.fetches).toBe(3);
  });

  it.each<[string, unknown]>([
    ['an empty set', { keys: [] }],
    ['an answer without a set', {}],
  ])('are not replaced by %s', async (_, body) => {
    const provider = await warmed(old);
    clock.advance(10 * minuteMs + 1);
    await provider.check(old.token);
    await provider.answers(body);
    expect(await provider.check(old.token)).toBe('good');
  });

  it('serve for 24 hours while the provider is down, and not a moment longer', async () => {
    const provider = await warmed(old);
    clock.advance(24 * hourMs);
    expect(await provider.check(old.token)).toBe('good');
    await provider.fails();
    clock.advance(1);
    expect(await provider.check(old.token)).toBe('unreachable');
    clock.advance(1000);
    const check = provider.check(old.token);
    await provider.fails();
    expect(await check).toBe('unreachable');
  });

  it('are replaced when the provider is back, however long it was gone', async () => {
    const provider = await warmed(old);
    clock.advance(48 * hourMs);
    const gone = provider.check(recent.token);
    await provider.fails();
    expect(await gone).toBe('unreachable');
    clock.advance(1000);
    const back = provider.check(recent.token);
    await provider.gives(recent);
    expect(await back).toBe('good');
  });
});

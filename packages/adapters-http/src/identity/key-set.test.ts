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
  /** Signed ahead, so that its key is looked for without delay. */
  readonly token: string;
  readonly nameless: string;
  readonly signed: (kid: string) => Promise<string>;
}

const aPair = async (kid: string): Promise<Pair> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const signed = (named?: string) => sign(privateKey, named);
  const jwk = { ...(await exportJWK(publicKey)), kid };
  return { jwk, token: await signed(kid), nameless: await signed(), signed };
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
  clock = fakeClock();
});

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** A provider whose answers come when the test gives them, and the key set that asks it. */
const asking = (freshMs = 10 * minuteMs) => {
  const open: ((answer: Result<unknown, Failure>) => void)[] = [];
  let fetches = 0;
  const keys = keySet(
    () => {
      fetches++;
      return new ResultAsync(new Promise((resolve) => void open.push(resolve)));
    },
    clock,
    freshMs,
  );
  const answer = async (result: Result<unknown, Failure>) => {
    await expect.poll(() => open.length, { interval: 1, message: 'fetches under way' }).toBeGreaterThan(0);
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
  const provider = asking();
  const warm = provider.keys.warm();
  await provider.gives(...pairs);
  await warm;
  return provider;
};

const noSuchKey = 'ERR_JWKS_NO_MATCHING_KEY';
const badSignature = 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED';

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
    expect(await waiting).toBe('unreachable');
  });

  it('is reported as a failure of the provider when it cannot be fetched, and the other keys keep serving', async () => {
    const provider = await warmed(old);
    const check = provider.check(recent.token);
    await provider.fails();
    expect(await check).toBe('unreachable');
    expect(await provider.check(old.token)).toBe('good');
  });

  it('is fetched again a second after a failed fetch, not before, and then not for 30 seconds', async () => {
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
    await provider.gives(old, recent);
    expect(await later).toBe('good');
    clock.advance(29_999);
    expect(await provider.check(await recent.signed('another'))).toBe(noSuchKey);
    expect(provider.fetches).toBe(3);
  });
});

describe('a signature that does not match', () => {
  it('is checked with newly fetched keys, because the provider may have a new key under the same kid', async () => {
    const provider = await warmed(old);
    const replaced = { ...recent, jwk: { ...recent.jwk, kid: 'old' } };
    const check = provider.check(await recent.signed('old'));
    await provider.gives(replaced);
    expect(await check).toBe('good');
    expect(await provider.check(old.token)).toBe(badSignature);
    expect(provider.fetches).toBe(2);
  });

  it('is checked with newly fetched keys when the token names no kid', async () => {
    const provider = await warmed(old);
    const check = provider.check(recent.nameless);
    await provider.gives(recent);
    expect(await check).toBe('good');
    expect(provider.fetches).toBe(2);
  });

  it('shares its one fetch per 30 seconds with unknown kids', async () => {
    const provider = await warmed(old);
    const first = provider.check(await recent.signed('old'));
    await provider.gives(old);
    expect(await first).toBe(badSignature);
    clock.advance(29_999);
    for (const token of [await recent.signed('old'), recent.nameless, recent.token])
      expect(await provider.check(token)).not.toBe('good');
    expect(provider.fetches).toBe(2);
    clock.advance(1);
    const later = provider.check(recent.nameless);
    await provider.gives(old);
    expect(await later).toBe(badSignature);
    expect(provider.fetches).toBe(3);
  });

  it('is refused while the provider is down', async () => {
    const provider = await warmed(old);
    const check = provider.check(await recent.signed('old'));
    await provider.fails();
    expect(await check).toBe(badSignature);
  });
});

describe('several keys that fit a token', () => {
  it('are all tried, with one kid for both', async () => {
    const provider = await warmed(old, { ...recent, jwk: { ...recent.jwk, kid: 'old' } });
    expect(await provider.check(old.token)).toBe('good');
    expect(await provider.check(await recent.signed('old'))).toBe('good');
    expect(provider.fetches).toBe(1);
  });

  it('are all tried for a token that names no kid', async () => {
    const provider = await warmed(old, recent);
    expect(await provider.check(old.nameless)).toBe('good');
    expect(await provider.check(recent.nameless)).toBe('good');
    expect(provider.fetches).toBe(1);
  });

  it('refuse a signature that none of them matches', async () => {
    const provider = await warmed(old, recent);
    const stranger = await aPair('stranger');
    const check = provider.check(stranger.nameless);
    await provider.gives(old, recent);
    expect(await check).toBe(badSignature);
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

  it('serve for twice their 10 minutes while the provider hangs', async () => {
    const provider = await warmed(old);
    clock.advance(11 * minuteMs);
    for (let nth = 0; nth < 9; nth++) {
      expect(await provider.check(old.token)).toBe('good');
      clock.advance(minuteMs);
    }
    expect(provider.fetches).toBe(2);
  });

  it('are not relied on after a quiet time before the provider was asked', async () => {
    const provider = await warmed(old);
    clock.advance(20 * hourMs);
    expect(provider.keys.version()).toBeUndefined();
    const [withdrawn, good] = [provider.check(old.token), provider.check(recent.token)];
    await provider.gives(recent);
    expect(await good).toBe('good');
    // The token that no key fits has a fetch of its own.
    await provider.gives(recent);
    expect(await withdrawn).toBe(noSuchKey);
    expect(provider.fetches).toBe(3);
  });

  it('serve on after a quiet time when the provider is down, and wait for it only once', async () => {
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

  it('are refreshed every few seconds when they are fresh for no longer', async () => {
    const provider = asking(2000);
    const warm = provider.keys.warm();
    await provider.gives(old);
    await warm;
    clock.advance(2001);
    expect(await provider.check(old.token)).toBe('good');
    await provider.gives(recent);
    expect(await provider.check(recent.token)).toBe('good');
    expect(provider.fetches).toBe(2);
  });

  it('ask a provider that is down every 30 seconds, no more often', async () => {
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

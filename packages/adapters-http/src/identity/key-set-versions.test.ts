import { type Failure, upstream } from '@portico/core';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { CompactSign, compactVerify, errors, exportJWK, generateKeyPair, type JWK } from 'jose';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkWith, KeysUnavailable, keySet, type KeySetObserver } from './key-set.ts';

const minuteMs = 60_000;

interface Pair {
  readonly jwk: JWK;
  readonly token: string;
}

const aPair = async (kid: string): Promise<Pair> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const payload = new TextEncoder().encode('{}');
  return {
    jwk: { ...(await exportJWK(publicKey)), kid },
    token: await new CompactSign(payload).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey),
  };
};

let old: Pair;
let recent: Pair;
let clock: FakeClock;

beforeAll(async () => {
  [old, recent] = await Promise.all([aPair('old'), aPair('recent')]);
});

beforeEach(() => {
  clock = fakeClock();
});

const overloaded: Failure = { kind: 'overloaded', retryAfterSeconds: 1 };
const unreachable = upstream('identity', 'unreachable');
const published = (...pairs: readonly Pair[]) => ok({ keys: pairs.map(({ jwk }) => jwk) });

/** A key set, fresh for 10 minutes, of a provider that sends `response` at once, or not at all when it is undefined. */
const startKeySet = (observer?: KeySetObserver) => {
  const provider = { response: published(old) as Result<unknown, Failure> | undefined, requests: 0 };
  const load = () => {
    provider.requests++;
    return new ResultAsync<unknown, Failure>(
      provider.response ? Promise.resolve(provider.response) : new Promise(() => {}),
    );
  };
  const keys = keySet(load, clock, 10 * minuteMs, observer);
  const use = ({ token }: Pair) => keys.use((find) => compactVerify(token, find));
  return { provider, keys, use };
};

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe('the version of the keys', () => {
  it('is undefined until the keys are loaded', async () => {
    const { keys } = startKeySet();
    expect(keys.version()).toBeUndefined();
    expect(await keys.warm()).toEqual(ok(undefined));
    expect(keys.version()).toBe(1);
  });

  it('does not change when the same keys are loaded again', async () => {
    const { keys, provider } = startKeySet();
    await keys.warm();
    clock.advance(10 * minuteMs + 1);
    await keys.warm();
    await settled();
    expect([keys.version(), provider.requests]).toEqual([1, 2]);
  });

  it('increases with each other set', async () => {
    const { keys, provider } = startKeySet();
    await keys.warm();
    for (const [version, pair] of [
      [2, recent],
      [3, old],
    ] as const) {
      provider.response = published(pair);
      clock.advance(20 * minuteMs + 1);
      await keys.warm();
      expect(keys.version()).toBe(version);
    }
  });

  it('starts the refresh of keys that are older than 10 minutes', async () => {
    const { keys, provider } = startKeySet();
    await keys.warm();
    clock.advance(10 * minuteMs);
    expect([keys.version(), provider.requests]).toEqual([1, 1]);
    clock.advance(1);
    expect([keys.version(), provider.requests]).toEqual([1, 2]);
  });

  it('is undefined for keys older than 20 minutes, unless the provider has failed in the last 10', async () => {
    const { keys, provider } = startKeySet();
    await keys.warm();
    clock.advance(20 * minuteMs);
    expect(keys.version()).toBe(1);
    await settled();
    clock.advance(20 * minuteMs + 1);
    expect(keys.version()).toBeUndefined();
    provider.response = err(unreachable);
    await keys.warm();
    clock.advance(10 * minuteMs - 1);
    expect(keys.version()).toBe(1);
    await settled();
    expect(keys.version()).toBe(1);
    clock.advance(10 * minuteMs);
    expect(keys.version()).toBeUndefined();
  });

  it('is undefined for keys older than 24 hours, although the provider has just failed', async () => {
    const { keys, provider } = startKeySet();
    await keys.warm();
    provider.response = err(unreachable);
    clock.advance(24 * 60 * minuteMs);
    await keys.warm();
    expect(keys.version()).toBe(1);
    clock.advance(1);
    expect(keys.version()).toBeUndefined();
  });

  it('is returned with the result of a check', async () => {
    const { use, provider } = startKeySet();
    expect((await use(old)).version).toBe(1);
    provider.response = published(old, recent);
    expect((await use(recent)).version).toBe(2);
    expect((await use(old)).version).toBe(2);
  });

  it('is undefined for a check that needed no key', async () => {
    const { keys, provider } = startKeySet();
    expect(await keys.use(async () => 'no key')).toEqual({ result: 'no key', version: undefined });
    expect(provider.requests).toBe(0);
  });
});

describe('keys that are unavailable', () => {
  it('fail a check with the failure of the provider, and no other detail', async () => {
    const { use, provider } = startKeySet();
    provider.response = err(unreachable);
    const error = await use(old).catch((thrown: unknown) => thrown as KeysUnavailable);
    expect(error).toBeInstanceOf(KeysUnavailable);
    expect(error).toMatchObject({
      name: 'KeysUnavailable',
      message: 'No keys are available.',
      failure: unreachable,
    });
  });

  it('fail warm with the last failure until a second has passed', async () => {
    const { keys, provider } = startKeySet();
    provider.response = err(unreachable);
    expect(await keys.warm()).toEqual(err(unreachable));
    provider.response = published(old);
    clock.advance(999);
    expect(await keys.warm()).toEqual(err(unreachable));
    clock.advance(1);
    expect([await keys.warm(), provider.requests]).toEqual([ok(undefined), 2]);
  });

  it('do not fail a check that joins a request in flight', async () => {
    const { keys, use, provider } = startKeySet();
    provider.response = err(unreachable);
    await keys.warm();
    clock.advance(1000);
    provider.response = published(old);
    const warm = keys.warm();
    expect((await use(old)).version).toBe(1);
    expect([await warm, provider.requests]).toEqual([ok(undefined), 2]);
  });
});

const throws = (): never => {
  throw new TypeError('observer failed');
};

describe('the observer of a key set', () => {
  it('receives no failure that is not of the provider', async () => {
    const observed: string[] = [];
    const { keys, provider } = startKeySet({
      keysLoaded: () => observed.push('loaded'),
      keysFailed: (reason) => observed.push(reason),
    });
    provider.response = err(overloaded);
    expect(await keys.warm()).toEqual(err(overloaded));
    clock.advance(1000);
    provider.response = err(unreachable);
    await keys.warm();
    expect(observed).toEqual(['unreachable']);
  });

  it('may throw, and the keys are used', async () => {
    const { keys, provider } = startKeySet({ keysLoaded: throws, keysFailed: throws });
    provider.response = err(unreachable);
    expect(await keys.warm()).toEqual(err(unreachable));
    clock.advance(1000);
    provider.response = published(old);
    expect(await keys.warm()).toEqual(ok(undefined));
  });

  it('may be absent, or observe only some outcomes', async () => {
    for (const observer of [undefined, {}, { keysLoaded: () => {} }, { keysFailed: () => {} }]) {
      const { keys, provider } = startKeySet(observer);
      provider.response = err(unreachable);
      expect(await keys.warm()).toEqual(err(unreachable));
      clock.advance(1000);
      provider.response = published(old);
      expect(await keys.warm()).toEqual(ok(undefined));
    }
  });
});

describe('an unknown key', () => {
  it('is not searched again while the same keys were just searched, and joins a request in flight', async () => {
    const { keys, use, provider } = startKeySet();
    await keys.warm();
    await expect(use(recent)).rejects.toThrow(errors.JWKSNoMatchingKey);
    expect(provider.requests).toBe(2);
    clock.advance(10 * minuteMs + 1);
    provider.response = undefined;
    expect((await use(old)).version).toBe(1);
    expect(provider.requests).toBe(3);
    void use(recent).catch(() => {});
    await settled();
    expect(provider.requests).toBe(3);
  });

  it('is not checked again with the same keys', async () => {
    const { keys } = startKeySet();
    await keys.warm();
    let checks = 0;
    const use = keys.use((find) => {
      checks++;
      return compactVerify(recent.token, find);
    });
    await expect(use).rejects.toThrow(errors.JWKSNoMatchingKey);
    expect(checks).toBe(1);
  });

  it('does not change the error of a check that fails for another reason', async () => {
    const { keys, provider } = startKeySet();
    await keys.warm();
    const failed = keys.use(() => Promise.reject(new errors.JWTExpired('expired', {})));
    await expect(failed).rejects.toThrow(errors.JWTExpired);
    expect(provider.requests).toBe(1);
  });
});

/** The error of jose when several keys match: it yields them. */
const severalKeys = (count: number) =>
  Object.assign(new errors.JWKSMultipleMatchingKeys(), {
    async *[Symbol.asyncIterator]() {
      for (let nth = 1; nth <= count; nth++) yield nth as never;
    },
  });

/** Tries keys with this outcome: a failure, or none for the key that verifies. */
const tryKeys = async (count: number, failureOf: (key: number) => Error | undefined) => {
  const tried: number[] = [];
  const result = checkWith(
    () => Promise.reject(severalKeys(count)),
    async (find) => {
      const key = (await find({ alg: 'ES256' }, {} as never)) as unknown as number;
      tried.push(key);
      const failure = failureOf(key);
      if (failure) throw failure;
      return key;
    },
  );
  return { tried, result: await result.catch((error: unknown) => error) };
};

describe('several keys that match', () => {
  it('are tried in order until one verifies the signature', async () => {
    const outcome = await tryKeys(5, (key) => (key < 3 ? new errors.JWSSignatureVerificationFailed() : undefined));
    expect(outcome).toEqual({ tried: [1, 2, 3], result: 3 });
  });

  it('are tried also after one that is unusable', async () => {
    expect(await tryKeys(2, (key) => (key === 1 ? new TypeError('unusable') : undefined))).toEqual({
      tried: [1, 2],
      result: 2,
    });
  });

  it('are not tried after one that shows why the token is invalid', async () => {
    const { tried, result } = await tryKeys(3, () => new errors.JWTExpired('expired', {}));
    expect(tried).toEqual([1]);
    expect(result).toBeInstanceOf(errors.JWTExpired);
  });

  it('are at most 16, and then the signature does not verify', async () => {
    const { tried, result } = await tryKeys(20, () => new errors.JWSSignatureVerificationFailed());
    expect(tried).toHaveLength(16);
    expect(result).toBeInstanceOf(errors.JWSSignatureVerificationFailed);
  });

  it('are not tried when no key matches', async () => {
    const check = checkWith(
      () => Promise.reject(new errors.JWKSNoMatchingKey()),
      async (find) => find({ alg: 'ES256' }, {} as never),
    );
    await expect(check).rejects.toThrow(errors.JWKSNoMatchingKey);
  });
});

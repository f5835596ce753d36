import { type AccessToken, type Failure, upstream } from '@portico/core';
import { fakeClock } from '@portico/core/testing';
import { err, errAsync, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { keptTokens, type Lifetime } from './kept-tokens.ts';

const untilExpiry: Lifetime = (lifetimeMs) => ({ usableMs: lifetimeMs, renewAfterMs: Infinity });
const renewedAtHalf: Lifetime = (lifetimeMs) => ({ usableMs: lifetimeMs, renewAfterMs: lifetimeMs / 2 });

const timeout = upstream('identity', 'timeout');

/** Tokens that live for 100 seconds. Each request completes when the test settles it, the oldest first. */
const slowTokens = (lifetime = untilExpiry) => {
  const clock = fakeClock();
  const requests: ((result: Result<AccessToken, Failure>) => void)[] = [];
  const tokens = keptTokens(clock, lifetime);
  const request = () =>
    new ResultAsync(new Promise<Result<AccessToken, Failure>>((resolve) => void requests.push(resolve)));
  return {
    clock,
    requests,
    get: (key = 'one') => tokens.get(key, request),
    issue: (token: string) => requests.shift()?.(ok({ token, expiresInSeconds: 100 })),
    refuse: () => requests.shift()?.(err(timeout)),
  };
};

/** Tokens `1`, `2`, … of this lifetime, issued at once. */
const quickTokens = (expiresInSeconds?: number, lifetime = untilExpiry) => {
  const clock = fakeClock();
  let issued = 0;
  const tokens = keptTokens(clock, lifetime);
  const request = () =>
    okAsync({ token: String(++issued), ...(expiresInSeconds !== undefined && { expiresInSeconds }) });
  return { clock, get: async (key = 'one') => tokens.get(key, request) };
};

const header = (token: string) => ok({ authorization: `Bearer ${token}` });

describe('a kept token', () => {
  it('a kept token is used until its lifetime is over, without a promise', async () => {
    const { clock, get, requests, issue } = slowTokens();
    const first = get();
    issue('a');
    expect(await first).toEqual(header('a'));
    clock.advance(99_999);
    expect(get()).toEqual(header('a'));
    clock.advance(1);
    expect('then' in get()).toBe(true);
    expect(requests.length).toBe(1);
  });

  it('a kept token that expired while the machine was suspended is not used', async () => {
    const { now, ...clock } = fakeClock();
    let suspendedMs = 0;
    const tokens = keptTokens({ ...clock, now: () => now() + suspendedMs }, untilExpiry);
    let issued = 0;
    const get = async () => tokens.get('one', () => okAsync({ token: String(++issued), expiresInSeconds: 100 }));
    await get();
    suspendedMs = 99_999;
    expect(await get()).toEqual(header('1'));
    suspendedMs = 100_000;
    expect(await get()).toEqual(header('2'));
  });

  it('a kept token is not used beyond its lifetime when the wall clock is set back', async () => {
    const { now, ...clock } = fakeClock();
    let setBackMs = 0;
    const tokens = keptTokens({ ...clock, now: () => now() - setBackMs }, untilExpiry);
    let issued = 0;
    const get = async () => tokens.get('one', () => okAsync({ token: String(++issued), expiresInSeconds: 100 }));
    await get();
    clock.advance(100_000);
    setBackMs = 100_000;
    expect(await get()).toEqual(header('2'));
  });

  it('a failure after a kept token has expired is not repeated for a second', async () => {
    const { clock, get, requests, issue, refuse } = slowTokens();
    const first = get();
    issue('a');
    await first;
    clock.advance(100_000);
    const second = get();
    refuse();
    expect(await second).toEqual(err(timeout));
    expect(get()).toEqual(err(timeout));
    expect(requests).toEqual([]);
  });

  it('the time until the renewal of a kept token starts when it is requested', async () => {
    const { clock, get, requests, issue } = slowTokens(renewedAtHalf);
    const first = get();
    clock.advance(30_000);
    issue('a');
    await first;
    clock.advance(19_999);
    void get();
    expect(requests.length).toBe(0);
    clock.advance(1);
    void get();
    expect(requests.length).toBe(1);
  });

  it('the lifetime of a kept token starts when it is requested', async () => {
    const { clock, get, issue } = slowTokens();
    const first = get();
    clock.advance(60_000);
    issue('a');
    await first;
    clock.advance(39_999);
    expect(get()).toEqual(header('a'));
    clock.advance(1);
    expect('then' in get()).toBe(true);
  });

  it.each([undefined, 0, -5, Number.MIN_VALUE / 2])(
    'a token is used once when its lifetime is %s seconds',
    async (seconds) => {
      const { get } = quickTokens(seconds);
      expect([await get(), await get()]).toEqual([header('1'), header('2')]);
    },
  );

  it('a token with an endless lifetime is kept for a day', async () => {
    const { get, clock } = quickTokens(Infinity);
    await get();
    clock.advance(86_399_999);
    expect(await get()).toEqual(header('1'));
    clock.advance(1);
    expect(await get()).toEqual(header('2'));
  });

  it('a kept token is returned only for its own key', async () => {
    const { get } = quickTokens(100);
    expect([await get('one'), await get('other'), await get('one'), await get('other')]).toEqual(
      ['1', '2', '1', '2'].map(header),
    );
  });

  it('kept tokens take bounded memory: the least recently used are dropped', async () => {
    const tokens = keptTokens(fakeClock(), untilExpiry);
    const token = 'x'.repeat(16_000);
    const calls: string[] = [];
    const get = async (key: string) =>
      tokens.get(key, () => {
        calls.push(key);
        return okAsync({ token, expiresInSeconds: 100 });
      });
    for (let nth = 0; nth < 1100; nth++) {
      await get(`member-${nth}`);
      await get('member-0');
    }
    expect(calls.length).toBe(1100);
    await get('member-1099');
    await get('member-0');
    expect(calls.length).toBe(1100);
    await get('member-1');
    expect(calls.at(-1)).toBe('member-1');
  });
});

describe('concurrent calls', () => {
  it('share one request and its token', async () => {
    const { get, requests, issue } = slowTokens();
    const calls = Array.from({ length: 20 }, async () => get());
    expect(requests.length).toBe(1);
    issue('a');
    expect(await Promise.all(calls)).toEqual(calls.map(() => header('a')));
  });

  it('share one failure', async () => {
    const { get, requests, refuse } = slowTokens();
    const calls = [1, 2].map(async () => get());
    refuse();
    expect(await Promise.all(calls)).toEqual([err(timeout), err(timeout)]);
    expect(requests.length).toBe(0);
  });

  it('do not share a request with calls of another key', async () => {
    const { get, requests, issue } = slowTokens();
    const calls = ['one', 'other'].map(async (key) => get(key));
    expect(requests.length).toBe(2);
    issue('a');
    issue('b');
    expect(await Promise.all(calls)).toEqual([header('a'), header('b')]);
  });
});

describe('a failed request', () => {
  it('is repeated after a second, not before', async () => {
    const { clock, get, requests, issue, refuse } = slowTokens();
    const first = get();
    refuse();
    expect(await first).toEqual(err(timeout));
    clock.advance(999);
    expect(get()).toEqual(err(timeout));
    expect(requests.length).toBe(0);
    clock.advance(1);
    const second = get();
    issue('a');
    expect(await second).toEqual(header('a'));
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('canary');
      },
    ],
    ['rejects', () => new ResultAsync<AccessToken, Failure>(Promise.reject(new Error('canary')))],
  ])('is an unexpected failure if it %s, and does not block its key', async (_case, request) => {
    const clock = fakeClock();
    const tokens = keptTokens(clock, untilExpiry);
    expect(await tokens.get('one', request)).toEqual(err({ kind: 'unexpected', cause: new Error('canary') }));
    clock.advance(1000);
    expect(await tokens.get('one', () => okAsync({ token: 'a' }))).toEqual(header('a'));
  });

  it('does not affect other keys', async () => {
    const tokens = keptTokens(fakeClock(), untilExpiry);
    await tokens.get('one', () => errAsync(timeout));
    expect(await tokens.get('other', () => okAsync({ token: 'a' }))).toEqual(header('a'));
  });
});

describe('a renewal', () => {
  it('runs in the background once, while the previous token is used', async () => {
    const { clock, get, requests, issue } = slowTokens(renewedAtHalf);
    const first = get();
    issue('a');
    await first;
    clock.advance(49_999);
    expect(get()).toEqual(header('a'));
    expect(requests.length).toBe(0);
    clock.advance(1);
    expect([get(), get(), get()]).toEqual([header('a'), header('a'), header('a')]);
    expect(requests.length).toBe(1);
    issue('b');
    await expect.poll(() => get()).toEqual(header('b'));
    expect(requests.length).toBe(0);
  });

  it('a renewal that fails is retried after a second; the previous token is used as long as it is valid', async () => {
    const { clock, get, requests, refuse } = slowTokens(renewedAtHalf);
    const first = get();
    requests.shift()?.(ok({ token: 'a', expiresInSeconds: 100 }));
    await first;
    for (clock.advance(50_000); clock.monotonic() < 100_000; clock.advance(1000)) {
      expect(get()).toEqual(header('a'));
      expect(requests.length).toBe(1);
      refuse();
      // The failure is kept in a microtask.
      await new Promise((resolve) => setImmediate(resolve));
      expect(get()).toEqual(header('a'));
      expect(requests.length).toBe(0);
    }
    const last = get();
    expect('then' in last).toBe(true);
    refuse();
    expect(await last).toEqual(err(timeout));
  });
});

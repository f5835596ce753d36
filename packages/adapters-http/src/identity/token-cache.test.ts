import { createHash } from 'node:crypto';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifiedTokens } from './token-cache.ts';

const minuteMs = 60_000;
const token = 'aaaa.bbbb.cccc';
const claims = { sub: 'PTY-1' };

let clock: FakeClock;
let verified: ReturnType<typeof verifiedTokens>;

/** A time in the future, in seconds since the epoch. */
const inSeconds = (seconds: number) => clock.now() / 1000 + seconds;

/** Uses a verified token twice, so that it is cached. */
const cache = (name: string, expSeconds = inSeconds(300)) => {
  for (let use = 0; use < 2; use++) verified.add(name, 1, claims, expSeconds);
};

beforeEach(() => {
  clock = fakeClock();
  verified = verifiedTokens(clock, 10 * minuteMs);
});

describe('a cached token', () => {
  it('a cached token is found with its claims', () => {
    cache(token);
    expect(verified.get(token, 1)).toBe(claims);
  });

  it.each([
    ['another token', 'dddd.bbbb.cccc'],
    ['a token with the same signature', 'aaaa.bbbB.cccc'],
    ['a token with the same prefix', 'aaaa.bbbb.cccC'],
    ['a longer token', 'aaaa.bbbb.ccccA'],
    ['a shorter token', 'aaaa.bbbb.ccc'],
    ['a token in upper case', 'AAAA.BBBB.CCCC'],
    ['the name of an Object.prototype property', 'constructor'],
  ])('a cached token is not found for %s', (_, other) => {
    cache(token);
    expect(verified.get(other, 1)).toBeUndefined();
  });

  it('a cached token is removed when it expires', () => {
    cache(token);
    clock.advance(299_999);
    expect(verified.get(token, 1)).toBe(claims);
    clock.advance(1);
    expect(verified.get(token, 1)).toBeUndefined();
  });

  it('a cached token is removed after the cache time, regardless of its lifetime and use', () => {
    cache(token, inSeconds(86_400));
    for (let minute = 0; minute < 9; minute++) {
      clock.advance(minuteMs);
      expect(verified.get(token, 1)).toBe(claims);
    }
    clock.advance(minuteMs);
    expect(verified.get(token, 1)).toBeUndefined();
  });

  it('a cached token is removed when the keys change', () => {
    cache(token);
    expect(verified.get(token, 2)).toBeUndefined();
    expect(verified.get(token, 1)).toBeUndefined();
  });

  it('a cached token has immutable claims', () => {
    cache(token);
    expect(() => Object.assign(verified.get(token, 1) ?? {}, { sub: 'PTY-2' })).toThrow(TypeError);
  });
});

const large = (name: string) => `${name}.${'x'.repeat(8000)}.cccc`;

describe('the token cache', () => {
  it('does not keep a token at its first use', () => {
    verified.add(token, 1, claims, inSeconds(300));
    expect(verified.get(token, 1)).toBeUndefined();
    verified.add(token, 1, claims, inSeconds(300));
    expect(verified.get(token, 1)).toBe(claims);
  });

  it('keeps thousands of tokens that are used in turn after a few uses, although some of them share a slot', () => {
    const signed = Array.from(
      { length: 2000 },
      (_, nth) => `a.b.${createHash('sha256').update(`${nth}`).digest('base64url')}`,
    );
    const use = () => {
      for (const one of signed) if (!verified.get(one, 1)) verified.add(one, 1, claims, inSeconds(300));
      return signed.filter((one) => verified.get(one, 1)).length;
    };
    // On average 0, 1,740 and, after 20 uses, 2,000.
    expect([use(), use() > 1500, Array.from({ length: 18 }, use).at(-1)! > 1980]).toEqual([0, true, true]);
  });

  it('evicts the least recently used tokens above its size limit', () => {
    for (let nth = 0; nth < 3000; nth++) {
      cache(large(`t${nth}`));
      expect(verified.get(large('t0'), 1)).toBe(claims);
    }
    const isCached = Array.from({ length: 3000 }, (_, nth) => verified.get(large(`t${nth}`), 1) !== undefined);
    const capacity = (16 * 1024 * 1024) / large('t1000').length;
    const count = isCached.filter(Boolean).length;
    expect(count).toBeLessThanOrEqual(capacity);
    expect(count).toBeGreaterThan(0.98 * capacity);
    expect([isCached[0], isCached[1], isCached[2999]]).toEqual([true, false, true]);
  });

  it('counts a token once when it is added again', () => {
    for (let nth = 0; nth < 5000; nth++) cache(large('again'));
    cache(large('other'));
    expect([verified.get(large('again'), 1), verified.get(large('other'), 1)]).toEqual([claims, claims]);
  });
});

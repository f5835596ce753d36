import { type FakeClock, fakeClock } from '@portico/core/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifiedTokens } from './token-cache.ts';

const minuteMs = 60_000;
const token = 'aaaa.bbbb.cccc';
const claims = { sub: 'PTY-1' };

let clock: FakeClock;
let verified: ReturnType<typeof verifiedTokens>;

/** When it ends, in seconds since the epoch. */
const inSeconds = (seconds: number) => clock.now() / 1000 + seconds;

beforeEach(() => {
  clock = fakeClock();
  verified = verifiedTokens(clock, 10 * minuteMs);
});

describe('a verified token', () => {
  it('is known again, with what it said', () => {
    verified.add(token, 1, claims, inSeconds(300));
    expect(verified.get(token, 1)).toBe(claims);
  });

  it.each([
    ['another one', 'dddd.bbbb.cccc'],
    ['one with the same signature', 'aaaa.bbbB.cccc'],
    ['one that only begins alike', 'aaaa.bbbb.cccC'],
    ['a longer one', 'aaaa.bbbb.ccccA'],
    ['a shorter one', 'aaaa.bbbb.ccc'],
    ['one in other case', 'AAAA.BBBB.CCCC'],
    ['the name of something every object has', 'constructor'],
  ])('is not %s', (_, other) => {
    verified.add(token, 1, claims, inSeconds(300));
    expect(verified.get(other, 1)).toBeUndefined();
  });

  it('is forgotten at the moment it expires', () => {
    verified.add(token, 1, claims, inSeconds(300));
    clock.advance(299_999);
    expect(verified.get(token, 1)).toBe(claims);
    clock.advance(1);
    expect(verified.get(token, 1)).toBeUndefined();
  });

  it('is looked at again after a while, however long it lives and however often it comes', () => {
    verified.add(token, 1, claims, inSeconds(86_400));
    for (let minute = 0; minute < 9; minute++) {
      clock.advance(minuteMs);
      expect(verified.get(token, 1)).toBe(claims);
    }
    clock.advance(minuteMs);
    expect(verified.get(token, 1)).toBeUndefined();
  });

  it('is unknown as soon as other keys serve', () => {
    verified.add(token, 1, claims, inSeconds(300));
    expect(verified.get(token, 2)).toBeUndefined();
    expect(verified.get(token, 1)).toBeUndefined();
  });

  it('cannot be made to say something else', () => {
    verified.add(token, 1, claims, inSeconds(300));
    expect(() => Object.assign(verified.get(token, 1) ?? {}, { sub: 'PTY-2' })).toThrow(TypeError);
  });
});

const large = (name: string) => `${name}.${'x'.repeat(8000)}.cccc`;

describe('many verified tokens', () => {
  it('take no more room than they may: those not seen for longest are forgotten', () => {
    for (let nth = 0; nth < 3000; nth++) {
      verified.add(large(`t${nth}`), 1, claims, inSeconds(300));
      expect(verified.get(large('t0'), 1)).toBe(claims);
    }
    const known = Array.from({ length: 3000 }, (_, nth) => verified.get(large(`t${nth}`), 1) !== undefined);
    const room = (16 * 1024 * 1024) / large('t1000').length;
    const kept = known.filter(Boolean).length;
    expect(kept).toBeLessThanOrEqual(room);
    expect(kept).toBeGreaterThan(0.98 * room);
    expect([known[0], known[1], known[2999]]).toEqual([true, false, true]);
  });

  it('count once when they are verified again', () => {
    for (let nth = 0; nth < 5000; nth++) verified.add(large('again'), 1, claims, inSeconds(300));
    verified.add(large('other'), 1, claims, inSeconds(300));
    expect([verified.get(large('again'), 1), verified.get(large('other'), 1)]).toEqual([claims, claims]);
  });
});

import { fakeClock } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { redeliveryBuffer } from './redelivery-buffer.ts';

const made = () => {
  const clock = fakeClock();
  const redis = { isSettled: true };
  return { clock, redis, kept: redeliveryBuffer(clock, () => redis.isSettled) };
};

const ids = ({ kept }: Pick<ReturnType<typeof made>, 'kept'>) => kept.all().map(({ transactionId }) => transactionId);

describe('a callback that Redis took from this instance', () => {
  it('is kept until its owner has had time to read it', () => {
    const { clock, kept } = made();
    kept.keep('t-1', 'one', false);
    clock.advance(1000);
    kept.keep('t-2', 'two', false);
    clock.advance(1000);
    expect(ids({ kept })).toEqual(['t-2']);
    clock.advance(2000);
    expect([kept.all(), clock.scheduled]).toEqual([[], 0]);
  });

  it('is kept for a minute while Redis is not healthy', () => {
    const { clock, redis, kept } = made();
    kept.keep('t-1', 'one', false);
    redis.isSettled = false;
    clock.advance(59_000);
    expect(ids({ kept })).toEqual(['t-1']);
    clock.advance(2000);
    expect([kept.all(), clock.scheduled]).toEqual([[], 0]);
  });

  it('is dropped, the oldest first, beyond 64 Mi characters', () => {
    const { kept } = made();
    const large = 'x'.repeat(30 * 1024 * 1024);
    for (const id of ['t-1', 't-2', 't-3']) kept.keep(id, large, false);
    expect(ids({ kept })).toEqual(['t-2', 't-3']);
  });

  it('is not replaced by a later one that is not verified', () => {
    const { kept } = made();
    kept.keep('t-1', 'genuine', true);
    kept.keep('t-1', 'forged', false);
    expect(kept.all()).toMatchObject([{ callback: 'genuine', isVerified: true }]);
  });

  it('is not kept after the exchange was closed, and no timer remains', () => {
    const { clock, kept } = made();
    kept.keep('t-1', 'one', false);
    kept.keep('t-1', 'one', false);
    expect(clock.scheduled).toBe(1);
    kept.close();
    kept.keep('t-2', 'two', false);
    expect([kept.all(), clock.scheduled]).toEqual([[], 0]);
  });
});

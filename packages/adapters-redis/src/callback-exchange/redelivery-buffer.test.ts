import { fakeClock } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { redeliveryBuffer } from './redelivery-buffer.ts';

const createBuffer = () => {
  const clock = fakeClock();
  const redis = { isSettled: true };
  return { clock, redis, buffer: redeliveryBuffer(clock, () => redis.isSettled) };
};

const ids = ({ buffer }: Pick<ReturnType<typeof createBuffer>, 'buffer'>) =>
  buffer.all().map(({ transactionId }) => transactionId);

describe('redeliveryBuffer', () => {
  it('drops a callback after its owner has had time to read it', () => {
    const { clock, buffer } = createBuffer();
    buffer.add('t-1', 'one', false);
    clock.advance(1000);
    buffer.add('t-2', 'two', false);
    clock.advance(1000);
    expect(ids({ buffer })).toEqual(['t-2']);
    clock.advance(2000);
    expect([buffer.all(), clock.scheduled]).toEqual([[], 0]);
  });

  it('keeps a callback for a minute while Redis is not healthy', () => {
    const { clock, redis, buffer } = createBuffer();
    buffer.add('t-1', 'one', false);
    redis.isSettled = false;
    clock.advance(59_000);
    expect(ids({ buffer })).toEqual(['t-1']);
    clock.advance(2000);
    expect([buffer.all(), clock.scheduled]).toEqual([[], 0]);
  });

  it('drops the oldest callbacks beyond 64 Mi characters', () => {
    const { buffer } = createBuffer();
    const large = 'x'.repeat(30 * 1024 * 1024);
    for (const id of ['t-1', 't-2', 't-3']) buffer.add(id, large, false);
    expect(ids({ buffer })).toEqual(['t-2', 't-3']);
  });

  it('does not replace a verified callback with an unverified one', () => {
    const { buffer } = createBuffer();
    buffer.add('t-1', 'genuine', true);
    buffer.add('t-1', 'forged', false);
    expect(buffer.all()).toMatchObject([{ callback: 'genuine', isVerified: true }]);
  });

  it('drops everything and cancels its timer when it is closed', () => {
    const { clock, buffer } = createBuffer();
    buffer.add('t-1', 'one', false);
    buffer.add('t-1', 'one', false);
    expect(clock.scheduled).toBe(1);
    buffer.close();
    buffer.add('t-2', 'two', false);
    expect([buffer.all(), clock.scheduled]).toEqual([[], 0]);
  });
});

import { fakeClock } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { offeredCallback } from './offered-callback.ts';
import { type AcknowledgedOutcome, redeliveryBuffer } from './redelivery-buffer.ts';

const createBuffer = () => {
  const clock = fakeClock();
  const redis = { isSettled: true };
  const buffer = redeliveryBuffer(clock, () => redis.isSettled);
  const add = (id: string, text: string, outcome: AcknowledgedOutcome = 'delivered', isVerified = false) =>
    buffer.add(offeredCallback(id, text, { isVerified }), outcome);
  return { clock, redis, buffer, add };
};

const ids = ({ buffer }: Pick<ReturnType<typeof createBuffer>, 'buffer'>) =>
  buffer.all().map(({ transactionId }) => transactionId);

describe('redeliveryBuffer', () => {
  it('drops a callback after its owner has had time to read it', () => {
    const { clock, buffer, add } = createBuffer();
    add('t-1', 'one');
    clock.advance(1000);
    add('t-2', 'two');
    clock.advance(1000);
    expect(ids({ buffer })).toEqual(['t-2']);
    clock.advance(2000);
    expect([buffer.all(), clock.scheduled]).toEqual([[], 0]);
  });

  it('keeps a callback while Redis is not healthy, for as long as a search may wait', () => {
    const { clock, redis, buffer, add } = createBuffer();
    add('t-1', 'one');
    redis.isSettled = false;
    clock.advance(599_000);
    expect(ids({ buffer })).toEqual(['t-1']);
    clock.advance(2000);
    expect([buffer.all(), clock.scheduled]).toEqual([[], 0]);
  });

  it('drops the oldest callbacks beyond 64 Mi characters', () => {
    const { buffer, add } = createBuffer();
    const large = 'x'.repeat(30 * 1024 * 1024);
    for (const id of ['t-1', 't-2', 't-3']) add(id, large);
    expect(ids({ buffer })).toEqual(['t-2', 't-3']);
  });

  it('does not replace a delivered callback with a duplicate, which its leg may refuse', () => {
    const { buffer, add } = createBuffer();
    add('t-1', 'of this message', 'delivered');
    add('t-1', 'of another message', 'duplicate');
    add('t-1', 'of another message', 'duplicate', true);
    expect(buffer.all()).toMatchObject([{ text: 'of this message' }]);
  });

  it('replaces a duplicate with a later callback that Redis has delivered', () => {
    const { buffer, add } = createBuffer();
    add('t-1', 'a duplicate', 'duplicate', true);
    add('t-1', 'delivered after Redis has lost the first one', 'delivered');
    expect(buffer.all()).toMatchObject([{ text: 'delivered after Redis has lost the first one' }]);
  });

  it('does not replace a verified duplicate with an unverified one', () => {
    const { buffer, add } = createBuffer();
    add('t-1', 'unverified', 'duplicate');
    add('t-1', 'genuine', 'duplicate', true);
    add('t-1', 'forged', 'duplicate');
    expect(buffer.all()).toMatchObject([{ text: 'genuine', isVerified: true }]);
  });

  it('keeps each text of a leg that collects once, and one callback of another leg', () => {
    const { buffer, add } = createBuffer();
    for (const [text, outcome] of [
      ['one', 'collected'],
      ['two', 'collected'],
      ['one', 'repeated'],
    ] as const) {
      add('collecting', text, outcome);
      add('first', text);
    }
    const texts = buffer.all().map(({ transactionId, text }) => [transactionId, text]);
    expect(texts).toEqual([
      ['collecting', 'two'],
      ['collecting', 'one'],
      ['first', 'one'],
    ]);
  });

  it('drops everything and cancels its timer when it is closed', () => {
    const { clock, buffer, add } = createBuffer();
    add('t-1', 'one');
    add('t-1', 'one');
    expect(clock.scheduled).toBe(1);
    buffer.close();
    add('t-2', 'two');
    expect([buffer.all(), clock.scheduled]).toEqual([[], 0]);
  });
});

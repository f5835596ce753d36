import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../runtime/clock.fake.ts';
import { memoryReplayGuard } from './memory-replay-guard.ts';
import { replayGuardContract } from './replay-guard.contract.ts';
import { fakeReplayGuard } from './replay-guard.fake.ts';
import { maxReplaySeconds } from './replay-guard.port.ts';

let count = 0;
const fresh = () => `value ${++count}`;

describe('the fake', () => {
  replayGuardContract({ describe, it }, () => ({ guard: fakeReplayGuard(), fresh }));

  it('returns full while it is full', async () => {
    const guard = fakeReplayGuard();
    guard.fill(true);
    expect(await guard.use('a', 60)).toBe('full');
    guard.fill(false);
    expect(await guard.use('a', 60)).toBe('first');
    expect(guard.used).toEqual([['a', 60]]);
  });
});

describe('memoryReplayGuard', () => {
  it('remembers a value for the longest time, whenever it is used', async () => {
    for (const startedAt of [0, 1, 60, 129, 130, 259, 500]) {
      const clock = fakeClock();
      const guard = memoryReplayGuard({ clock });
      await guard.use('before', 1);
      clock.advance(startedAt * 1000);
      expect(await guard.use('value', maxReplaySeconds)).toBe('first');
      for (let second = 0; second < maxReplaySeconds; second++) {
        expect(await guard.use('value', maxReplaySeconds)).toBe('repeated');
        clock.advance(1000);
      }
    }
  });

  it('forgets a value after twice the longest time, although it was repeated', async () => {
    const clock = fakeClock();
    const guard = memoryReplayGuard({ clock });
    expect(await guard.use('value', 60)).toBe('first');
    for (const seconds of [maxReplaySeconds, maxReplaySeconds - 1]) {
      clock.advance(seconds * 1000);
      expect(await guard.use('value', 60)).toBe('repeated');
    }
    clock.advance(1000);
    expect(await guard.use('value', 60)).toBe('first');
  });

  it('forgets no value when it is full, and refuses new ones', async () => {
    const clock = fakeClock();
    const guard = memoryReplayGuard({ clock, maxValues: 2 });
    await guard.use('a', 60);
    clock.advance(maxReplaySeconds * 1000);
    await guard.use('b', 60);
    expect(await guard.use('c', 60)).toBe('full');
    expect([await guard.use('a', 60), await guard.use('b', 60)]).toEqual(['repeated', 'repeated']);
    clock.advance(maxReplaySeconds * 1000);
    expect(await guard.use('c', 60)).toBe('first');
  });
});

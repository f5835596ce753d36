import { describe, expect, it } from 'vitest';
import { fakeClock } from '../runtime/clock.fake.ts';
import { fakeSessionStore } from './session-store.fake.ts';

describe('the fake', () => {
  it('shows the sessions that exist', async () => {
    const clock = fakeClock();
    const store = fakeSessionStore(clock);
    await store.create('a', { value: 'one', labels: ['l'], beganMsAgo: 0, expiresInMs: 10 });
    await store.create('b', { value: 'two', labels: [], beganMsAgo: 0, expiresInMs: 20 });
    expect(store.sessions.map(({ id, value, labels, expiresAt }) => [id, value, labels, expiresAt])).toEqual([
      ['a', 'one', ['l'], 10],
      ['b', 'two', [], 20],
    ]);
    clock.advance(10);
    expect(store.sessions.map(({ id }) => id)).toEqual(['b']);
  });

  it('is degraded on demand', () => {
    const store = fakeSessionStore();
    store.degrade('the store is down');
    expect(store.degradedReason).toBe('the store is down');
  });
});

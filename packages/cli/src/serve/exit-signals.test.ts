import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { exitSignals } from '../output/exit-code.ts';
import { exitOnSignal, onExitSignal } from './exit-signals.ts';

const listeners = () => exitSignals.map((signal) => process.listenerCount(signal));

/** Delivers a signal to the newest listener only, not to those of the test runner. */
const deliver = (signal: (typeof exitSignals)[number]) => process.listeners(signal).at(-1)?.(signal);

it('exitOnSignal listens until the server handles the signals itself', () => {
  const before = listeners();
  const stop = exitOnSignal();
  expect(listeners()).toEqual(before.map((count) => count + 1));
  stop();
  expect(listeners()).toEqual(before);
});

describe('onExitSignal', () => {
  it('closes once, and stops listening half a second after it has closed, even if that failed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const before = listeners();
    const closing = Promise.withResolvers<void>();
    let calls = 0;
    onExitSignal(() => {
      calls++;
      return closing.promise;
    });
    deliver('SIGTERM');
    deliver('SIGINT');
    expect(calls).toBe(1);
    closing.reject(new Error('a bug'));
    await closing.promise.catch(() => {});
    await vi.advanceTimersByTimeAsync(499);
    expect(listeners()).toEqual(before.map((count) => count + 1));
    await vi.advanceTimersByTimeAsync(1);
    expect(listeners()).toEqual(before);
  });
});

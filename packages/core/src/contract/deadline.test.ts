import { afterEach, expect, it, vi } from 'vitest';
import { withDeadline } from './deadline.ts';

interface Timers {
  setTimeout(task: () => void, ms: number): unknown;
}

const late = new Error('too late');

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('a deadline rejects for a promise that never settles', async () => {
  await expect(withDeadline(new Promise(() => {}), 1, late)).rejects.toBe(late);
});

it('a deadline settles like its promise', async () => {
  expect(await withDeadline(Promise.resolve('value'), 60_000, late)).toBe('value');
  const failure = new Error('failed');
  await expect(withDeadline(Promise.reject(failure), 60_000, late)).rejects.toBe(failure);
});

it('a deadline works while a test uses fake timers', async () => {
  vi.useFakeTimers();
  // Not the number of fake timers, because other tests of this process may still start some.
  const fakeTimeout = vi.spyOn(globalThis as unknown as Timers, 'setTimeout');
  await expect(withDeadline(new Promise(() => {}), 1, late)).rejects.toBe(late);
  expect(fakeTimeout.mock.calls.map(([, ms]) => ms)).not.toContain(0.1);
});

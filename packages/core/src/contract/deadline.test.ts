import { afterEach, expect, it, vi } from 'vitest';
import { withDeadline } from './deadline.ts';

const late = new Error('too late');

afterEach(() => void vi.useRealTimers());

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
  await expect(withDeadline(new Promise(() => {}), 1, late)).rejects.toBe(late);
});

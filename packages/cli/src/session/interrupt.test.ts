import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { unlessAborted } from './interrupt.ts';

it('unlessAborted does not keep finished work in memory until the signal aborts', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(signal, Promise.resolve('a result'))).toBe('a result');
  await expect(unlessAborted(signal, Promise.reject(new Error('failed')))).rejects.toThrow('failed');

  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('unlessAborted resolves as aborted when the signal aborts before the work ends', async () => {
  const controller = new AbortController();
  const waiting = unlessAborted(controller.signal, new Promise(() => {}));
  controller.abort();

  expect(await waiting).toBe('aborted');
});

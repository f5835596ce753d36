import { expect, it } from 'vitest';
import { CoreSignal } from './signal.ts';
import { unlessAborted } from './unless-aborted.ts';

/** A signal that counts its listeners. */
class CountingSignal extends CoreSignal {
  listeners = 0;

  override addEventListener(type: 'abort', listener: () => void): void {
    this.listeners++;
    super.addEventListener(type, listener);
  }

  override removeEventListener(type: 'abort', listener: () => void): void {
    this.listeners--;
    super.removeEventListener(type, listener);
  }
}

const aborted = () => 'aborted';

it('unlessAborted settles like the work, which the signal then does not keep in memory', async () => {
  const signal = new CountingSignal();

  expect(await unlessAborted(signal, Promise.resolve('done'), aborted)).toBe('done');
  await expect(unlessAborted(signal, Promise.reject(new Error('failed')), aborted)).rejects.toThrow('failed');
  expect(signal.listeners).toBe(0);
});

it('unlessAborted resolves as soon as the signal aborts, and ignores a later failure of the work', async () => {
  const signal = new CountingSignal();
  const work = Promise.withResolvers<string>();
  const settled = unlessAborted(signal, work.promise, aborted);
  signal.abort();
  work.reject(new Error('failed'));

  expect(await settled).toBe('aborted');
  expect(signal.listeners).toBe(0);
});

it('unlessAborted prefers a signal that aborted before to work that is done', async () => {
  const signal = new CoreSignal();
  signal.abort();

  expect(await unlessAborted(signal, Promise.resolve('done'), aborted)).toBe('aborted');
});

it('unlessAborted rejects if onAbort returns a promise that rejects', async () => {
  const signal = new CoreSignal();
  const settled = unlessAborted(signal, new Promise(() => {}), () => Promise.reject(new Error('interrupted')));
  signal.abort();

  await expect(settled).rejects.toThrow('interrupted');
});

it('unlessAborted waits for the work without a signal', async () => {
  expect(await unlessAborted(undefined, Promise.resolve('done'), aborted)).toBe('done');
});

import { describe, expect, it } from 'vitest';
import { CoreSignal } from './signal.ts';

describe('CoreSignal', () => {
  it('calls every listener once', () => {
    const signal = new CoreSignal();
    const calls: string[] = [];
    signal.addEventListener('abort', () => calls.push('one'));
    signal.addEventListener('abort', () => calls.push('other'));
    expect([signal.aborted, calls]).toEqual([false, []]);
    signal.abort();
    signal.abort();
    expect([signal.aborted, calls]).toEqual([true, ['one', 'other']]);
  });

  it('sets aborted before it calls the listeners', () => {
    const signal = new CoreSignal();
    const seen: boolean[] = [];
    signal.addEventListener('abort', () => seen.push(signal.aborted));
    signal.abort();
    expect(seen).toEqual([true]);
  });

  it('calls a listener once when it was added twice', () => {
    const signal = new CoreSignal();
    let calls = 0;
    const listener = () => {
      calls++;
    };
    signal.addEventListener('abort', listener);
    signal.addEventListener('abort', listener);
    signal.abort();
    expect(calls).toBe(1);
  });

  it('does not call a removed listener, and ignores removing it twice', () => {
    const signal = new CoreSignal();
    const calls: string[] = [];
    const listener = () => void calls.push('left');
    signal.addEventListener('abort', listener);
    signal.removeEventListener('abort', listener);
    signal.removeEventListener('abort', listener);
    signal.abort();
    expect(calls).toEqual([]);
  });

  it('still calls the other listeners when one is removed', () => {
    const signal = new CoreSignal();
    const calls: string[] = [];
    const removed = () => void calls.push('removed');
    signal.addEventListener('abort', removed);
    signal.addEventListener('abort', () => calls.push('kept'));
    signal.removeEventListener('abort', removed);
    signal.abort();
    expect(calls).toEqual(['kept']);
  });

  it('does not call a listener that another listener has removed', () => {
    const signal = new CoreSignal();
    const calls: string[] = [];
    const second = () => void calls.push('second');
    signal.addEventListener('abort', () => signal.removeEventListener('abort', second));
    signal.addEventListener('abort', second);
    signal.abort();
    expect(calls).toEqual([]);
  });

  it('does not call a listener that is added after the abort', () => {
    const signal = new CoreSignal();
    signal.abort();
    const calls: string[] = [];
    signal.addEventListener('abort', () => calls.push('late'));
    signal.abort();
    expect(calls).toEqual([]);
  });

  it('calls listeners once when one of them aborts again', () => {
    const signal = new CoreSignal();
    let calls = 0;
    signal.addEventListener('abort', () => {
      calls++;
      signal.abort();
    });
    signal.abort();
    expect(calls).toBe(1);
  });
});

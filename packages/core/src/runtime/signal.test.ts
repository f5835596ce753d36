import { describe, expect, it } from 'vitest';
import { createSignal } from './signal.ts';

describe('a signal', () => {
  it('tells everyone who listens, once', () => {
    const { signal, abort } = createSignal();
    const told: string[] = [];
    signal.addEventListener('abort', () => told.push('one'));
    signal.addEventListener('abort', () => told.push('other'));
    expect([signal.aborted, told]).toEqual([false, []]);
    abort();
    abort();
    expect([signal.aborted, told]).toEqual([true, ['one', 'other']]);
  });

  it('has been given already when the listeners hear of it', () => {
    const { signal, abort } = createSignal();
    const seen: boolean[] = [];
    signal.addEventListener('abort', () => seen.push(signal.aborted));
    abort();
    expect(seen).toEqual([true]);
  });

  it('tells a listener once that was added twice', () => {
    const { signal, abort } = createSignal();
    let told = 0;
    const listener = () => {
      told++;
    };
    signal.addEventListener('abort', listener);
    signal.addEventListener('abort', listener);
    abort();
    expect(told).toBe(1);
  });

  it('does not tell who no longer listens, and forgives leaving twice', () => {
    const { signal, abort } = createSignal();
    const told: string[] = [];
    const listener = () => void told.push('left');
    signal.addEventListener('abort', listener);
    signal.removeEventListener('abort', listener);
    signal.removeEventListener('abort', listener);
    abort();
    expect(told).toEqual([]);
  });

  it('does not tell a listener that another one took away meanwhile', () => {
    const { signal, abort } = createSignal();
    const told: string[] = [];
    const second = () => void told.push('second');
    signal.addEventListener('abort', () => signal.removeEventListener('abort', second));
    signal.addEventListener('abort', second);
    abort();
    expect(told).toEqual([]);
  });

  it('says nothing to who comes after it was given', () => {
    const { signal, abort } = createSignal();
    abort();
    const told: string[] = [];
    signal.addEventListener('abort', () => told.push('late'));
    abort();
    expect(told).toEqual([]);
  });

  it('is given by one of its listeners without starting over', () => {
    const { signal, abort } = createSignal();
    let told = 0;
    signal.addEventListener('abort', () => {
      told++;
      abort();
    });
    abort();
    expect(told).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import { Collection } from './collection.ts';

describe('a collection', () => {
  it('accepts exactly its limits', () => {
    const collection = new Collection({ maxCallbacks: 2, maxBytes: 10 });
    for (const [callback, bytes] of [
      ['a', 4],
      ['b', 6],
    ] as const) {
      expect(collection.outcomeOf(callback, bytes)).toBe('delivered');
      collection.add(callback, bytes);
    }
    expect(collection.outcomeOf('c', 0)).toBe('full');
  });

  it('stays full, also for a callback that would fit', () => {
    const collection = new Collection({ maxCallbacks: 2, maxBytes: 10 });
    expect(collection.outcomeOf('large', 11)).toBe('full');
    expect(collection.outcomeOf('small', 1)).toBe('full');
  });
});

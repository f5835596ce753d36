import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Collection, utf8Length } from './collection.ts';

declare const Buffer: { byteLength(text: string): number };

describe('the length of a text in UTF-8', () => {
  it.each([
    ['', 0],
    ['\u007f', 1],
    ['\u0080', 2],
    ['\u07ff', 2],
    ['\u0800', 3],
    ['\ud7ff', 3],
    ['\ue000', 3],
    ['\uffff', 3],
    ['\u{10000}', 4],
    ['\u{10ffff}', 4],
  ])('of %j is %i bytes', (text, bytes) => {
    expect(utf8Length(text)).toBe(bytes);
  });

  it('is the number of bytes that are sent, for every text', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(fc.property(text, (any) => utf8Length(any) === Buffer.byteLength(any)));
  });
});

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
    expect(collection.bytes).toBe(10);
    expect(collection.outcomeOf('c', 0)).toBe('full');
  });

  it('stays full, also for a callback that would fit', () => {
    const collection = new Collection({ maxCallbacks: 2, maxBytes: 10 });
    expect(collection.outcomeOf('large', 11)).toBe('full');
    expect(collection.outcomeOf('small', 1)).toBe('full');
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Length } from './json.ts';

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
  ])('the length of %j in UTF-8 is %i bytes', (text, bytes) => {
    expect(utf8Length(text)).toBe(bytes);
  });

  it('is the number of bytes that are sent, for every text', () => {
    // `fc.string({ unit: 'binary' })` needs seconds to prepare all characters.
    const code = fc.integer({ min: 0, max: 0x10f7ff });
    const character = code.map((any) => String.fromCodePoint(any < 0xd800 ? any : any + 0x800));
    const text = fc.string({ unit: character });
    fc.assert(fc.property(text, (any) => utf8Length(any) === Buffer.byteLength(any)));
  });
});

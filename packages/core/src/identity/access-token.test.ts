import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCompactJws } from './access-token.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');

/** How a token ends, per length of its last segment: the characters whose unused bits are zero. */
const lastCharacters = (signature: string) => alphabet.filter((last) => isCompactJws(`aaaa.bbbb.${signature}${last}`));

const ofLength = (length: number) => `aaaa.bbbb.${'A'.repeat(length - 10)}`;

describe('an access token', () => {
  it('is three segments of base64url with dots between', () => {
    expect(isCompactJws('eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJQVFktMSJ9.-_8A')).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['one segment', 'aaaa'],
    ['two segments', 'aaaa.bbbb'],
    ['four segments', 'aaaa.bbbb.cccc.dddd'],
    ['the five of an encrypted token', 'aaaa.bbbb.cccc.dddd.eeee'],
    ['an empty header', '.bbbb.cccc'],
    ['an empty payload', 'aaaa..cccc'],
    ['an empty signature', 'aaaa.bbbb.'],
    ['dots alone', '..'],
    ['padding', 'aaaa.bbbb.cc=='],
    ['padding inside', 'aa==.bbbb.cccc'],
    ['a blank in front', ' aaaa.bbbb.cccc'],
    ['a blank inside', 'aaaa.bb bb.cccc'],
    ['a line break at the end', 'aaaa.bbbb.cccc\n'],
    ['the plain base64 alphabet', 'aaaa.bb+/.cccc'],
    ['a letter beyond ASCII', 'aaaa.bbbé.cccc'],
    ['a comma, as when a header was sent twice', 'aaaa.bbbb.cccc, aaaa.bbbb.cccc'],
  ])('is not %s', (_, token) => {
    expect(isCompactJws(token)).toBe(false);
  });

  it('has no segment of a length that base64url cannot have', () => {
    for (const length of [1, 5, 9]) {
      const segment = 'A'.repeat(length);
      expect(isCompactJws(`${segment}.bbbb.cccc`)).toBe(false);
      expect(isCompactJws(`aaaa.${segment}.cccc`)).toBe(false);
      expect(isCompactJws(`aaaa.bbbb.${segment}`)).toBe(false);
    }
  });

  it('leaves no stray bits in the last character of a segment', () => {
    expect(lastCharacters('c').join('')).toBe('AQgw');
    expect(lastCharacters('cc').join('')).toBe('AEIMQUYcgkosw048');
    expect(lastCharacters('ccc').join('')).toBe(alphabet.join(''));
  });

  it('has at most 8 KiB', () => {
    expect(isCompactJws(ofLength(8192))).toBe(true);
    expect(isCompactJws(ofLength(8193))).toBe(false);
    expect(isCompactJws(ofLength(1_000_000))).toBe(false);
  });

  it('may be anything that encodes whole bytes', () => {
    const segment = fc
      .array(fc.string({ unit: fc.constantFrom(...alphabet), minLength: 4, maxLength: 4 }), { minLength: 1 })
      .map((groups) => groups.join(''));
    fc.assert(
      fc.property(segment, segment, segment, (...segments) => {
        expect(isCompactJws(segments.join('.'))).toBe(true);
      }),
    );
  });
});

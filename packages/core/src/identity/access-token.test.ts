import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCompactJws } from './access-token.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');

/** Returns the characters that may follow this part of the last segment: those whose unused bits are zero. */
const allowedLastCharacters = (signature: string) =>
  alphabet.filter((last) => isCompactJws(`aaaa.bbbb.${signature}${last}`));

const ofLength = (length: number) => `aaaa.bbbb.${'A'.repeat(length - 10)}`;

describe('isCompactJws', () => {
  it('accepts three base64url segments separated by dots', () => {
    expect(isCompactJws('eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJQVFktMSJ9.-_8A')).toBe(true);
  });

  it.each([
    ['an empty string', ''],
    ['one segment', 'aaaa'],
    ['two segments', 'aaaa.bbbb'],
    ['four segments', 'aaaa.bbbb.cccc.dddd'],
    ['the five segments of an encrypted token', 'aaaa.bbbb.cccc.dddd.eeee'],
    ['an empty header', '.bbbb.cccc'],
    ['an empty payload', 'aaaa..cccc'],
    ['an empty signature', 'aaaa.bbbb.'],
    ['only dots', '..'],
    ['padding', 'aaaa.bbbb.cc=='],
    ['padding inside', 'aa==.bbbb.cccc'],
    ['a leading space', ' aaaa.bbbb.cccc'],
    ['a space inside', 'aaaa.bb bb.cccc'],
    ['a line break at the end', 'aaaa.bbbb.cccc\n'],
    ['the plain base64 alphabet', 'aaaa.bb+/.cccc'],
    ['a non-ASCII letter', 'aaaa.bbbé.cccc'],
    ['a comma, from a header that was sent twice', 'aaaa.bbbb.cccc, aaaa.bbbb.cccc'],
  ])('rejects %s', (_, token) => {
    expect(isCompactJws(token)).toBe(false);
  });

  it('rejects a segment with a length that is impossible in base64url', () => {
    const lengths = [1, 5, 9].map((length) => 'A'.repeat(length));
    const endings = alphabet.map((last) => `AAAA${last}`);
    for (const segment of [...lengths, ...endings]) {
      expect(isCompactJws(`${segment}.bbbb.cccc`)).toBe(false);
      expect(isCompactJws(`aaaa.${segment}.cccc`)).toBe(false);
      expect(isCompactJws(`aaaa.bbbb.${segment}`)).toBe(false);
    }
  });

  it('rejects unused bits that are not zero in the last character of a segment', () => {
    expect(allowedLastCharacters('c').join('')).toBe('AQgw');
    expect(allowedLastCharacters('cc').join('')).toBe('AEIMQUYcgkosw048');
    expect(allowedLastCharacters('ccc').join('')).toBe(alphabet.join(''));
  });

  it('accepts segments of different lengths', () => {
    expect(isCompactJws('aA.bbbb.cccc')).toBe(true);
    expect(isCompactJws('aaaa.bA.cccc')).toBe(true);
    expect(isCompactJws('aaaa.bbbb.cA')).toBe(true);
  });

  it.each(['aB.bbbb.cccc', 'aaaa.bB.cccc', 'aaaa.bbbb.cB'])(
    'rejects unused bits that are not zero in any of the three segments: %s',
    (token) => {
      expect(isCompactJws(token)).toBe(false);
    },
  );

  it('rejects tokens longer than 8 KiB', () => {
    expect(isCompactJws(ofLength(8192))).toBe(true);
    expect(isCompactJws(ofLength(8193))).toBe(false);
    expect(isCompactJws(ofLength(1_000_000))).toBe(false);
  });

  it('accepts any segments that encode whole bytes', () => {
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

import * as fc from 'fast-check';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { isLocator, parseLocator } from './locator.ts';

const allowed = 'ABCXYZabcxyz0129._:-'.split('');

describe('parseLocator', () => {
  it.each(['C', '7', 'CLM-1', 'a.b_c:d-e', '0.', 'x'.repeat(128)])('accepts %s', (locator) => {
    expect(parseLocator(locator)).toEqual(ok(locator));
  });

  it.each([
    ['is empty', ''],
    ['has 129 characters', 'x'.repeat(129)],
    ['is a parent directory', '..'],
    ['contains two dots in a row', 'CLM..1'],
    ['starts with a dot', '.CLM'],
    ['starts with a hyphen', '-CLM'],
    ['starts with a colon', ':CLM'],
    ['contains a slash', 'CLM/1'],
    ['contains a backslash', String.raw`CLM\1`],
    ['contains a percent sign', 'CLM%2e'],
    ['contains a space', 'CLM 1'],
    ['ends with a line break', 'CLM-1\n'],
    ['contains a NUL', 'CLM\u0000'],
    ['contains a question mark', 'CLM?x'],
    ['contains a non-ASCII letter', 'CLMé'],
    ['contains a character that only party locators allow', 'CLM|1'],
    ['contains a character that only party locators allow', 'CLM@1'],
  ])('rejects a locator that %s', (_, locator) => {
    expect(parseLocator(locator)).toEqual(
      err({
        kind: 'invalid',
        detail: 'The locator in the path is not valid.',
        errors: [
          {
            path: '/locator',
            message: 'must be 1 to 128 letters, digits, dots, underscores, colons or hyphens, without ".."',
          },
        ],
      }),
    );
  });

  it.each([undefined, null, 1, {}, ['CLM-1']])('rejects %o', (value) => {
    expect(isLocator(value)).toBe(false);
  });

  it('accepts any string of allowed characters that starts with a letter or digit and has no two dots in a row', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...allowed), maxLength: 140 }), (text) => {
        const first = text[0] ?? '.';
        expect(isLocator(text)).toBe(text.length <= 128 && !'._:-'.includes(first) && !text.includes('..'));
      }),
    );
  });

  it('rejects every character that is special in a path, a header or a log line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect(isLocator(`a${text}`)).toBe(
          /^[A-Za-z0-9._:-]*$/.test(text) && !text.includes('..') && text.length < 128,
        );
      }),
    );
  });
});

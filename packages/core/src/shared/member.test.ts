import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aMember } from './member.fake.ts';
import { isPartyLocator } from './member.ts';

describe('isPartyLocator', () => {
  it.each(['P', 'PTY-1', '7', 'auth0|5f7c8ec7', 'member@example.org', 'a.b_c:d-e', 'x'.repeat(128)])(
    'accepts %s',
    (locator) => {
      expect(isPartyLocator(locator)).toBe(true);
    },
  );

  it.each([
    ['an empty string', ''],
    ['a string of 129 characters', 'x'.repeat(129)],
    ['a parent directory', '..'],
    ['a string with two dots in a row', 'PTY..1'],
    ['a string that starts with a bar', '|PTY'],
    ['a string that starts with an at sign', '@PTY'],
    ['a string with a slash', 'PTY/1'],
    ['a string with a space', 'PTY 1'],
    ['a string that ends with a line break', 'PTY-1\n'],
    ['a string with a non-ASCII letter', 'PTYé'],
    ['a number', 7],
    ['an array', ['PTY-1']],
    ['an object', { toString: () => 'PTY-1' }],
    ['null', null],
    ['undefined', undefined],
    ['true', true],
  ])('rejects %s', (_, locator) => {
    expect(isPartyLocator(locator)).toBe(false);
  });

  it('accepts only the characters of the contract', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect(isPartyLocator(`a${text}`)).toBe(
          /^[A-Za-z0-9._:|@-]*$/.test(text) && !text.includes('..') && text.length < 128,
        );
      }),
    );
  });
});

describe('Member', () => {
  const member = aMember('PTY-1', 'aaaa.bbbb.cccc');

  it('exposes its locator and token as properties', () => {
    expect(member.locator).toBe('PTY-1');
    expect(member.token).toBe('aaaa.bbbb.cccc');
  });

  it('hides locator and token from serialization and enumeration', () => {
    expect(JSON.stringify({ member })).toBe('{"member":{}}');
    expect(Reflect.ownKeys(member)).toEqual([]);
    expect(Object.entries(member)).toEqual([]);
    const enumerated: string[] = [];
    for (const key in member) enumerated.push(key);
    expect(enumerated).toEqual([]);
  });

  it('rejects assignments to a member', () => {
    expect(() => Object.assign(member, { locator: 'PTY-2' })).toThrow(TypeError);
    expect(member.locator).toBe('PTY-1');
  });
});

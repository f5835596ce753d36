import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aMember } from './member.fake.ts';
import { isPartyLocator } from './member.ts';

describe("a party's locator", () => {
  it.each(['P', 'PTY-1', '7', 'auth0|5f7c8ec7', 'member@example.org', 'a.b_c:d-e', 'x'.repeat(128)])(
    'may be %s',
    (locator) => {
      expect(isPartyLocator(locator)).toBe(true);
    },
  );

  it.each([
    ['empty', ''],
    ['129 characters long', 'x'.repeat(129)],
    ['a parent directory', '..'],
    ['one with two dots in a row', 'PTY..1'],
    ['one that starts with a bar', '|PTY'],
    ['one that starts with an at sign', '@PTY'],
    ['one with a slash', 'PTY/1'],
    ['one with a blank', 'PTY 1'],
    ['one with a line break at its end', 'PTY-1\n'],
    ['one with a letter beyond ASCII', 'PTYé'],
    ['a number', 7],
    ['a list', ['PTY-1']],
    ['an object', { toString: () => 'PTY-1' }],
    ['null', null],
    ['nothing', undefined],
    ['true', true],
  ])('is not %s', (_, locator) => {
    expect(isPartyLocator(locator)).toBe(false);
  });

  it('holds only the characters of the contract', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect(isPartyLocator(`a${text}`)).toBe(
          /^[A-Za-z0-9._:|@-]*$/.test(text) && !text.includes('..') && text.length < 128,
        );
      }),
    );
  });
});

describe('a member', () => {
  const member = aMember('PTY-1', 'aaaa.bbbb.cccc');

  it('says its locator and token to those who ask', () => {
    expect(member.locator).toBe('PTY-1');
    expect(member.token).toBe('aaaa.bbbb.cccc');
  });

  it('shows neither when it is serialised or enumerated', () => {
    expect(JSON.stringify({ member })).toBe('{"member":{}}');
    expect(Reflect.ownKeys(member)).toEqual([]);
    expect(Object.entries(member)).toEqual([]);
    const enumerated: string[] = [];
    for (const key in member) enumerated.push(key);
    expect(enumerated).toEqual([]);
  });

  it('stays who it is', () => {
    expect(() => Object.assign(member, { locator: 'PTY-2' })).toThrow(TypeError);
    expect(member.locator).toBe('PTY-1');
  });
});

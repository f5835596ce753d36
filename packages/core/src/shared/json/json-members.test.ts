import fc from 'fast-check';
import { expect, it } from 'vitest';
import { membersIn } from './json-members.ts';

it('the members of an object keep their text', () => {
  const text = '{ "a" : 12345678901234567890.10 ,"b":{"x":"}\\",{","y":[1,{"z":[]}]},"\\u0063\\"":null,"d":""\n}';
  expect([...membersIn(text)]).toEqual([
    ['a', '12345678901234567890.10'],
    ['b', '{"x":"}\\",{","y":[1,{"z":[]}]}'],
    ['c"', 'null'],
    ['d', '""'],
  ]);
});

it('the last value of a repeated name counts, as in JSON.parse', () => {
  expect(membersIn('{"a":1,"a":[2]}').get('a')).toBe('[2]');
});

it.each(['{}', ' { } ', '[{"a":1}]', '"{"', '12', 'null', ''])('text without members has none: %j', (text) => {
  expect(membersIn(text).size).toBe(0);
});

it('the members of any object are those that JSON.parse returns', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const parsed = [...membersIn(JSON.stringify(value, undefined, space))].map(([name, text]) => [
        name,
        JSON.parse(text),
      ]);
      expect(Object.fromEntries(parsed)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

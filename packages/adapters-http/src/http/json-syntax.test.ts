import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonText } from './json-syntax.ts';

/** `PORTICO_PROPERTY_RUNS=100000` searches longer. */
const numRuns = Number(process.env['PORTICO_PROPERTY_RUNS'] ?? 4000);

const isJson = (text: string) => isJsonText(Buffer.from(text));

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const good = [
  '{}',
  '[]',
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-0.0e-0',
  '12.50',
  '1E+9',
  '1e400',
  '123456789012345678901234567890',
  '""',
  '"a\\"b\\\\c\\/\\b\\f\\n\\r\\t"',
  '"\\u00e9\\uD83D"',
  '"漢字 😀"',
  '"\u007f"',
  ' \t\r\n{ "a" : [ 1 , { } , [ ] ] , "b":{"c":null} } \n',
  '{"a":1,"a":2,"__proto__":{}}',
  '[[[[]]],{"":""}]',
];

const bad = [
  '',
  ' ',
  '{',
  '}',
  '[',
  ']',
  '[}',
  '{]',
  '{]}',
  '[1,]',
  '[,1]',
  '[1 2]',
  '[1,,2]',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{,}',
  '{a:1}',
  "{'a':1}",
  '{"a":1 "b":2}',
  '{"a"1}',
  '{1:1}',
  '{}{}',
  '{} x',
  'nul',
  'nulL',
  'truefalse',
  'True',
  'undefined',
  'NaN',
  'Infinity',
  '-',
  '+1',
  '01',
  '-01',
  '.5',
  '5.',
  '1.e3',
  '1e',
  '1e+',
  '0x1',
  '1_000',
  '"',
  '"a',
  '"\\',
  '"\\"',
  '"\\x"',
  '"\\u12"',
  '"\\u12g4"',
  '"\\u123',
  '"a\nb"',
  '"\u0000"',
  '"\u001f"',
  '\uFEFF{}',
  '\u00a01',
  '\u20281',
  '// a\n1',
  '{"a":1}/**/',
  '\u000b1',
];

describe('isJsonText', () => {
  it.each(good)('accepts %j', (text) => {
    expect([isJson(text), parses(text)]).toEqual([true, true]);
  });

  it.each(bad)('rejects %j', (text) => {
    expect([isJson(text), parses(text)]).toEqual([false, false]);
  });

  it('agrees with JSON.parse on random input', () => {
    const pieces = fc.constantFrom(...good, ...bad, ...'{}[],:"\\ \n-+.0123456789eEué'.split(''), '"a":');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expect(isJson(text)).toBe(parses(text));
      }),
      { numRuns },
    );
  });

  it('agrees with JSON.parse after a random edit of valid JSON', () => {
    const anywhere = fc.nat();
    const character = fc.constantFrom(...'{}[],:"\\ \n-+.0aeu\u0001é'.split(''));
    fc.assert(
      fc.property(fc.json(), anywhere, anywhere, character, (json, from, length, put) => {
        const start = from % (json.length + 1);
        const text = json.slice(0, start) + put + json.slice(start + (length % 3));
        expect(isJson(text)).toBe(parses(text));
      }),
      { numRuns },
    );
  });

  it('accepts any nesting depth', () => {
    for (const depth of [63, 64, 65, 1000, 100_000]) {
      expect(isJson('['.repeat(depth) + ']'.repeat(depth))).toBe(true);
      expect(isJson('{"a":'.repeat(depth) + '1' + '}'.repeat(depth))).toBe(true);
      expect(isJson('['.repeat(depth) + ']'.repeat(depth - 1))).toBe(false);
    }
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasName, nestsDeeperThan } from './json-scan.ts';

/** The same by recursion: what is written is never as deep as would break that. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

const depthRead = (text: string): number => {
  let depth = 0;
  while (nestsDeeperThan(depth, text)) depth++;
  return depth;
};

describe('the depth of a JSON text', () => {
  it.each([
    ['1', 0],
    ['"[[{"', 0],
    ['{}', 1],
    ['[[],[],{}]', 2],
    ['{"a":[{"b":1}]}', 3],
    [' {\n"a" :\t[ ] }\r\n', 2],
  ])('of %j is %i', (text, depth) => {
    expect(depthRead(text)).toBe(depth);
  });

  it.each([
    String.raw`{"[[":"{{"}`,
    String.raw`{"a":"\"[["}`,
    String.raw`{"a":"\\","b":"[["}`,
    String.raw`{"a":"\\\"[["}`,
    String.raw`{"a":"\\\\","b":"\u005b["}`,
    '{"a":"漢[[😀{{"}',
  ])('leaves out what stands in a string: %s', (text) => {
    expect(JSON.parse(text)).toBeTypeOf('object');
    expect(depthRead(text)).toBe(1);
  });

  it.each([String.raw`["\\",[["[",[]]]]`, String.raw`["\\\\\"",[[[]]]]`])(
    'takes up again behind a string, whatever it ends in: %s',
    (text) => {
      expect(depthRead(text)).toBe(depthOf(JSON.parse(text)));
    },
  );

  it('counts what a repeated key hides', () => {
    expect(depthRead('{"a":[[[]]],"a":1}')).toBe(4);
  });

  it('is that of the value, whatever it holds', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), fc.constantFrom(0, 1, '\t'), (value, indent) => {
        expect(depthRead(JSON.stringify(value, undefined, indent))).toBe(depthOf(value));
      }),
    );
  });

  it('is too great at the first bracket beyond the limit, with nothing else looked at', () => {
    expect(nestsDeeperThan(64, '['.repeat(5_000_000))).toBe(true);
  });

  it.each(['', ']]]]', '"', '"[[[[', String.raw`"\\\\`, '\\"[', '}{'])(
    'scans text that is not JSON without throwing: %s',
    (text) => {
      expect(nestsDeeperThan(2, text)).toBe(false);
    },
  );
});

const namesIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(namesIn)]
    : [];

const namesRead = (text: string): readonly string[] => {
  const names: string[] = [];
  hasName(text, (name) => {
    names.push(name);
    return false;
  });
  return names;
};

describe('hasName', () => {
  it.each([
    ['{"a":{"b":[{"c":1}]}}', ['a', 'b', 'c']],
    ['{"a":"b","c" \t\r\n: "d"}', ['a', 'c']],
    ['{"a":1,"a":2}', ['a', 'a']],
    [String.raw`{"\u0061":"\"b\":","\\":1,"c\"":2}`, ['a', '\\', 'c"']],
    ['["a","b"]', []],
    ['"a"', []],
  ])('reads the names of %s', (text, names) => {
    expect(namesRead(text)).toEqual(names);
  });

  it('reads every name of any JSON, and ends at the first one that matches', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        const names = namesIn(JSON.parse(text));
        expect(namesRead(text).toSorted()).toEqual(names.toSorted());
        for (const name of names) expect(hasName(text, (read) => read === name)).toBe(true);
      }),
    );
  });
});

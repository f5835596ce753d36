import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasName, nestsDeeperThan } from './json-scan.ts';

/** A recursive reference implementation; the generated values are shallow enough for it. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

const depthRead = (text: string): number => {
  let depth = 0;
  while (nestsDeeperThan(depth, text)) depth++;
  return depth;
};

describe('nestsDeeperThan', () => {
  it.each([
    ['1', 0],
    ['"[[{"', 0],
    ['{}', 1],
    ['[[],[],{}]', 2],
    ['{"a":[{"b":1}]}', 3],
    [' {\n"a" :\t[ ] }\r\n', 2],
  ])('measures the depth of %j as %i', (text, depth) => {
    expect(depthRead(text)).toBe(depth);
  });

  it.each([
    String.raw`{"[[":"{{"}`,
    String.raw`{"a":"\"[["}`,
    String.raw`{"a":"\\","b":"[["}`,
    String.raw`{"a":"\\\"[["}`,
    String.raw`{"a":"\\\\","b":"\u005b["}`,
    '{"a":"漢[[😀{{"}',
  ])('ignores brackets inside strings: %s', (text) => {
    expect(JSON.parse(text)).toBeTypeOf('object');
    expect(depthRead(text)).toBe(1);
  });

  it.each([String.raw`["\\",[["[",[]]]]`, String.raw`["\\\\\"",[[[]]]]`])(
    'continues after a string that ends in escapes: %s',
    (text) => {
      expect(depthRead(text)).toBe(depthOf(JSON.parse(text)));
    },
  );

  it('counts values that a repeated key hides', () => {
    expect(depthRead('{"a":[[[]]],"a":1}')).toBe(4);
  });

  it('measures the same depth as the parsed value, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), fc.constantFrom(0, 1, '\t'), (value, indent) => {
        expect(depthRead(JSON.stringify(value, undefined, indent))).toBe(depthOf(value));
      }),
    );
  });

  it('stops at the first bracket beyond the limit', () => {
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

  it('reads every name of any JSON, and stops at the first match', () => {
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

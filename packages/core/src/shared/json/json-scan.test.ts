import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nestsDeeperThan, withoutFields } from './json-scan.ts';

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
  withoutFields(text, (name) => {
    names.push(name);
    return false;
  });
  return names;
};

/** A reference implementation on the parsed value. */
const without = (name: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => without(name, element));
  const kept = Object.entries(value).filter(([key]) => key !== name);
  return Object.fromEntries(kept.map(([key, below]) => [key, without(name, below)]));
};

describe('withoutFields', () => {
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

  it('reads every name of any JSON, and returns it unchanged when none matches', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(namesRead(text).toSorted()).toEqual(namesIn(JSON.parse(text)).toSorted());
        expect(withoutFields(text, () => false)).toBe(text);
      }),
    );
  });

  it.each([
    ['{"x":1}', '{}'],
    ['{"x":1,"a":2}', '{"a":2}'],
    ['{"a":2,"x":1}', '{"a":2}'],
    ['{"a":2,"x":1,"x":[{}],"b":3}', '{"a":2,"b":3}'],
    ['{"x":1,"x":"}","b":3,"x":{"x":1}}', '{"b":3}'],
    ['[{"x":1},{"x":1,"a":{"b":1,"x":2}}]', '[{},{"a":{"b":1}}]'],
    ['{ "a" : 1.0 ,\n "x" : [1,{"a":","}] ,\n "b" : 2 }', '{ "a" : 1.0 ,\n "b" : 2 }'],
    ['{ "x" : 1 , "b" : 2 }', '{  "b" : 2 }'],
    ['["x",{"a":"x"}]', '["x",{"a":"x"}]'],
  ])('removes the field "x" from %s', (text, rest) => {
    expect(withoutFields(text, (name) => name === 'x')).toBe(rest);
  });

  it('removes the fields of one name from any JSON', () => {
    const key = fc.constantFrom('a', 'x', '"x":', '\\x');
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(1, ',"x":', '\\', null),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie('node')), { maxLength: 4 }).map((fields) => Object.fromEntries(fields)),
      ),
    }));
    fc.assert(
      fc.property(node, fc.constantFrom(undefined, 2, '\t'), (value, space) => {
        const text = withoutFields(JSON.stringify(value, undefined, space), (name) => name === 'x');
        expect(JSON.parse(text)).toEqual(without('x', value));
      }),
    );
  });
});

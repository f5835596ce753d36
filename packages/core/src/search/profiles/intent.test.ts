import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../shared/json/json.ts';
import { fillObject, fillTemplates, mergeObjects } from './intent.ts';

const values = { query: 'dental', persona: 'member', user_id: 'user-1' };

/** JSON objects whose fields often have the names that objects inherit. */
const hostileNames = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'a', 'b'),
  fc.string(),
);
const { json } = fc.letrec<{ json: unknown; object: Readonly<Record<string, unknown>> }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 2 }),
    tie('object'),
  ),
  object: fc.array(fc.tuple(hostileNames, tie('json')), { maxLength: 4 }).map((fields) => Object.fromEntries(fields)),
}));
const object = json.filter(isObject);

/** The paths of all values that are not objects, with the values. */
const leavesOf = (value: unknown, path: readonly string[] = []): readonly (readonly [string, unknown])[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]))
    : [[JSON.stringify(path), value]];

describe('mergeObjects', () => {
  it('merges objects deeply, lets the winner win, and replaces arrays', () => {
    const winner = { item: { descriptor: { name: 'x' } }, tags: [1] };
    const other = { item: { descriptor: { name: 'y', code: 'c' }, id: 'i' }, tags: [2, 3], payment: {} };
    expect(JSON.stringify(mergeObjects(winner, other))).toBe(
      '{"item":{"descriptor":{"name":"x","code":"c"},"id":"i"},"tags":[1],"payment":{}}',
    );
  });

  it('lets an array, a string and null of the winner replace an object, and the reverse', () => {
    const objects = { a: { x: 1 }, b: { x: 1 }, c: { x: 1 } };
    const others = { a: [], b: 'text', c: null };
    expect(mergeObjects(others, objects)).toEqual(others);
    expect(mergeObjects(objects, others)).toEqual(objects);
  });

  it('keeps every value of the winner, whatever its fields are named', () => {
    fc.assert(
      fc.property(object, object, (winner, other) => {
        const merged = new Map(leavesOf(mergeObjects(winner, other)));
        for (const [path, value] of leavesOf(winner)) expect(merged.get(path)).toBe(value);
      }),
    );
  });

  it('adds every field that only the other object has', () => {
    fc.assert(
      fc.property(object, object, (winner, other) => {
        const merged = mergeObjects(winner, other);
        expect(new Set(Object.keys(merged))).toEqual(new Set([...Object.keys(winner), ...Object.keys(other)]));
        for (const name of Object.keys(other)) if (!Object.hasOwn(winner, name)) expect(merged[name]).toBe(other[name]);
      }),
    );
  });

  it('changes no prototype and neither of its arguments', () => {
    const polluting = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}') as object;
    const winner = JSON.parse('{"__proto__":{"kept":3}}') as object;
    const merged = mergeObjects({ ...winner }, { ...polluting });
    expect(JSON.stringify(merged)).toBe(
      '{"__proto__":{"kept":3,"polluted":1},"constructor":{"prototype":{"polluted":2}}}',
    );
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(JSON.stringify(winner)).toBe('{"__proto__":{"kept":3}}');
  });
});

describe('fillTemplates', () => {
  it('replaces every template in the strings of objects and arrays, but not in keys', () => {
    const intent = { '{query}': ['{query} and {query}', { by: 'x{persona}y{user_id}z' }], count: 3, none: null };
    expect(fillTemplates(intent, values)).toEqual({
      '{query}': ['dental and dental', { by: 'xmemberyuser-1z' }],
      count: 3,
      none: null,
    });
  });

  it.each(['{unknown}', '{Query}', '{ query }', '{query', 'query}', '{}', '{constructor}', '{__proto__}'])(
    'keeps %s',
    (text) => {
      expect(fillTemplates(text, values)).toBe(text);
    },
  );

  it.each(['{persona}', '$&', "$'", '$1', '$<name>', '\\', '"', '{query}'])(
    'inserts the query %s without reading it again',
    (query) => {
      expect(fillTemplates('[{query}]', { ...values, query })).toBe(`[${query}]`);
    },
  );

  it('changes only strings, for any JSON', () => {
    fc.assert(
      fc.property(object, fc.string(), (intent, query) => {
        const filled = fillObject(intent, { ...values, query });
        expect(leavesOf(filled).map(([path]) => path)).toEqual(leavesOf(intent).map(([path]) => path));
        expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
      }),
    );
  });
});

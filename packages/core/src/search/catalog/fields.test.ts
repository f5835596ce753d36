import { describe, expect, it } from 'vitest';
import { at, idOf, labelOf, listAt, numberOf, objectsAt, referencesAt, textAt } from './fields.ts';

const names = ['name', 'schema:name'];

describe('a field with several names', () => {
  it.each<[object, unknown]>([
    [{ name: 'A', 'schema:name': 'B' }, 'A'],
    [{ name: '', 'schema:name': 'B' }, ''],
    [{ name: null, 'schema:name': 'B' }, 'B'],
    [{ name: undefined, 'schema:name': 'B' }, 'B'],
    [Object.create({ name: 'inherited' }), undefined],
    [['name'], undefined],
  ])('is read from %j under the first name that has a value', (value, read) => {
    expect(at(value, names)).toBe(read);
  });

  it.each<[unknown, readonly unknown[]]>([
    [
      [{ id: 1 }, null, 'x', ['y'], {}],
      [{ id: 1 }, {}],
    ],
    [[], []],
    [{ id: 1 }, []],
    ['x', []],
  ])('%j is read as the list of its objects', (name, objects) => {
    expect(objectsAt({ name }, names)).toEqual(objects);
  });

  it.each<[unknown, readonly unknown[]]>([
    [
      [1, null],
      [1, null],
    ],
    ['x', ['x']],
    [undefined, []],
    [null, []],
  ])('%j is read as the list %j', (name, list) => {
    expect(listAt({ name }, names)).toEqual(list);
  });

  it.each<[unknown, readonly string[]]>([
    [
      [' a ', 7, null, {}, '', 'b'],
      ['a', '7', 'b'],
    ],
    ['a', ['a']],
    [undefined, []],
  ])('%j is read as references to the ids %j', (name, ids) => {
    expect(referencesAt({ name }, names)).toEqual(ids);
  });
});

describe('an id', () => {
  it.each<[unknown, string | undefined]>([
    [' I-1\t', 'I-1'],
    [0, '0'],
    ['  ', undefined],
    [true, undefined],
    [['I-1'], undefined],
  ])('is read from %j', (value, id) => {
    expect(idOf(value)).toBe(id);
  });
});

describe('a number', () => {
  it.each<[unknown, number | undefined]>([
    [0, 0],
    [-0, 0],
    [4.5, 4.5],
    ['12', 12],
    ['  3.25 ', 3.25],
    [-1, undefined],
    [Infinity, undefined],
    [NaN, undefined],
    ['9'.repeat(400), undefined],
    ['', undefined],
    ['  ', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['.5', undefined],
    ['4.5 stars', undefined],
    ['rated 4.5', undefined],
    [true, undefined],
    [['4'], undefined],
    [null, undefined],
  ])('is read from %j', (value, number) => {
    expect(numberOf(value)).toBe(number);
  });
});

describe('a text', () => {
  it.each([
    ['a'.repeat(1000), 'a'.repeat(1000)],
    ['a'.repeat(1001), `${'a'.repeat(999)}…`],
  ])('is shortened when it is longer than 1000 characters', (name, text) => {
    expect(textAt({ name }, names)).toBe(text);
  });

  it.each([
    ['a'.repeat(200), 'a'.repeat(200)],
    ['a'.repeat(201), `${'a'.repeat(199)}…`],
    [`${'a'.repeat(198)}😀😀`, `${'a'.repeat(198)}…`],
  ])('a name is shortened when it is longer than 200 characters', (value, label) => {
    expect(labelOf(value)).toBe(label);
  });

  it('is read from its first 4000 characters only', () => {
    expect(textAt({ name: `${' '.repeat(3999)}a` }, names)).toBe('a');
    expect(textAt({ name: `${' '.repeat(4000)}a` }, names)).toBeUndefined();
  });
});

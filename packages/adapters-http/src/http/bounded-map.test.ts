import { describe, expect, it } from 'vitest';
import { boundedMap } from './bounded-map.ts';

/** The names that the map has, in the order given. */
const namesIn = (map: { get(name: string): unknown }, names: string) =>
  names.split('').filter((name) => map.get(name) !== undefined);

const mapOf = (limit: number, names: string) => {
  const map = boundedMap<string>(limit);
  for (const name of names) map.set(name, name.toUpperCase());
  return map;
};

describe('a bounded map', () => {
  it('keeps as many entries as its limit, and evicts the oldest one for each further entry', () => {
    expect(namesIn(mapOf(4, 'abcd'), 'abcd').join('')).toBe('abcd');
    expect(namesIn(mapOf(4, 'abcde'), 'abcde').join('')).toBe('bcde');
    expect(namesIn(mapOf(4, 'abcdef'), 'abcdef').join('')).toBe('cdef');
  });

  it('returns the values of its entries, and undefined for another name', () => {
    const map = mapOf(4, 'ab');
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual(['A', 'B', undefined]);
  });

  it('evicts the least recently used entry once it is more than half full', () => {
    const map = mapOf(4, 'abc');
    expect(map.get('a')).toBe('A');
    map.set('d', 'D');
    map.set('e', 'E');
    expect(namesIn(map, 'abcde').join('')).toBe('acde');
  });

  it('does not count the use of entries while it is at most half full', () => {
    const map = mapOf(4, 'ab');
    expect(map.get('a')).toBe('A');
    for (const name of 'cde') map.set(name, name);
    expect(namesIn(map, 'abcde').join('')).toBe('bcde');
  });

  it('counts an entry that is set again as used, and once', () => {
    const map = mapOf(4, 'abcd');
    map.set('a', 'new');
    map.set('e', 'E');
    expect([map.get('a'), ...namesIn(map, 'bcde')]).toEqual(['new', 'c', 'd', 'e']);
  });

  it('has room again after an entry is deleted, and none after an unknown name is', () => {
    const map = mapOf(4, 'abcd');
    map.delete('b');
    map.delete('b');
    map.delete('unknown');
    map.set('e', 'E');
    expect(namesIn(map, 'abcde').join('')).toBe('acde');
    map.set('f', 'F');
    expect(namesIn(map, 'abcdef')).toHaveLength(4);
  });

  it('limits the sum of the sizes of its entries', () => {
    const map = boundedMap<string>(10, (name, value) => name.length + value.length);
    map.set('a', '123');
    map.set('b', '12345');
    expect(namesIn(map, 'ab').join('')).toBe('ab');
    map.set('a', '1');
    map.set('c', '1');
    expect(namesIn(map, 'abc').join('')).toBe('abc');
    map.set('d', '1');
    expect(namesIn(map, 'abcd').join('')).toBe('bcd');
    map.set('e', '123456789');
    expect(namesIn(map, 'abcde').join('')).toBe('e');
  });

  it('evicts a 64th of its limit at once', () => {
    const map = boundedMap<number>(128);
    for (let nth = 0; nth < 128; nth++) map.set(String(nth), nth);
    expect(map.get('127')).toBe(127);
    map.set('128', 128);
    const kept = Array.from({ length: 129 }, (_, nth) => nth).filter((nth) => map.get(String(nth)) !== undefined);
    expect([kept.length, kept[0]]).toEqual([126, 3]);
  });
});

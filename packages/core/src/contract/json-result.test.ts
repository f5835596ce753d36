import { describe, expect, it } from 'vitest';
import { noContent, toJson } from '../shared/json/json.ts';
import { differenceOf, hasUsableEtag, isSameData, jsonIn } from './json-result.ts';

describe('the text of a result', () => {
  it.each([
    [noContent],
    [toJson({ a: 1, b: [1, 2] })],
    [{ text: '{"b":1.0,"a":{"d":2,"c":3}}', value: { a: { c: 3, d: 2 }, b: 1 } }],
    [{ text: '{}', value: { absent: undefined } }],
  ])('has the same content as the value: %j', (json) => {
    expect(differenceOf(json)).toBeUndefined();
  });

  it.each([
    [{ text: '', value: {} }, 'the text is empty'],
    [{ text: '{}', value: undefined }, 'another content'],
    [{ text: '[1,2]', value: [2, 1] }, 'another content'],
    [{ text: '{"a":1}', value: { a: '1' } }, 'another content'],
    [{ text: '{', value: {} }, 'not JSON'],
    [{ text: {} as string, value: {} }, 'not a string'],
  ])('differs from the value: %j', (json, difference) => {
    expect(differenceOf(json)).toContain(difference);
  });
});

it('jsonIn finds results in a value and in its fields', () => {
  const json = toJson({});
  expect(jsonIn(json)).toEqual([json]);
  expect(jsonIn({ outcome: 'created', claim: json })).toEqual([json]);
  for (const none of [null, undefined, 'text', [json], { text: '' }, { value: 1 }]) expect(jsonIn(none)).toEqual([]);
});

it('hasUsableEtag accepts strong entity tags, and results without one', () => {
  const etags = [undefined, '"1"', 'W/"1"', '1'];
  expect(etags.map((etag) => hasUsableEtag({ ...noContent, ...(etag !== undefined && { etag }) }))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it.each([
  [{ plan: 'gold' }, { plan: 'gold' }, true],
  [{ plan: { name: 'gold', tier: 1 } }, { plan: { tier: 1, name: 'gold' } }, true],
  [{ plan: 'gold' }, { plan: 'silver' }, false],
  [{ claims: [], total: 0, next: null }, { claims: [], total: 0, next: null }, false],
  [null, null, false],
  ['gold', 'gold', true],
])('isSameData compares the data of two members: %j and %j', (one, other, isSame) => {
  expect(isSameData(toJson(one), toJson(other))).toBe(isSame);
});

import { bytesOf } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { jsonResponse } from './json-response.ts';

describe.each([
  ['short', ''],
  ['long', ' '.repeat(32_768)],
])('a %s JSON response', (length, blanks) => {
  const bytes = (text: string | Buffer) => Buffer.concat([Buffer.from(blanks), Buffer.from(text)]);
  const response = (text: string | Buffer, etag?: string) => jsonResponse(200, bytes(text), etag);

  it('has the text and the value of its bytes', () => {
    const { status, text, value } = response(' {"a":[1.10,"漢"]}\n')!;
    expect([status, text, value]).toEqual([200, `${blanks} {"a":[1.10,"漢"]}\n`, { a: [1.1, '漢'] }]);
  });

  it('has the same value each time it is read', () => {
    const json = response('{"a":1}')!;
    expect(json.value).toBe(json.value);
  });

  it('may be null', () => {
    const json = response('null')!;
    expect([json.value, json.value, json.text]).toEqual([null, null, `${blanks}null`]);
  });

  it('has the same text and value as a copy, and when it is frozen', () => {
    const copy = { ...response('{"a":1}')! };
    const frozen = Object.freeze(response('{"a":1}')!);
    for (const json of [copy, frozen]) {
      const { text, value } = json;
      expect([text, value, Object.keys(json)]).toEqual([`${blanks}{"a":1}`, { a: 1 }, ['status', 'text', 'value']]);
    }
  });

  it('shares its getters with all others, because V8 keeps the objects of a getter of their own', () => {
    const getters = [response('1')!, response('2')!].map((json) =>
      Object.values(Object.getOwnPropertyDescriptors(json)).flatMap(({ get }) => get ?? []),
    );
    expect(getters[0]).not.toEqual([]);
    expect(getters[1]).toEqual(getters[0]);
  });

  it('has an entity tag only when there is one', () => {
    expect(response('{}', '"1"')).toMatchObject({ etag: '"1"', text: `${blanks}{}`, value: {} });
    expect(response('{}')).not.toHaveProperty('etag');
  });

  it('keeps its bytes only when it is long', () => {
    expect(bytesOf(response('{}')!)).toEqual(length === 'long' ? bytes('{}') : undefined);
  });

  it.each([
    ['no JSON', 'canary'],
    ['empty', ''],
    ['JSON after a byte order mark', '\uFEFF{}'],
    ['JSON with bytes that are not UTF-8', Buffer.from('{"a":"\xff"}', 'latin1')],
    ['JSON with a part of a character', Buffer.from('{"a":"漢"}').fill(0x22, 8, 9)],
    ['JSON in UTF-16', Buffer.from('{}', 'utf16le')],
  ])('does not exist when the body is %s', (_, body) => {
    expect(response(body)).toBeUndefined();
  });
});

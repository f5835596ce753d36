import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bytesOf } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { jsonResponse } from './json-response.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
const heapMiB = () => process.memoryUsage().heapUsed / 1024 / 1024;

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

  it('leaves nothing to the next full collection of garbage', () => {
    const use = () => {
      for (let n = 0; n < 2000; n += 1) {
        expect(response(Buffer.alloc(20_000, '1'))!.value).toBe(Infinity);
        if (n % 10 === 0) collect({ type: 'minor' });
      }
    };
    use();
    collect();
    const before = heapMiB();
    use();
    // The texts of these responses are at least 38 MiB.
    expect(heapMiB() - before).toBeLessThan(10);
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

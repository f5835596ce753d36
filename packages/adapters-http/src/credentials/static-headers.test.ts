import { expect, it } from 'vitest';
import { headerProblems, staticHeaders } from './static-headers.ts';

it('static headers have lower-case names and unchanged values', () => {
  expect(staticHeaders({ 'X-Api-Key': 'a key, with: signs', tenant: '7' })).toEqual({
    'x-api-key': 'a key, with: signs',
    tenant: '7',
  });
});

it.each([
  'Authorization',
  'connection',
  'Keep-Alive',
  'proxy-authorization',
  'TE',
  'trailer',
  'Transfer-Encoding',
  'upgrade',
  'content-length',
  'host',
  'expect',
  'accept-encoding',
  'Content-Type',
  'if-none-match',
  'traceparent',
])('a static header must not be %s', (name) => {
  expect(headerProblems({ [name]: 'canary' })).toEqual([[name, expect.stringContaining('must not be authorization')]]);
  expect(() => staticHeaders({ [name]: 'canary' })).toThrow(TypeError);
});

it.each(['', 'x key', 'x:key', 'x\r\nkey', 'schlüssel'])('a static header needs a valid name: %j', (name) => {
  expect(headerProblems({ [name]: 'canary' })).toEqual([[name, expect.stringContaining('must be a header name')]]);
});

it.each(['', ' canary', 'canary ', 'canary\r\nx: y', 'canary\u0000', 'canäry'])(
  'a static header needs a value that can be sent, which the error does not contain: %j',
  (value) => {
    expect(headerProblems({ 'x-key': value })).toEqual([['x-key', expect.stringContaining('must be printable ASCII')]]);
    expect(() => staticHeaders({ 'x-key': value })).toThrow(
      new TypeError('The header "x-key" must be printable ASCII, without spaces at its ends.'),
    );
  },
);

it('static headers must not contain a name twice', () => {
  expect(() => staticHeaders({ 'x-key': '1', 'X-Key': '2' })).toThrow('must not be given twice');
});

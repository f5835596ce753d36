import { expect, it } from 'vitest';
import { aMember } from '../shared/member.fake.ts';
import { findLeak } from './leaks.ts';

const secrets = [{ what: 'the URL', value: 'https://claims.internal:8443/v1' }];
const url = 'https://claims.internal:8443/v1/members';

class Response {
  get address() {
    return url;
  }
}

class Described {
  toString() {
    return url;
  }
}

/** Like `Headers` of the web platform, which shows its content only as an iterator. */
class Fields {
  *[Symbol.iterator]() {
    yield ['location', url];
  }
}

const base64 = (text: string) => (globalThis as unknown as { readonly btoa: (text: string) => string }).btoa(text);

const hidden = Object.defineProperty({}, 'cause', { value: url, enumerable: false });
const circular: Record<string, unknown> = { kind: 'upstream' };
circular['self'] = circular;
circular['cause'] = { url };
const throwing = {
  get first(): never {
    throw new Error('no');
  },
  second: url,
};

it.each<[string, unknown]>([
  ['a string', { detail: `GET ${url}` }],
  ['a cause', { cause: new Error('failed', { cause: new Error(url) }) }],
  ['an AggregateError', { cause: new AggregateError([new Error('one'), new Error(url)]) }],
  ['a hidden property', hidden],
  ['a symbol', { [Symbol('url')]: url }],
  ['the description of a symbol', { [Symbol(url)]: 1 }],
  ['the name of a property', { [url]: 1 }],
  ['a getter of a class', { response: new Response() }],
  ['a map', { headers: new Map([['location', url]]) }],
  ['a set', { urls: new Set([url]) }],
  ['bytes', { body: Uint8Array.from(url, (character) => character.charCodeAt(0)) }],
  ['a function', { retry: Object.assign(() => 0, { url }) }],
  ['a circular value', circular],
  ['a value behind a getter that throws', throwing],
  ['what it serializes to', { cause: { toJSON: () => ({ url }) } }],
  ['what it converts to', { cause: { toString: () => url } }],
  ['what it converts to as a primitive', { cause: { [Symbol.toPrimitive]: () => url } }],
  ['a method of its class', { cause: new Described() }],
  ['a property of its prototype', { cause: Object.create({ url }) as unknown }],
  ['header fields', { cause: { headers: new Fields() } }],
  ['a buffer', { body: Uint8Array.from(url, (character) => character.charCodeAt(0)).buffer }],
  ['base64', { detail: `Basic ${base64('x' + url)}` }],
  ['base64url', { detail: base64(url).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') }],
  ['the host only', { detail: 'connect ECONNREFUSED claims.internal:8443' }],
  ['other case', { detail: 'CLAIMS.INTERNAL:8443' }],
  ['percent-encoding', { detail: encodeURIComponent(url) }],
])('findLeak finds a secret in %s', (_, failure) => {
  expect(findLeak(failure, secrets)).toContain('the URL is in ');
});

it('findLeak finds the locator and the token of a member that is part of a failure', () => {
  const member = aMember('PTY-1', 'aaaa.bbbb.cccc');
  expect(findLeak({ cause: { member } }, [{ what: 'the token', value: member.token }])).toContain('member.token');
  expect(findLeak({ cause: { member } }, [{ what: 'the locator', value: member.locator }])).toContain('member.locator');
});

it('findLeak finds nothing where no secret is, and ignores secrets of fewer than four characters', () => {
  expect(findLeak({ kind: 'upstream', service: 'claims', reason: 'timeout' }, secrets)).toBeUndefined();
  expect(findLeak({ kind: 'upstream' }, [{ what: 'a digit', value: 'up' }])).toBeUndefined();
});

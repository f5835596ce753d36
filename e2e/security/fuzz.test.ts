import { gzipSync } from 'node:zlib';
import { somePreferences } from '@portico/core/testing';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type RawResponse,
  type HostileEnvironment,
  send,
  sendRaw,
  signed,
  startHostileEnvironment,
} from './hostile-environment.ts';
import { usedBytes, withMemoryProbe } from './memory-probe.ts';

type Endpoint = readonly [method: string, path: string, valid: object];

/** All endpoints with a body, each with a valid body. */
const endpoints: readonly Endpoint[] = [
  ['POST', '/me/claims', { type: 'dental', amount: 84.5, lines: [{ code: 'D1110' }] }],
  ['PATCH', '/me/profile', { preferredName: 'Sample', address: { city: 'Springfield' } }],
  ['PUT', '/me/preferences', somePreferences],
  ['PUT', '/me/consent', { research: true, consents: [] }],
  ['POST', '/api/search', { persona: 'member', query: 'dental', user_id: 'u-1' }],
  [
    'POST',
    '/on_search',
    { context: { action: 'on_search', transaction_id: 't-1', bpp_id: 'b' }, message: { catalog: { providers: [] } } },
  ],
];

/** Sent in requests; must not appear in responses and logs. */
const canary = 'c4nary';
const named = 'n4med';

let environment: HostileEnvironment;
/** Of many members, because of the rate limit. */
let tokens: readonly string[];

beforeAll(async () => {
  environment = await startHostileEnvironment({}, withMemoryProbe);
  const iat = Math.floor(Date.now() / 1000);
  tokens = Array.from({ length: 100 }, (_, nth) =>
    signed({ iss: environment.issuer.url, aud: 'portico', sub: `PTY-${nth}`, iat, exp: iat + 3600 }, {}, 'ed', 'EdDSA'),
  );
});
afterAll(() => environment.close());
afterEach(() => {
  environment.downstream.requests.length = 0;
});

let sent = 0;
const authorization = () => `Bearer ${tokens[sent++ % tokens.length]}`;

const call = (
  [method, path]: Endpoint,
  body: string | Buffer | readonly (string | Buffer)[],
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
) => send(environment.portico, { method, path, body, headers: { authorization: authorization(), ...headers } });

/** Expects a 2xx or valid problem details, without any sent value. */
const expectValidResponse = ([, path]: Endpoint, { status, headers, text }: RawResponse) => {
  expect(text).not.toContain(canary);
  // Errors name unknown preferences, so that their sender can find them.
  if (path !== '/me/preferences') expect(text).not.toContain(named);
  if (status >= 200 && status <= 299) return;
  expect([400, 413, 415]).toContain(status);
  const problem = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (path === '/on_search') {
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(problem).toEqual({
      message: { ack: { status: 'NACK' } },
      error: { code: expect.any(String) as string, message: expect.any(String) as string },
    });
  } else {
    expect(headers['content-type']).toBe('application/problem+json');
    expect(problem).toMatchObject({ status, code: expect.any(String) as string, requestId: headers['x-request-id'] });
  }
};

/** Expects that forwarded bodies are JSON objects. */
const expectForwardedJson = () => {
  for (const { method, body } of environment.downstream.requests)
    if (method !== 'GET') expect(JSON.parse(body)).toEqual(expect.any(Object));
};

const bytes = (...values: readonly number[]) => Buffer.from(values);
const around = (middle: Buffer) => Buffer.concat([Buffer.from(`{"${named}":"`), middle, Buffer.from('"}')]);
const object = `{"${named}":"${canary}"}`;

const malformed = [
  '',
  ' ',
  '\n',
  '{',
  '}',
  '[',
  ']',
  '{]',
  '[}',
  '"',
  `"${canary}`,
  `{"${named}`,
  `{"${canary}"`,
  `{"${named}":`,
  `{"${named}":1`,
  `{"${named}":1,}`,
  `{,"${named}":1}`,
  `{'${named}':1}`,
  `{${named}:1}`,
  `{"${named}":1}}`,
  `${object}${object}`,
  `${object}\n${object}`,
  `${object}//${canary}`,
  `/*${canary}*/${object}`,
  `{"a":${canary}}`,
  ...[
    'NaN',
    'Infinity',
    '-Infinity',
    'undefined',
    'True',
    '01',
    '+1',
    '.5',
    '1.',
    '0x10',
    '1e',
    '1e+',
    '-',
    '--1',
    '1_0',
  ].map((number) => `{"a":${number}}`),
  ...['\\x41', '\\u12', '\\u12G4', '\\', '\\u', "\\'", '\n', '\t', '\0', '\u001f'].map(
    (escape) => `{"a":"${canary}${escape}"}`,
  ),
  `\0${object}`,
  `${object}\0`,
  `\uFEFF${object}`,
  `${object}\uFEFF`,
  `\u00a0${object}`,
  `\u2028${object}`,
  `<html>${canary}</html>`,
  `a=${canary}&b=1`,
  `--${canary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${canary}--`,
];

const scalars = ['null', 'true', 'false', '0', '-0', `"${canary}"`, '[]', '{}', '[{}]', `[${object}]`, '[[[]]]'];

const deep = (opened: string, closed: string, times: number) =>
  `{"${named}":${opened.repeat(times)}0${closed.repeat(times)}}`;

const odd = [
  ...[
    '1e999',
    '-1e999',
    '1e-999',
    '-0',
    '0.1e1',
    '9'.repeat(10_000),
    `0.${'9'.repeat(10_000)}`,
    `1e${'9'.repeat(1000)}`,
    '12345678901234567890.1234567890',
  ].map((number) => `{"a":${number}}`),
  ...[
    '\\ud800',
    '\\udc00',
    '\\udc00\\ud800',
    '\\ud83d\\ude00',
    '\\u0000',
    '\\uFEFF',
    '\u2028',
    '\u202e',
    '\u007f',
  ].flatMap((text) => [`{"a":"${text}"}`, `{"${text}":1}`]),
  `{"":"${canary}"}`,
  `{"a":"${canary}","a":"${canary}"}`,
  `{"email":true,"email":"${canary}"}`,
  `{"partyLocator":"${canary}","partyLocator":null}`,
  `{"party\\u004cocator":"${canary}","a":1}`,
  `{"a":{"x-party-locator":"${canary}"},"a":1}`,
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON', 'length'].map(
    (name) => `{"${name}":{"${named}":true},"a":{"${name}":null}}`,
  ),
];

const tooDeep = [
  deep('[', ']', 128),
  deep('[', ']', 100_000),
  deep('{"a":', '}', 40_000),
  `{"a":${'['.repeat(200_000)}`,
  `{"a":${'[{"a":'.repeat(20_000)}`,
  `${deep('[', ']', 50_000).slice(0, -1)},"${named}":1}`,
];

const large = [
  deep('[', ']', 63),
  `{"a":[${'0,'.repeat(100_000)}0]}`,
  `{${Array.from({ length: 10_000 }, (_, nth) => `"${named}${nth}":${nth}`).join()}}`,
  `{"${named.repeat(40_000)}":1}`,
  `{"a":"${'\\u0041'.repeat(40_000)}"}`,
  `{"a":"${'\\\\'.repeat(100_000)}"}`,
  `{"a":"${'\\"'.repeat(100_000)}"}`,
  `{"a":${'9'.repeat(200_000)}}`,
  `${' '.repeat(200_000)}${object}`,
  `{"a":"${canary.repeat(50_000)}"}`,
  '"'.repeat(200_001),
];

const notText = [
  around(bytes(0xff)),
  around(bytes(0xc3)),
  around(bytes(0xc0, 0xaf)),
  around(bytes(0xed, 0xa0, 0x80)),
  around(bytes(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80)),
  around(bytes(0xf4, 0x90, 0x80, 0x80)),
  around(Buffer.from('café', 'latin1')),
  Buffer.from(object, 'utf16le'),
  Buffer.concat([bytes(0xfe, 0xff), Buffer.from(object, 'utf16le').swap16()]),
  Buffer.concat([bytes(0xff, 0xfe, 0, 0), Buffer.from(object)]),
  Buffer.concat([bytes(0xef, 0xbb, 0xbf), Buffer.from(object)]),
  gzipSync(object),
  Buffer.alloc(1000),
  Buffer.alloc(300_000, object),
];

/** Bodies that no endpoint accepts. */
const refused: readonly (string | Buffer)[] = [...malformed, ...scalars, ...notText, ...tooDeep];
const acceptable: readonly (string | Buffer)[] = [...odd, ...large];

const types = [
  '',
  canary,
  'text/plain',
  'text/json',
  `application/${canary}`,
  'application/json; charset=utf-16',
  `application/json; charset=${canary}`,
  'application/json; charset="utf-8',
  'application/json;;;',
  'application/json, application/json',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  `multipart/form-data; boundary=${canary}`,
  `application/json; ${canary.repeat(500)}=1`,
  'application/json; charset=utf-8; charset=utf-16',
  '/',
  '*/*',
  '\u00ff',
];

const encodings = ['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip', 'identity, gzip', canary, ',', 'chunked'];

/** Header fields and a body, as sent. */
const framings: readonly (readonly [what: string, head: string, body: string])[] = [
  ['in chunks of one byte', 'Transfer-Encoding: chunked', `${object.replaceAll(/./g, '1\r\n$&\r\n')}0\r\n\r\n`],
  ['in chunks with extensions', 'Transfer-Encoding: chunked', `2;${canary}=1\r\n{}\r\n0\r\n\r\n`],
  ['in a chunk without a size', 'Transfer-Encoding: chunked', `${canary}\r\n{}\r\n0\r\n\r\n`],
  ['in a chunk of enormous size', 'Transfer-Encoding: chunked', `ffffffffffffffff\r\n{}\r\n0\r\n\r\n`],
  ['in a chunk of negative size', 'Transfer-Encoding: chunked', `-2\r\n{}\r\n0\r\n\r\n`],
  ['in incomplete chunks', 'Transfer-Encoding: chunked', `5\r\n{"a"`],
  ['with a trailer', 'Transfer-Encoding: chunked', `2\r\n{}\r\n0\r\nX-${canary}: ${canary}\r\n\r\n`],
  ['in gzip and chunks', 'Transfer-Encoding: gzip, chunked', `2\r\n{}\r\n0\r\n\r\n`],
  ['in chunks, then identity', 'Transfer-Encoding: chunked, identity', `2\r\n{}\r\n0\r\n\r\n`],
  ['with a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked', `2\r\n{}\r\n0\r\n\r\n`],
  ['with two lengths', 'Content-Length: 2\r\nContent-Length: 3', '{} '],
  ['shorter than its length', 'Content-Length: 1000', object],
  ['longer than its length', 'Content-Length: 2', `{}${object}`],
  ['followed by another request', 'Content-Length: 2', `{}GET /${canary} HTTP/1.1\r\nHost: portico\r\n\r\n`],
  ['of an empty length', 'Content-Length: ', object],
  ['of a length that is not a number', `Content-Length: ${canary}`, object],
  ['of a negative length', 'Content-Length: -1', object],
  ['of a length in hexadecimal', 'Content-Length: 0x2', '{}'],
  ['of an enormous length', 'Content-Length: 99999999999999999999999', object],
  ['of a length beyond safe integers', 'Content-Length: 9007199254740993', object],
  ['with Expect: 100-continue', 'Content-Length: 2\r\nExpect: 100-continue', '{}'],
  ['with an unknown expectation', `Content-Length: 2\r\nExpect: ${canary}`, '{}'],
  ['without a length', 'Connection: close', object],
];

const anything = fc.oneof(fc.constant(undefined), fc.jsonValue());

/** A similar value, in which parts may be missing or different. */
const near = (value: unknown): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: likeItself(value), weight: 4 }, { arbitrary: anything, weight: 1 });

const likeItself = (value: unknown): fc.Arbitrary<unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? fc.record(Object.fromEntries(Object.entries(value).map(([name, below]) => [name, near(below)])))
    : fc.constant(value);

const textOf = (value: unknown) =>
  JSON.stringify(value, (_, below: unknown) => (typeof below === 'string' ? canary + below : below)) ?? '';

/** Text with unexpected insertions. */
const spoilt = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(
      text,
      fc.nat(),
      fc.nat({ max: 4 }),
      fc.oneof(
        fc.string({ unit: 'binary-ascii', maxLength: 8 }),
        fc.constantFrom('"', '\\', '{', '}', '[', ',', ':', '\0', '\\ud800'),
      ),
    )
    .map(([whole, at, gone, more]) => {
      const from = at % (whole.length + 1);
      return whole.slice(0, from) + more + whole.slice(from + gone);
    });

const bodyLike = (value: object): fc.Arbitrary<string | Buffer | Buffer[]> => {
  const text = fc.oneof(
    near(value).map((one) => JSON.stringify(one) ?? ''),
    fc.jsonValue().map(textOf),
  );
  return fc.oneof(
    text,
    spoilt(text),
    fc.uint8Array({ maxLength: 200 }).map((raw) => Buffer.from(raw)),
    fc.array(
      fc.uint8Array({ minLength: 1, maxLength: 50 }).map((raw) => Buffer.from(raw)),
      { maxLength: 4 },
    ),
  );
};

const headersLike = fc.record({
  'content-type': fc.oneof({ arbitrary: fc.constant('application/json'), weight: 8 }, fc.constantFrom(...types)),
  'content-encoding': fc.oneof({ arbitrary: fc.constant('identity'), weight: 20 }, fc.constantFrom(...encodings)),
});

describe.each(endpoints)('%s %s', (...endpoint) => {
  const [method, path, valid] = endpoint;

  it('accepts a valid body', async () => {
    const { status } = await call(endpoint, JSON.stringify(valid));
    expect(status).toBe(path === '/me/claims' ? 201 : 200);
  });

  it('refuses bodies that are not JSON, not an object or too deep, without repeating their content', async () => {
    const body = JSON.stringify(valid);
    const sunk = [129, 100_000].map((depth) => body.replace('{', `${deep('[', ']', depth).slice(0, -1)},`));
    for (const body of [...refused, ...sunk]) {
      const response = await call(endpoint, body);
      expectValidResponse(endpoint, response);
      expect(response.status).toBeGreaterThanOrEqual(400);
    }
    expect(environment.downstream.requests).toEqual([]);
  });

  it('accepts or refuses unusual or large bodies, without repeating their content', async () => {
    for (const body of acceptable) expectValidResponse(endpoint, await call(endpoint, body));
    expectForwardedJson();
  });

  it('accepts or refuses every content type and encoding', async () => {
    const body = JSON.stringify(valid);
    for (const type of types) expectValidResponse(endpoint, await call(endpoint, body, { 'content-type': type }));
    for (const encoding of encodings)
      expectValidResponse(
        endpoint,
        await call(endpoint, gzipSync(body), { 'content-type': 'application/json', 'content-encoding': encoding }),
      );
  });

  it('accepts or refuses every framing, or closes the connection', async () => {
    for (const [what, head, body] of framings) {
      const response = await sendRaw(
        environment.portico,
        `${method} ${path} HTTP/1.1\r\nHost: portico\r\nAuthorization: ${authorization()}\r\nContent-Type: application/json\r\n${head}\r\n\r\n${body}`,
      );
      expect(response, what).not.toContain(canary);
      for (const one of response.split(/^(?=HTTP\/1\.1 )/m).filter((part) => part !== ''))
        expect(one, what).toMatch(
          /^HTTP\/1\.1 (?:100|20[01]|4\d\d (?:.+\r\n)+Content-Type: application\/(?:problem\+json|json; charset=utf-8)\r\n)/i,
        );
    }
  });

  it('accepts or refuses random bodies', async () => {
    await fc.assert(
      fc.asyncProperty(bodyLike(valid), headersLike, async (body, headers) => {
        expectValidResponse(endpoint, await call(endpoint, body, headers));
      }),
      { numRuns: 150 },
    );
    expectForwardedJson();
  });
});

const usedMemory = async () => {
  const { heap, buffers } = await usedBytes(environment);
  return heap + buffers;
};

describe('after all requests', () => {
  it('keeps the heap size during hundreds more', async () => {
    // Enough to double the heap if it were kept.
    const blanks = Buffer.alloc(60_000, ' ');
    const bodies = [...malformed, ...scalars, ...odd].map((body) => Buffer.concat([Buffer.from(body), blanks]));
    const before = await usedMemory();
    let completed = 0;
    for (const endpoint of endpoints)
      for (let from = 0; from < bodies.length; from += 20)
        completed += (await Promise.all(bodies.slice(from, from + 20).map((body) => call(endpoint, body)))).length;
    expect(completed).toBeGreaterThan(500);
    expect((await usedMemory()) / before).toBeLessThan(1.3);
  });

  it('serves every endpoint', async () => {
    for (const endpoint of endpoints)
      expect((await call(endpoint, JSON.stringify(endpoint[2]))).status).toBeLessThan(202);
  });

  it('the log has no sent value and no error after all requests', () => {
    expect(environment.log()).not.toMatch(new RegExp(`${canary}|${named}|PTY-|eyJ|"level":"error"`));
  });
});

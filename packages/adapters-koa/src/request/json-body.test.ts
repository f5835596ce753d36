import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { toJson } from '@portico/core';
import { aLeg, somePreferences } from '@portico/core/testing';
import { okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { dial, problemIn, restOf, routes, servePortal } from '../server/portal.test.support.ts';
import { aSearch, moaId, onSearch, serveSearch } from '../server/search.test.support.ts';

const writing = routes.flatMap(([method, path, service, operation, body]) =>
  body === undefined ? [] : [[method, path, `${service}.${operation} PTY-1`, body] as const],
);

/** A portal whose consent service answers with the body it was sent. */
const echo = () =>
  servePortal({
    maxRequestBytes: 64,
    ports: { consent: { replace: (_, consent) => okAsync(consent) } },
  });

const put = async (
  body: string | Buffer | readonly (string | Buffer)[],
  headers: Record<string, string | undefined> = {},
) => {
  const portal = await echo();
  const answer = await portal.ask('PUT', '/me/consent', { body, headers });
  return { answer, asked: portal.asked, errors: portal.errors };
};

const tooLarge = {
  type: 'urn:portico:problem:too-large',
  title: 'The request is too large',
  status: 413,
  detail: 'The body may have at most 64 bytes.',
  code: 'too-large',
};

const notJson = {
  type: 'urn:portico:problem:invalid-request',
  title: 'The request is not valid',
  status: 400,
  detail: 'The body is not valid JSON.',
  code: 'invalid-request',
  errors: [{ path: '', message: 'must be valid JSON in UTF-8' }],
};

describe.each(writing)('%s %s', (method, path, question, body) => {
  it.each([
    'application/json',
    'Application/JSON; Charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json; x=y',
  ])('takes %s', async (type) => {
    const portal = await servePortal();
    const { status } = await portal.ask(method, path, { body, headers: { 'content-type': type } });
    expect(status).toBe(method === 'POST' ? 201 : 200);
    expect(portal.asked).toEqual([question]);
  });

  it.each([
    'text/plain',
    'text/json',
    'application/xml',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json, text/plain',
    'json',
    '',
    undefined,
  ])('does not take %s', async (type) => {
    const portal = await servePortal();
    const answer = await portal.ask(method, path, { body, headers: { 'content-type': type } });
    const types = method === 'PATCH' ? 'application/json or application/merge-patch+json' : 'application/json';
    expect(problemIn(answer)).toEqual({
      type: 'urn:portico:problem:unsupported-media-type',
      title: 'Unsupported media type',
      status: 415,
      detail: `The body must be ${types} in UTF-8, not compressed.`,
      code: 'unsupported-media-type',
    });
    expect(answer.headers['accept-patch']).toBe(
      method === 'PATCH' ? 'application/json, application/merge-patch+json' : undefined,
    );
    expect(portal.asked).toEqual([]);
  });

  it('takes a merge patch only where there is something to patch', async () => {
    const portal = await servePortal();
    const headers = { 'content-type': 'application/merge-patch+json' };
    expect((await portal.ask(method, path, { body, headers })).status).toBe(method === 'PATCH' ? 200 : 415);
  });

  it('is refused without a body', async () => {
    const portal = await servePortal();
    expect((await portal.ask(method, path)).status).toBe(415);
    const answer = await portal.ask(method, path, { headers: { 'content-type': 'application/json' } });
    expect(problemIn(answer)).toEqual(notJson);
    expect(portal.asked).toEqual([]);
  });

  it.each(['[]', '{}', 'null', '"text"'])('is refused with %s for a body', async (empty) => {
    const portal = await servePortal();
    expect(problemIn(await portal.ask(method, path, { body: empty }))).toMatchObject({
      status: 400,
      code: 'invalid-request',
    });
    expect(portal.asked).toEqual([]);
  });

  it('takes at most 256 KiB when nothing else was set', async () => {
    const portal = await servePortal();
    expect((await portal.ask(method, path, { body: body.padEnd(262_144) })).status).toBeLessThan(300);
    expect((await portal.ask(method, path, { body: body.padEnd(262_145) })).status).toBe(413);
    expect(portal.asked).toEqual([question]);
  });
});

describe('a body', () => {
  it('is passed on byte for byte', async () => {
    const body = '{ "é":1.0,\r\n"a":12345678901234567890.1234567890 }\n';
    expect((await put(body)).answer.body).toEqual(Buffer.from(body));
    expect((await put([body.slice(0, 3), body.slice(3)])).answer.body).toEqual(Buffer.from(body));
  });

  it('does not pass on a field that names a member', async () => {
    expect((await put('{"partyLocator":"PTY-2","n":1.10}')).answer.text).toBe('{"n":1.10}');
  });

  it('may have exactly as many bytes as the limit says', async () => {
    const exact = `{"a":"${'é'.repeat(28)}"}`;
    expect(Buffer.byteLength(exact)).toBe(64);
    expect((await put(exact)).answer.status).toBe(200);
    expect((await put([exact.slice(0, 9), exact.slice(9)])).answer.status).toBe(200);
  });

  it.each([
    ['by its length', `{"a":"${'x'.repeat(57)}"}`],
    ['in chunks', ['{"a":"', 'x'.repeat(56), 'x"}']],
    ['in bytes though not in characters', `{"a":"${'é'.repeat(29)}"}`],
  ])('is too large one byte over the limit, %s', async (_, body) => {
    const { answer, asked } = await put(body);
    expect(problemIn(answer)).toMatchObject(tooLarge);
    expect(asked).toEqual([]);
  });

  it('is refused by what it says of its length, before it comes', async () => {
    const portal = await echo();
    const socket = await dial(portal.port);
    socket.write(head(portal.token, 'Content-Length: 1000000000000'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    expect(portal.asked).toEqual([]);
  });

  it('of unknown length is refused as soon as it is over the limit, while it still comes', async () => {
    const portal = await echo();
    const socket = await dial(portal.port);
    socket.write(`${head(portal.token, 'Transfer-Encoding: chunked')}50\r\n${'x'.repeat(80)}\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    expect(portal.asked).toEqual([]);
  });

  it.each([
    ['text', '{"a":'],
    ['nothing', ''],
    ['two values', '{"a":1}{"b":2}'],
    ['a comment', '{"a":1} // yes'],
    ['a number that is none', '{"a":NaN}'],
    ['a byte order mark', '\uFEFF{"a":1}'],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['half a surrogate pair in UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['an overlong encoding', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
  ])('is not JSON when it is %s', async (_, body) => {
    const { answer, asked, errors } = await put(body);
    expect(problemIn(answer)).toEqual(notJson);
    expect([asked, errors]).toEqual([[], []]);
  });

  it.each(['gzip', 'br', 'deflate', 'gzip, identity', 'unknown'])('is not taken compressed: %s', async (encoding) => {
    const { answer, asked } = await put(gzipSync('{"a":1}'), { 'content-encoding': encoding });
    expect(problemIn(answer)).toMatchObject({ status: 415, code: 'unsupported-media-type' });
    expect(asked).toEqual([]);
  });

  it('may say that it is not compressed', async () => {
    expect((await put('{"a":1}', { 'content-encoding': 'identity' })).answer.status).toBe(200);
  });
});

/** An object that nests so deep, with these fields in it. */
const nested = (depth: number, fields = '') => `{${fields}"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

const tooDeep = {
  type: 'urn:portico:problem:invalid-request',
  title: 'The request is not valid',
  status: 400,
  detail: 'The body is nested too deep.',
  code: 'invalid-request',
  errors: [{ path: '', message: 'must nest at most 64 deep' }],
};

describe('a body that nests', () => {
  it('64 deep is passed on, and one deeper is not', async () => {
    const portal = await servePortal();
    expect((await portal.ask('PUT', '/me/consent', { body: nested(64) })).status).toBe(200);
    expect(problemIn(await portal.ask('PUT', '/me/consent', { body: nested(65) }))).toEqual(tooDeep);
    expect(portal.asked).toEqual(['consent.replace PTY-1']);
  });

  it.each(writing)('very deep is refused, not parsed: %s %s', async (method, path) => {
    const portal = await servePortal();
    for (const body of [
      nested(100_000, '"partyLocator":1,'),
      `${nested(100_000).slice(0, -1)},"a":1}`,
      '['.repeat(200_000),
    ])
      expect(problemIn(await portal.ask(method, path, { body }))).toEqual(tooDeep);
    expect([portal.asked, portal.errors]).toEqual([[], []]);
  });

  it('is no search beyond 64, and no callback beyond 128', async () => {
    const host = await serveSearch({ legs: [aLeg('moa')] });
    const search = (depth: number) => aSearch.replace('{', nested(depth).replace(/\}$/, ','));
    expect((await host.search(search(65))).json).toMatchObject(tooDeep);
    expect((await host.search(search(100_000))).json).toMatchObject(tooDeep);
    const answer = host.search(search(64));
    await host.posted(1);

    for (const depth of [129, 2_500_000]) {
      const refused = await host.callBack(onSearch(moaId).replace('{', nested(depth).replace(/\}$/, ',')));
      expect([refused.status, refused.json]).toMatchObject([400, { message: { ack: { status: 'NACK' } } }]);
    }
    expect(await host.counted()).toEqual({ pending: 1, rejected: 2 });
    const deepest = onSearch(moaId).replace('{', nested(128).replace(/\}$/, ','));
    expect((await host.callBack(deepest)).json).toEqual({ message: { ack: { status: 'ACK' } } });
    expect((await answer).text).toContain(`"moa":${deepest}`);
    expect(host.errors).toEqual([]);
  });
});

/** Preferences with these fields written in front of the six. */
const preferencesWith = (fields: string) => JSON.stringify(somePreferences).replace('{', `{${fields},`);

/** What a portal does with a body, and what goes on from there to the policy, consent and notifications services. */
const sending = async (method: string, path: string, body: string) => {
  const sent: string[] = [];
  const sends = (text: string) => {
    sent.push(text);
    return okAsync(toJson({}));
  };
  const portal = await servePortal({
    ports: {
      consent: { replace: (_, { text }) => sends(text) },
      policy: { patchProfile: (_, { text }) => sends(text) },
      notifications: { replacePreferences: (_, value) => sends(JSON.stringify(value)) },
    },
  });
  const { status } = await portal.ask(method, path, { body });
  return [status, ...sent];
};

describe('names that mean something to JavaScript', () => {
  const bodies = [
    '{"__proto__":{"isAdmin":true},"a":1}',
    '{"a":{"__proto__":{"isAdmin":true}},"__proto__":null}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    '{"prototype":{"isAdmin":true},"toString":1,"hasOwnProperty":1,"then":1}',
    String.raw`{"\u005f_proto__":{"isAdmin":true}}`,
  ];

  it.each(bodies)('are passed on as they came: %s', async (body) => {
    expect(await sending('PUT', '/me/consent', body)).toEqual([200, body]);
    expect(await sending('PATCH', '/me/profile', body)).toEqual([200, body]);
    expect(({} as Readonly<Record<string, unknown>>)['isAdmin']).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', String.raw`\u005f_proto__`])(
    'are no preferences: %s',
    async (name) => {
      expect(await sending('PUT', '/me/preferences', preferencesWith(`"${name}":true`))).toEqual([400]);
    },
  );

  it('bring nothing in where it is looked for', async () => {
    const inside = JSON.stringify(somePreferences);
    expect(await sending('PUT', '/me/preferences', `{"__proto__":${inside}}`)).toEqual([400]);
    const host = await serveSearch({ legs: [aLeg('moa')] });
    expect((await host.search(`{"__proto__":${aSearch}}`)).status).toBe(400);
    const answer = host.search();
    answer.catch(() => {}); // It ends with the server.
    await host.posted(1);
    const callback = onSearch(moaId);
    const context = callback.replace(/\{\s+"action"/, '{"__proto__":$&').replace('},', '}},');
    for (const body of [`{"__proto__":${callback}}`, context]) expect((await host.callBack(body)).status).toBe(400);
    expect(await host.counted()).toEqual({ pending: 1, rejected: 2 });
  });

  it('hide no locator', async () => {
    expect(await sending('PATCH', '/me/profile', '{"__proto__":{"partyLocator":"PTY-2"}}')).toEqual([
      200,
      '{"__proto__":{}}',
    ]);
    expect(await sending('PATCH', '/me/profile', '{"__proto__":{},"partyLocator":"PTY-2"}')).toEqual([400]);
  });
});

describe('a key that stands twice', () => {
  it.each<[string, ...(string | number)[]]>([
    ['"email":true,"email":"x"', 400],
    ['"email":"x"', 200, JSON.stringify(somePreferences)],
    ['"email":false', 200, JSON.stringify(somePreferences)],
    [String.raw`"\u0065mail":false`, 200, JSON.stringify(somePreferences)],
  ])('in preferences means what it was checked for: %s', async (fields, ...outcome) => {
    const body =
      outcome[0] === 400 ? `${JSON.stringify(somePreferences).slice(0, -1)},${fields}}` : preferencesWith(fields);
    expect(await sending('PUT', '/me/preferences', body)).toEqual(outcome);
  });

  it.each([
    '{"partyLocator":"PTY-2","partyLocator":null}',
    String.raw`{"city":"x","party\u004cocator":"PTY-2"}`,
    String.raw`{"\u006cocator":"PTY-2","city":"x","locator":null}`,
  ])('does not change whose profile it is: %s', async (body) => {
    expect(await sending('PATCH', '/me/profile', body)).toEqual([400]);
  });

  it.each<[string, string]>([
    ['{"partyLocator":"PTY-2","a":1,"partyLocator":"PTY-3"}', '{"a":1}'],
    ['{"a":{"partyLocator":"PTY-2"},"a":{"b":1}}', '{"a":{"b":1}}'],
    [String.raw`{"a":[{"party\u004cocator":"PTY-2"}],"\u0061":1.10}`, '{"a":1.10}'],
    ['{"a":1,"a":2}', '{"a":1,"a":2}'],
  ])('does not hide a member from us who would be passed on: %s', async (body, passedOn) => {
    expect(await sending('PUT', '/me/consent', body)).toEqual([200, passedOn]);
  });
});

describe('a client that leaves in the middle of its upload', () => {
  it.each(['Content-Length: 60', 'Transfer-Encoding: chunked'])('harms nobody else (%s)', async (framing) => {
    const portal = await echo();
    const socket = await dial(portal.port);
    socket.write(`${head(portal.token, framing)}8\r\n{"a":1,`);
    await once(portal.server, 'request');
    socket.destroy();
    await portal.closed();
    expect((await portal.ask('PUT', '/me/consent', { body: '{"b":1}' })).status).toBe(200);
    expect([portal.asked, portal.errors]).toEqual([['consent.replace PTY-1'], []]);
  });
});

describe('a client that frames its chunks wrongly', () => {
  it('harms only itself', async () => {
    const portal = await echo();
    const socket = await dial(portal.port);
    socket.write(`${head(portal.token, 'Transfer-Encoding: chunked')}7\r\n{"a":1,\r\nzz\r\n`);
    await restOf(socket);
    expect((await portal.ask('PUT', '/me/consent', { body: '{"b":1}' })).status).toBe(200);
    expect([portal.asked, portal.errors]).toEqual([['consent.replace PTY-1'], []]);
  });
});

describe('a body that another request is hidden behind', () => {
  it.each([
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'Content-Length: 5\r\nContent-Length: 6',
    'Transfer-Encoding: chunked, identity',
    'Content-Length: -1',
    'Content-Length: 0x5',
  ])('is refused: %s', async (framing) => {
    const portal = await echo();
    const socket = await dial(portal.port);
    socket.write(`${head(portal.token, framing)}0\r\n\r\nGET /me/coverage HTTP/1.1\r\n\r\n`);
    expect(await restOf(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect(portal.asked).toEqual([]);
  });
});

const head = (token: string, framing: string) =>
  `PUT /me/consent HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;

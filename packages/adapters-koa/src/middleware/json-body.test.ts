import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { toJson } from '@portico/core';
import { aLeg, somePreferences } from '@portico/core/testing';
import { okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { openSocket, problemIn, readToEnd, routes, servePortal } from '../server/portal.test.support.ts';
import { aSearch, moaId, onSearch, rawSearch, serveSearch } from '../server/search.test.support.ts';

const writing = routes.flatMap(([method, path, service, operation, body]) =>
  body === undefined ? [] : [[method, path, `${service}.${operation} PTY-1`, body] as const],
);

/** A portal whose consent service returns the body that it received. */
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
  const response = await portal.request('PUT', '/me/consent', { body, headers });
  return { response, calls: portal.calls, errors: portal.errors };
};

const tooLarge = {
  type: 'urn:portico:problem:too-large',
  title: 'The request is too large',
  status: 413,
  detail: 'The body must not exceed 64 bytes.',
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

describe.each(writing)('%s %s', (method, path, call, body) => {
  it.each([
    'application/json',
    'Application/JSON; Charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json; x=y',
  ])('accepts the content type %s', async (type) => {
    const portal = await servePortal();
    const { status } = await portal.request(method, path, { body, headers: { 'content-type': type } });
    expect(status).toBe(method === 'POST' ? 201 : 200);
    expect(portal.calls).toEqual([call]);
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
  ])('rejects the content type %s with 415', async (type) => {
    const portal = await servePortal();
    const response = await portal.request(method, path, { body, headers: { 'content-type': type } });
    const types = method === 'PATCH' ? 'application/json or application/merge-patch+json' : 'application/json';
    expect(problemIn(response)).toEqual({
      type: 'urn:portico:problem:unsupported-media-type',
      title: 'Unsupported media type',
      status: 415,
      detail: `The body must be uncompressed ${types} in UTF-8.`,
      code: 'unsupported-media-type',
    });
    expect(response.headers['accept-patch']).toBe(
      method === 'PATCH' ? 'application/json, application/merge-patch+json' : undefined,
    );
    expect(portal.calls).toEqual([]);
  });

  it('accepts a merge patch only for PATCH', async () => {
    const portal = await servePortal();
    const headers = { 'content-type': 'application/merge-patch+json' };
    expect((await portal.request(method, path, { body, headers })).status).toBe(method === 'PATCH' ? 200 : 415);
  });

  it('rejects a missing body', async () => {
    const portal = await servePortal();
    expect((await portal.request(method, path)).status).toBe(415);
    const response = await portal.request(method, path, { headers: { 'content-type': 'application/json' } });
    expect(problemIn(response)).toEqual(notJson);
    expect(portal.calls).toEqual([]);
  });

  it.each(['[]', '{}', 'null', '"text"'])('rejects the body %s with 400', async (invalid) => {
    const portal = await servePortal();
    expect(problemIn(await portal.request(method, path, { body: invalid }))).toMatchObject({
      status: 400,
      code: 'invalid-request',
    });
    expect(portal.calls).toEqual([]);
  });

  it('accepts at most 256 KiB by default', async () => {
    const portal = await servePortal();
    expect((await portal.request(method, path, { body: body.padEnd(262_144) })).status).toBeLessThan(300);
    expect((await portal.request(method, path, { body: body.padEnd(262_145) })).status).toBe(413);
    expect(portal.calls).toEqual([call]);
  });
});

describe('request body', () => {
  it('forwards a body byte for byte', async () => {
    const body = '{ "é":1.0,\r\n"a":12345678901234567890.1234567890 }\n';
    expect((await put(body)).response.body).toEqual(Buffer.from(body));
    expect((await put([body.slice(0, 3), body.slice(3)])).response.body).toEqual(Buffer.from(body));
  });

  it('removes fields that name a member from a body', async () => {
    expect((await put('{"partyLocator":"PTY-2","n":1.10}')).response.text).toBe('{"n":1.10}');
  });

  it('discards the rest of a chunked body that is too large and keeps the connection usable', async () => {
    const { port } = await serveSearch({ maxRequestBytes: 1000 });
    const socket = await openSocket(port);
    const chunk = `${(100_000).toString(16)}\r\n${'x'.repeat(100_000)}\r\n`;
    socket.write(
      `POST /api/search HTTP/1.1\r\nHost: portal\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}0\r\n\r\n` +
        'GET /livez HTTP/1.1\r\nHost: portal\r\nConnection: close\r\n\r\n',
    );
    expect((await readToEnd(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  it('accepts a body with exactly as many bytes as the limit', async () => {
    const exact = `{"a":"${'é'.repeat(28)}"}`;
    expect(Buffer.byteLength(exact)).toBe(64);
    expect((await put(exact)).response.status).toBe(200);
    expect((await put([exact.slice(0, 9), exact.slice(9)])).response.status).toBe(200);
  });

  it.each([
    ['with a content length', `{"a":"${'x'.repeat(57)}"}`],
    ['in chunks', ['{"a":"', 'x'.repeat(56), 'x"}']],
    ['counted in bytes rather than characters', `{"a":"${'é'.repeat(29)}"}`],
  ])('rejects a body one byte over the limit, %s', async (_, body) => {
    const { response, calls } = await put(body);
    expect(problemIn(response)).toMatchObject(tooLarge);
    expect(calls).toEqual([]);
  });

  it('rejects a body by its content length before it arrives', async () => {
    const portal = await echo();
    const socket = await openSocket(portal.port);
    socket.write(head(portal.token, 'Content-Length: 1000000000000'));
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString()).toMatch(/^HTTP\/1\.1 413 /);
    expect(portal.calls).toEqual([]);
  });

  it('rejects a body of unknown length as soon as it exceeds the limit', async () => {
    const portal = await echo();
    const socket = await openSocket(portal.port);
    socket.write(`${head(portal.token, 'Transfer-Encoding: chunked')}50\r\n${'x'.repeat(80)}\r\n`);
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString()).toMatch(/^HTTP\/1\.1 413 /);
    expect(portal.calls).toEqual([]);
  });

  it.each([
    ['incomplete JSON', '{"a":'],
    ['an empty body', ''],
    ['two values', '{"a":1}{"b":2}'],
    ['a comment', '{"a":1} // yes'],
    ['NaN', '{"a":NaN}'],
    ['a byte order mark', '\uFEFF{"a":1}'],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a lone surrogate in UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['an overlong encoding', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
  ])('rejects a body that is not valid JSON: %s', async (_, body) => {
    const { response, calls, errors } = await put(body);
    expect(problemIn(response)).toEqual(notJson);
    expect([calls, errors]).toEqual([[], []]);
  });

  it.each(['gzip', 'br', 'deflate', 'gzip, identity', 'unknown'])(
    'rejects a body with the content encoding %s',
    async (encoding) => {
      const { response, calls } = await put(gzipSync('{"a":1}'), { 'content-encoding': encoding });
      expect(problemIn(response)).toMatchObject({ status: 415, code: 'unsupported-media-type' });
      expect(calls).toEqual([]);
    },
  );

  it('accepts a body with the content encoding identity', async () => {
    expect((await put('{"a":1}', { 'content-encoding': 'identity' })).response.status).toBe(200);
  });
});

/** A JSON object with this nesting depth and these fields. */
const nested = (depth: number, fields = '') => `{${fields}"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

const tooDeep = {
  type: 'urn:portico:problem:invalid-request',
  title: 'The request is not valid',
  status: 400,
  detail: 'The body is nested too deeply.',
  code: 'invalid-request',
  errors: [{ path: '', message: 'must not be nested more than 64 levels deep' }],
};

describe('nested bodies', () => {
  it('forwards a body with 64 levels of nesting and rejects 65', async () => {
    const portal = await servePortal();
    expect((await portal.request('PUT', '/me/consent', { body: nested(64) })).status).toBe(200);
    expect(problemIn(await portal.request('PUT', '/me/consent', { body: nested(65) }))).toEqual(tooDeep);
    expect(portal.calls).toEqual(['consent.replace PTY-1']);
  });

  it.each(writing)('rejects a very deeply nested body without parsing it: %s %s', async (method, path) => {
    const portal = await servePortal();
    for (const body of [
      nested(100_000, '"partyLocator":1,'),
      `${nested(100_000).slice(0, -1)},"a":1}`,
      '['.repeat(200_000),
    ])
      expect(problemIn(await portal.request(method, path, { body }))).toEqual(tooDeep);
    expect([portal.calls, portal.errors]).toEqual([[], []]);
  });

  it('rejects a search beyond 64 levels of nesting and a callback beyond 128', async () => {
    const host = await serveSearch({ legs: [aLeg('moa')] });
    const search = (depth: number) => aSearch.replace('{', nested(depth).replace(/\}$/, ','));
    expect((await host.search(search(65))).json).toMatchObject(tooDeep);
    expect((await host.search(search(100_000))).json).toMatchObject(tooDeep);
    const response = host.search(search(64));
    await host.posted(1);

    for (const depth of [129, 2_500_000]) {
      const refused = await host.callBack(onSearch(moaId).replace('{', nested(depth).replace(/\}$/, ',')));
      expect([refused.status, refused.json]).toMatchObject([400, { message: { ack: { status: 'NACK' } } }]);
    }
    expect(await host.counted()).toEqual({ pending: 1, rejected: 2 });
    const deepest = onSearch(moaId).replace('{', nested(128).replace(/\}$/, ','));
    expect((await host.callBack(deepest)).json).toEqual({ message: { ack: { status: 'ACK' } } });
    expect((await response).text).toContain(`"moa":${deepest}`);
    expect(host.errors).toEqual([]);
  });
});

/** JSON preferences with these fields before the six. */
const preferencesWith = (fields: string) => JSON.stringify(somePreferences).replace('{', `{${fields},`);

/** Sends a body; returns the status and what the policy, consent and notifications services received. */
const forward = async (method: string, path: string, body: string) => {
  const received: string[] = [];
  const record = (text: string) => {
    received.push(text);
    return okAsync(toJson({}));
  };
  const portal = await servePortal({
    ports: {
      consent: { replace: (_, { text }) => record(text) },
      policy: { patchProfile: (_, { text }) => record(text) },
      notifications: { replacePreferences: (_, value) => record(JSON.stringify(value)) },
    },
  });
  const { status } = await portal.request(method, path, { body });
  return [status, ...received];
};

describe('field names with a meaning in JavaScript', () => {
  const bodies = [
    '{"__proto__":{"isAdmin":true},"a":1}',
    '{"a":{"__proto__":{"isAdmin":true}},"__proto__":null}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    '{"prototype":{"isAdmin":true},"toString":1,"hasOwnProperty":1,"then":1}',
    String.raw`{"\u005f_proto__":{"isAdmin":true}}`,
  ];

  it.each(bodies)('forwards field names that JavaScript treats specially: %s', async (body) => {
    expect(await forward('PUT', '/me/consent', body)).toEqual([200, body]);
    expect(await forward('PATCH', '/me/profile', body)).toEqual([200, body]);
    expect(({} as Readonly<Record<string, unknown>>)['isAdmin']).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', String.raw`\u005f_proto__`])(
    'rejects a preference named %s',
    async (name) => {
      expect(await forward('PUT', '/me/preferences', preferencesWith(`"${name}":true`))).toEqual([400]);
    },
  );

  it('does not read fields from __proto__', async () => {
    const inside = JSON.stringify(somePreferences);
    expect(await forward('PUT', '/me/preferences', `{"__proto__":${inside}}`)).toEqual([400]);
    const host = await serveSearch({ legs: [aLeg('moa')] });
    expect((await host.search(`{"__proto__":${aSearch}}`)).status).toBe(400);
    const response = host.search();
    response.catch(() => {}); // The request ends when the server closes.
    await host.posted(1);
    const callback = onSearch(moaId);
    const context = callback.replace(/\{\s+"action"/, '{"__proto__":$&').replace('},', '}},');
    for (const body of [`{"__proto__":${callback}}`, context]) expect((await host.callBack(body)).status).toBe(400);
    expect(await host.counted()).toEqual({ pending: 1, rejected: 2 });
  });

  it('finds a locator next to or inside __proto__', async () => {
    expect(await forward('PATCH', '/me/profile', '{"__proto__":{"partyLocator":"PTY-2"}}')).toEqual([
      200,
      '{"__proto__":{}}',
    ]);
    expect(await forward('PATCH', '/me/profile', '{"__proto__":{},"partyLocator":"PTY-2"}')).toEqual([400]);
  });
});

describe('duplicate keys', () => {
  it.each<[string, ...(string | number)[]]>([
    ['"email":true,"email":"x"', 400],
    ['"email":"x"', 200, JSON.stringify(somePreferences)],
    ['"email":false', 200, JSON.stringify(somePreferences)],
    [String.raw`"\u0065mail":false`, 200, JSON.stringify(somePreferences)],
  ])('forwards the validated value of a duplicate preference: %s', async (fields, ...outcome) => {
    const body =
      outcome[0] === 400 ? `${JSON.stringify(somePreferences).slice(0, -1)},${fields}}` : preferencesWith(fields);
    expect(await forward('PUT', '/me/preferences', body)).toEqual(outcome);
  });

  it.each([
    '{"partyLocator":"PTY-2","partyLocator":null}',
    String.raw`{"city":"x","party\u004cocator":"PTY-2"}`,
    String.raw`{"\u006cocator":"PTY-2","city":"x","locator":null}`,
  ])('rejects a profile patch that names a member in a duplicate or escaped key: %s', async (body) => {
    expect(await forward('PATCH', '/me/profile', body)).toEqual([400]);
  });

  it.each<[string, string]>([
    ['{"partyLocator":"PTY-2","a":1,"partyLocator":"PTY-3"}', '{"a":1}'],
    ['{"a":{"partyLocator":"PTY-2"},"a":{"b":1}}', '{"a":{},"a":{"b":1}}'],
    [String.raw`{"a":[{"party\u004cocator":"PTY-2"}],"\u0061":1.10}`, String.raw`{"a":[{}],"\u0061":1.10}`],
    ['{"a":1,"a":2}', '{"a":1,"a":2}'],
  ])('removes duplicate and escaped fields that name a member: %s', async (body, forwarded) => {
    expect(await forward('PUT', '/me/consent', body)).toEqual([200, forwarded]);
  });
});

describe('client that disconnects during its upload', () => {
  it.each(['Content-Length: 60', 'Transfer-Encoding: chunked'])(
    'serves other clients after a disconnect during an upload (%s)',
    async (framing) => {
      const portal = await echo();
      const socket = await openSocket(portal.port);
      socket.write(`${head(portal.token, framing)}8\r\n{"a":1,`);
      await once(portal.server, 'request');
      socket.destroy();
      await portal.closed();
      expect((await portal.request('PUT', '/me/consent', { body: '{"b":1}' })).status).toBe(200);
      expect([portal.calls, portal.errors]).toEqual([['consent.replace PTY-1'], []]);
    },
  );
});

/** Sends the head of a request and 60 of 64 bytes of its body. */
const sendIncomplete = async (port: number, requestHead: string) => {
  const socket = await openSocket(port);
  socket.on('error', () => {});
  socket.write(requestHead + 'x'.repeat(60));
  return socket;
};

describe('incomplete bodies that fill the memory', () => {
  it('the oldest of them, on any member route, gets 503, and complete bodies are accepted', async () => {
    const portal = await servePortal({ maxRequestBytes: 64, maxIncompleteBodies: 2 });
    const putConsent = head(portal.token, 'Content-Length: 64');
    const sockets = [await sendIncomplete(portal.port, putConsent)];
    await once(portal.server, 'request');
    for (const path of ['/me/consent', '/me/preferences'])
      sockets.push(await sendIncomplete(portal.port, putConsent.replace('/me/consent', path)));
    const response = await readToEnd(sockets[0]!);

    expect(response).toMatch(/^HTTP\/1\.1 503 /);
    expect(response).toMatch(/\r\nRetry-After: 1\r\n/i);
    expect(response).toContain('"code":"overloaded"');
    expect((await portal.request('PUT', '/me/consent', { body: '{"b":1}' })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('the oldest search request of them gets 503, and complete ones are accepted', async () => {
    const { port, search, server } = await serveSearch({ maxRequestBytes: 64, maxIncompleteBodies: 2 });
    const postSearch = rawSearch().replace(/Content-Length: .*$/s, 'Content-Length: 64\r\n\r\n');
    const oldest = await sendIncomplete(port, postSearch);
    await once(server, 'request');
    const sockets = [oldest, ...(await Promise.all([1, 2].map(() => sendIncomplete(port, postSearch))))];

    expect(await readToEnd(oldest)).toMatch(/^HTTP\/1\.1 503 [^]*"code":"overloaded"/);
    expect((await search('{}')).status).toBe(400);
    for (const socket of sockets) socket.destroy();
  });
});

describe('client that sends malformed chunks', () => {
  it('serves other clients after malformed chunks', async () => {
    const portal = await echo();
    const socket = await openSocket(portal.port);
    socket.write(`${head(portal.token, 'Transfer-Encoding: chunked')}7\r\n{"a":1,\r\nzz\r\n`);
    await readToEnd(socket);
    expect((await portal.request('PUT', '/me/consent', { body: '{"b":1}' })).status).toBe(200);
    expect([portal.calls, portal.errors]).toEqual([['consent.replace PTY-1'], []]);
  });
});

describe('request smuggling', () => {
  it.each([
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'Content-Length: 5\r\nContent-Length: 6',
    'Transfer-Encoding: chunked, identity',
    'Content-Length: -1',
    'Content-Length: 0x5',
  ])('rejects ambiguous framing with 400: %s', async (framing) => {
    const portal = await echo();
    const socket = await openSocket(portal.port);
    socket.write(`${head(portal.token, framing)}0\r\n\r\nGET /me/coverage HTTP/1.1\r\n\r\n`);
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect(portal.calls).toEqual([]);
  });
});

const head = (token: string, framing: string) =>
  `PUT /me/consent HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;

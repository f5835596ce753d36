import { gzipSync } from 'node:zlib';
import { type CallbackVerifier, type Failure, unauthenticated, upstream } from '@portico/core';
import { aLeg } from '@portico/core/testing';
import { errAsync, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { internal } from '../response/problem.ts';
import { type TestResponse, openSocket, readToEnd, send } from '../server/portal.test.support.ts';
import {
  mhId,
  moaId,
  onSearch,
  type SearchHostSettings,
  serveSearch,
  transactionId,
} from '../server/search.test.support.ts';

/** A server with one pending search, whose legs `moa` and `mh` have the transaction ids `moaId` and `mhId`. */
const searching = async (settings: SearchHostSettings = {}) => {
  const host = await serveSearch(settings);
  const response = host.search();
  response.catch(() => {}); // If a test ignores it, it fails when the server closes.
  await host.posted(2);
  return { ...host, response };
};

const ack = '{"message":{"ack":{"status":"ACK"}}}';

const nackIn = ({ status, headers, text }: TestResponse) => {
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const { message, error, ...more } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  expect([message, more]).toEqual([{ ack: { status: 'NACK' } }, {}]);
  return [status, error];
};

describe('callback acknowledgement', () => {
  it.each(['/on_search', '/on_search/', '/on_search?seller=1'])('acknowledges a callback at %s', async (path) => {
    const host = await searching({ legs: [aLeg('moa'), aLeg('mh')] });
    const { status, headers, text } = await host.callBack(onSearch(moaId), {}, path);
    expect([status, headers['content-type'], text]).toEqual([200, 'application/json; charset=utf-8', ack]);
    expect(await host.counted()).toEqual({ pending: 1, delivered: 1 });
  });

  it.each(['/on_discover', '/on_discover/', '/on_search'])(
    'acknowledges a callback of Beckn 2.0 at %s',
    async (path) => {
      const host = await searching({ legs: [aLeg('moa', { profile: 'beckn-2.0' }), aLeg('mh')] });
      const context = { action: 'on_discover', transactionId: moaId, bppId: 'bpp.example.org' };
      const callback = JSON.stringify({ context, message: { catalogs: [] } });
      expect((await host.callBack(callback, {}, path)).text).toBe(ack);
      expect(await host.counted()).toEqual({ pending: 1, delivered: 1 });
    },
  );

  it('acknowledges expected, repeated, late and unknown callbacks and counts them separately', async () => {
    const host = await searching();
    const responses = [await host.callBack(onSearch(moaId)), await host.callBack(onSearch(moaId))];
    host.clock.advance(10_000);
    responses.push(await host.callBack(onSearch(mhId)), await host.callBack(onSearch(moaId)));
    responses.push(await host.callBack(onSearch(transactionId(99))), await host.callBack(onSearch('x'.repeat(256))));
    expect(responses.map(({ status, text }) => `${status} ${text}`)).toEqual(
      Array.from({ length: 6 }, () => `200 ${ack}`),
    );
    expect(await host.counted()).toEqual({ pending: 0, delivered: 1, duplicate: 2, late: 1, unknown: 2 });
  });

  it.each(['text/plain', 'application/octet-stream', 'application/json; charset=utf-8', undefined])(
    'acknowledges a callback with any content type: %s',
    async (type) => {
      const host = await searching();
      const headers = type === undefined ? {} : { 'content-type': type };
      expect((await send(host.port, 'POST', '/on_search', { body: onSearch(moaId), headers })).text).toBe(ack);
    },
  );

  it('keeps unknown fields of a callback unchanged', async () => {
    const host = await searching();
    const callback = `  {"context":{"b":1.0,"action":"on_search","transaction_id":"${moaId}","n":12345678901234567890},"z":null}\n`;
    await host.callBack(callback);
    await host.callBack(onSearch(mhId));
    expect((await host.response).text).toContain(`"moa":${callback},"mh":`);
  });

  it('acknowledges each of many concurrent callbacks', async () => {
    const host = await searching();
    const all = await Promise.all(Array.from({ length: 20 }, () => host.callBack(onSearch(moaId))));
    expect(all.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, () => ack));
    expect(await host.counted()).toEqual({ pending: 1, delivered: 1, duplicate: 19 });
  });
});

it.each(['gzip', 'br', 'GZIP, identity'])(
  'the server refuses a callback with Content-Encoding %s with 415',
  async (encoding) => {
    const host = await searching();
    const response = await host.callBack(gzipSync(onSearch(moaId)), { 'content-encoding': encoding });
    expect(nackIn(response)).toEqual([
      415,
      { code: 'unsupported-media-type', message: 'A callback must not be compressed.' },
    ]);
    expect(await host.counted()).toEqual({ pending: 2, rejected: 1 });
  },
);

it('the first callback of a leg settles it', async () => {
  const host = await searching();
  for (const nth of [1, 2]) await host.callBack(onSearch(moaId, { nth }));
  for (const nth of [3, 4]) await host.callBack(onSearch(mhId, { nth }));
  expect((await host.response).json).toMatchObject({
    moa: { message: { catalog: { nth: 1 } } },
    mh: { message: { catalog: { nth: 3 } } },
  });
});

describe('invalid callbacks', () => {
  const notJson = /^Not a valid search callback\. .*JSON/;
  const noId = /^Not a valid search callback\. \/context\/transaction_id .*1 to 256 characters/;
  const otherAction = /^Not a valid search callback\. \/context\/action .*on_search/;

  it.each<[string, string | Buffer, RegExp]>([
    ['an empty body', '', notJson],
    ['a form', `transaction_id=${moaId}`, notJson],
    ['incomplete JSON', onSearch(moaId).slice(0, -1), notJson],
    ['JSON in UTF-16', Buffer.from(onSearch(moaId), 'utf16le'), notJson],
    ['JSON with a byte order mark', `\uFEFF${onSearch(moaId)}`, notJson],
    ['compressed JSON', gzipSync(onSearch(moaId)), notJson],
    ['null', 'null', noId],
    ['a list', `[${onSearch(moaId)}]`, noId],
    ['without context', '{"message":{"catalog":{}}}', noId],
    ['with a null context', '{"context":null}', noId],
    ['without a transaction_id', '{"context":{"action":"on_search"}}', noId],
    ['with an empty transaction_id', '{"context":{"action":"on_search","transaction_id":""}}', noId],
    ['with a transaction_id that is a number', '{"context":{"action":"on_search","transaction_id":1}}', noId],
    ['with a transaction_id that is too long', onSearch('x'.repeat(257)), noId],
    ['without an action', `{"context":{"transaction_id":"${moaId}"}}`, otherAction],
    ['with another action', `{"context":{"action":"on_select","transaction_id":"${moaId}"}}`, otherAction],
    ['the search envelope itself', `{"context":{"action":"search","transaction_id":"${moaId}"}}`, otherAction],
  ])('refuses an invalid callback with a NACK and settles no leg: %s', async (_, body, message) => {
    const host = await searching();
    expect(nackIn(await host.callBack(body))).toEqual([
      400,
      { code: 'invalid-request', message: expect.stringMatching(message) as string },
    ]);
    expect(await host.counted()).toEqual({ pending: 2, rejected: 1 });
    expect((await host.callBack(onSearch(moaId))).text).toBe(ack);
  });

  it('does not report a seller’s disconnect as an error', async () => {
    const host = await searching();
    const socket = await openSocket(host.port);
    socket.write('POST /on_search HTTP/1.1\r\nHost: bap\r\nContent-Length: 99\r\n\r\n{"context":');
    socket.end();
    await readToEnd(socket);
    expect(await host.counted()).toEqual({ pending: 2 });
    expect(host.errors).toEqual([]);
  });
});

/** A callback with this number of bytes, two more than its characters. */
const sized = (bytes: number) => onSearch(moaId, { name: '漢' }).padEnd(bytes - 2);

describe('callback size limit', () => {
  const keepAlive = { connection: 'keep-alive' };

  it.each([
    [{}, 5_242_880],
    [{ maxCallbackBytes: 1000 }, 1000],
  ])('the settings %j limit callbacks to %i bytes', async (settings, bytes) => {
    const host = await searching(settings);
    const message = `A callback must not exceed ${bytes} bytes.`;
    const tooLarge = await host.callBack(sized(bytes + 1), keepAlive);
    expect(nackIn(tooLarge)).toEqual([413, { code: 'too-large', message }]);
    expect(await host.counted()).toEqual({ pending: 2, rejected: 1 });
    const largest = await host.callBack(sized(bytes));
    expect([largest.status, largest.text]).toEqual([200, ack]);
    expect(await host.counted()).toEqual({ pending: 1, delivered: 1, rejected: 1 });
  });

  it('applies the size limit to chunked callbacks', async () => {
    const host = await searching({ maxCallbackBytes: 1000 });
    const [head, rest] = [sized(1001).slice(0, 400), sized(1001).slice(400)];
    expect(nackIn(await host.callBack([head, rest], keepAlive))[0]).toBe(413);
    expect((await host.callBack([head, rest.slice(0, -1)])).text).toBe(ack);
    expect(await host.counted()).toEqual({ pending: 1, delivered: 1, rejected: 1 });
  });
});

/** A signature verifier whose result depends on the header, with its received calls. */
const verifying = () => {
  const calls: (readonly [authorization: string | undefined, body: string])[] = [];
  const results: Readonly<Record<string, Failure>> = {
    'Signature bad': unauthenticated('invalid'),
    'Signature unchecked': upstream('registry', 'timeout'),
    'Signature full': { kind: 'overloaded', retryAfterSeconds: 1 },
    'Signature bug': { kind: 'unexpected', cause: 'a bug' },
  };
  const verifier: CallbackVerifier = {
    verify: (authorization, body) => {
      calls.push([authorization, Buffer.from(body).toString('latin1')]);
      if (authorization === undefined) return errAsync(unauthenticated('missing'));
      const failure = results[authorization];
      const subscriberId = authorization === 'Signature foreign' ? 'other.example.org' : 'bpp.example.org';
      return failure ? errAsync(failure) : okAsync({ subscriberId });
    },
  };
  return { calls, verifier };
};

describe('callback signature', () => {
  const legs = [aLeg('moa'), aLeg('mh', { verifyCallbacks: true })];

  it('verifies a signature over the received bytes and accepts it from the seller', async () => {
    const { calls, verifier } = verifying();
    const host = await searching({ legs, verifier });
    const callback = ` ${onSearch(mhId, { name: '漢' })}\r\n`;
    expect((await host.callBack(callback, { authorization: 'Signature good' })).text).toBe(ack);
    expect(calls).toEqual([['Signature good', Buffer.from(callback).toString('latin1')]]);
    expect(await host.counted()).toEqual({ pending: 1, delivered: 1 });
  });

  it.each([
    ['missing', {}],
    ['not valid', { authorization: 'Signature bad' }],
    ['from another subscriber', { authorization: 'Signature foreign' }],
  ])('refuses a signature that is %s and keeps the leg pending', async (_, headers) => {
    const host = await searching({ legs, verifier: verifying().verifier });
    const response = await host.callBack(onSearch(mhId, { forged: true }), headers);
    const message = 'The signature is missing or not valid.';
    expect(nackIn(response)).toEqual([401, { code: 'unauthenticated', message }]);
    expect(response.headers['www-authenticate']).toBe('Signature realm="portico",headers="(created) (expires) digest"');
    expect(await host.counted()).toEqual({ pending: 2, rejected: 1 });

    await host.callBack(onSearch(mhId), { authorization: 'Signature good' });
    await host.callBack(onSearch(moaId));
    expect((await host.response).json).toMatchObject({ mh: { message: { catalog: { providers: [] } } } });
  });

  it.each([
    [
      'the registry fails',
      'unchecked',
      503,
      'upstream-failure',
      'The callback cannot be accepted now. Send it again later.',
    ],
    ['the registry is full', 'full', 503, 'overloaded', 'The callback cannot be accepted now. Send it again later.'],
    ['the verifier has a bug', 'bug', 500, 'internal', internal.detail],
  ])('returns a NACK with a 5xx status if %s', async (_, result, status, code, message) => {
    const host = await searching({ legs, verifier: verifying().verifier });
    const response = await host.callBack(onSearch(mhId), { authorization: `Signature ${result}` });
    expect(nackIn(response)).toEqual([status, { code, message }]);
    expect(response.headers['www-authenticate']).toBeUndefined();
    expect(await host.counted()).toEqual({ pending: 2, rejected: 1 });
    expect(host.errors).toEqual(result === 'bug' ? ['a bug'] : []);
  });

  it.each([{}, { authorization: 'Signature bad' }, { authorization: 'Signature unchecked' }])(
    'ignores the signature for a leg that does not require one: %j',
    async (headers) => {
      const { calls, verifier } = verifying();
      const host = await searching({ legs, verifier });
      expect((await host.callBack(onSearch(moaId), headers)).text).toBe(ack);
      expect(await host.counted()).toEqual({ pending: 1, delivered: 1 });
      expect(calls).toEqual([]);
    },
  );

  it('ignores the signature of late and unknown callbacks', async () => {
    const { calls, verifier } = verifying();
    const host = await searching({ legs, verifier });
    host.clock.advance(10_000);
    expect((await host.callBack(onSearch(mhId), { authorization: 'Signature bad' })).text).toBe(ack);
    expect((await host.callBack(onSearch(transactionId(99)))).text).toBe(ack);
    expect(await host.counted()).toEqual({ pending: 0, late: 1, unknown: 1 });
    expect(calls).toEqual([]);
  });

  it.each([
    ['with escaped characters', (callback: string) => callback.replace('0000', '\\u0030000')],
    ['with an escaped name', (callback: string) => callback.replace('transaction_id', 'transaction\\u005fid')],
    [
      'after many other fields of that name',
      (callback: string) => `{"x":[${'{"transaction_id":"x"},'.repeat(20)}0],${callback.slice(1)}`,
    ],
  ])('requires a signature for a transaction_id %s', async (_, disguised) => {
    const host = await searching({ legs, verifier: verifying().verifier });
    const callback = disguised(onSearch(mhId));
    expect(JSON.parse(callback)).toMatchObject({ context: { transaction_id: mhId } });
    expect((await host.callBack(callback)).status).toBe(401);
    expect(await host.counted()).toEqual({ pending: 2, rejected: 1 });
    expect((await host.callBack(callback, { authorization: 'Signature good' })).text).toBe(ack);
  });

  it.each([
    ['Signature good', 'Signature bad'],
    ['Signature good', 'Signature good'],
    ['Bearer x', 'Signature good'],
  ])('refuses two Authorization fields: %s, %s', async (...fields) => {
    const host = await searching({ legs, verifier: verifying().verifier });
    const body = onSearch(mhId);
    const head = fields.map((field) => `Authorization: ${field}\r\n`).join('');
    const socket = await openSocket(host.port);
    socket.write(
      `POST /on_search HTTP/1.1\r\nHost: portal\r\n${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 401 /);
    expect(await host.counted()).toEqual({ pending: 2, rejected: 1 });
  });

  it('verifies no signature if no leg requires one', async () => {
    const { calls, verifier } = verifying();
    const host = await searching({ verifier });
    expect((await host.callBack(onSearch(moaId), { authorization: 'Signature bad' })).text).toBe(ack);
    expect(calls).toEqual([]);
  });
});

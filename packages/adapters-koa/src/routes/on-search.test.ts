import { gzipSync } from 'node:zlib';
import { type CallbackVerifier, type Failure, unauthenticated, upstream } from '@portico/core';
import { aLeg } from '@portico/core/testing';
import { errAsync, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { type Answer, dial, restOf, send } from '../server/portal.test.support.ts';
import {
  mhId,
  moaId,
  onSearch,
  type SearchHostSettings,
  serveSearch,
  transactionId,
} from '../server/search.test.support.ts';

/** A server with one search under way, whose legs `moa` and `mh` wait under `moaId` and `mhId`. */
const searching = async (settings: SearchHostSettings = {}) => {
  const host = await serveSearch(settings);
  const answer = host.search();
  answer.catch(() => {}); // Where it does not matter, it ends with the server.
  await host.posted(2);
  return { ...host, answer };
};

const ack = '{"message":{"ack":{"status":"ACK"}}}';

const nackIn = ({ status, headers, text }: Answer) => {
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const { message, error, ...more } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  expect([message, more]).toEqual([{ ack: { status: 'NACK' } }, {}]);
  return [status, error];
};

describe('a callback is acknowledged', () => {
  it.each(['/on_search', '/on_search/', '/on_search?seller=1'])('at %s', async (path) => {
    const host = await searching({ legs: [aLeg('moa'), aLeg('mh')] });
    const { status, headers, text } = await host.callBack(onSearch(moaId), {}, path);
    expect([status, headers['content-type'], text]).toEqual([200, 'application/json; charset=utf-8', ack]);
    expect(await host.counted()).toEqual({ pending: 1, delivered: 1 });
  });

  it('whether it is awaited, repeated, late or unknown, and each is counted apart', async () => {
    const host = await searching();
    const said = [await host.callBack(onSearch(moaId)), await host.callBack(onSearch(moaId))];
    host.clock.advance(10_000);
    said.push(await host.callBack(onSearch(mhId)), await host.callBack(onSearch(moaId)));
    said.push(await host.callBack(onSearch(transactionId(99))), await host.callBack(onSearch('x'.repeat(256))));
    expect(said.map(({ status, text }) => `${status} ${text}`)).toEqual(Array.from({ length: 6 }, () => `200 ${ack}`));
    expect(await host.counted()).toEqual({ pending: 0, delivered: 1, duplicate: 2, late: 1, unknown: 2 });
  });

  it.each(['text/plain', 'application/octet-stream', 'application/json; charset=utf-8', undefined])(
    'whatever it calls its JSON: %s',
    async (type) => {
      const host = await searching();
      const headers = type === undefined ? {} : { 'content-type': type };
      expect((await send(host.port, 'POST', '/on_search', { body: onSearch(moaId), headers })).text).toBe(ack);
    },
  );

  it('with more in it than we know, and kept as it came', async () => {
    const host = await searching();
    const callback = `  {"context":{"b":1.0,"action":"on_search","transaction_id":"${moaId}","n":12345678901234567890},"z":null}\n`;
    await host.callBack(callback);
    await host.callBack(onSearch(mhId));
    expect((await host.answer).text).toContain(`"moa":${callback},"mh":`);
  });

  it('however many come at once', async () => {
    const host = await searching();
    const all = await Promise.all(Array.from({ length: 20 }, () => host.callBack(onSearch(moaId))));
    expect(all.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, () => ack));
    expect(await host.counted()).toEqual({ pending: 1, delivered: 1, duplicate: 19 });
  });
});

it('the first callback wins', async () => {
  const host = await searching();
  for (const nth of [1, 2]) await host.callBack(onSearch(moaId, { nth }));
  for (const nth of [3, 4]) await host.callBack(onSearch(mhId, { nth }));
  expect((await host.answer).json).toMatchObject({
    moa: { message: { catalog: { nth: 1 } } },
    mh: { message: { catalog: { nth: 3 } } },
  });
});

describe('what is no callback', () => {
  const notJson = 'This is not an on_search callback.  must be valid JSON in UTF-8, not nested too deep.';
  const noId = 'This is not an on_search callback. /context/transaction_id must be a string of 1 to 256 characters.';
  const otherAction = 'This is not an on_search callback. /context/action must be on_search.';

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', notJson],
    ['a form', `transaction_id=${moaId}`, notJson],
    ['JSON that breaks off', onSearch(moaId).slice(0, -1), notJson],
    ['JSON in UTF-16', Buffer.from(onSearch(moaId), 'utf16le'), notJson],
    ['JSON behind a byte order mark', `\uFEFF${onSearch(moaId)}`, notJson],
    ['compressed JSON', gzipSync(onSearch(moaId)), notJson],
    ['null', 'null', noId],
    ['a list', `[${onSearch(moaId)}]`, noId],
    ['without context', '{"message":{"catalog":{}}}', noId],
    ['with no context to speak of', '{"context":null}', noId],
    ['without a transaction_id', '{"context":{"action":"on_search"}}', noId],
    ['with an empty one', '{"context":{"action":"on_search","transaction_id":""}}', noId],
    ['with a number for one', '{"context":{"action":"on_search","transaction_id":1}}', noId],
    ['with too long a one', onSearch('x'.repeat(257)), noId],
    ['without an action', `{"context":{"transaction_id":"${moaId}"}}`, otherAction],
    ['for another action', `{"context":{"action":"on_select","transaction_id":"${moaId}"}}`, otherAction],
    ['the search itself', `{"context":{"action":"search","transaction_id":"${moaId}"}}`, otherAction],
  ])('is refused, and settles nothing: %s', async (_, body, message) => {
    const host = await searching();
    expect(nackIn(await host.callBack(body))).toEqual([400, { code: 'invalid-request', message }]);
    expect(await host.counted()).toEqual({ pending: 2, rejected: 1 });
    expect((await host.callBack(onSearch(moaId))).text).toBe(ack);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])('is asked for by %s', async (method) => {
    const { port } = await serveSearch();
    const { status, headers } = await send(port, method, '/on_search');
    expect([status, headers['allow']]).toEqual([405, 'POST']);
  });

  it('is broken off by a seller that leaves, which is nobody’s bug', async () => {
    const host = await searching();
    const socket = await dial(host.port);
    socket.write('POST /on_search HTTP/1.1\r\nHost: bap\r\nContent-Length: 99\r\n\r\n{"context":');
    socket.end();
    await restOf(socket);
    expect(await host.counted()).toEqual({ pending: 2 });
    expect(host.errors).toEqual([]);
  });
});

/** A callback of so many bytes, which are two more than its characters. */
const sized = (bytes: number) => onSearch(moaId, { name: '漢' }).padEnd(bytes - 2);

describe('the largest callback', () => {
  const keepAlive = { connection: 'keep-alive' };

  it.each([
    [{}, 5_242_880],
    [{ maxCallbackBytes: 1000 }, 1000],
  ])('%j is %i bytes', async (settings, bytes) => {
    const host = await searching(settings);
    const message = `A callback may have at most ${bytes} bytes.`;
    const tooLarge = await host.callBack(sized(bytes + 1), keepAlive);
    expect(nackIn(tooLarge)).toEqual([413, { code: 'too-large', message }]);
    expect(await host.counted()).toEqual({ pending: 2, rejected: 1 });
    const largest = await host.callBack(sized(bytes));
    expect([largest.status, largest.text]).toEqual([200, ack]);
    expect(await host.counted()).toEqual({ pending: 1, delivered: 1, rejected: 1 });
  });

  it('is counted as it comes when its length is not announced', async () => {
    const host = await searching({ maxCallbackBytes: 1000 });
    const [head, rest] = [sized(1001).slice(0, 400), sized(1001).slice(400)];
    expect(nackIn(await host.callBack([head, rest], keepAlive))[0]).toBe(413);
    expect((await host.callBack([head, rest.slice(0, -1)])).text).toBe(ack);
    expect(await host.counted()).toEqual({ pending: 1, delivered: 1, rejected: 1 });
  });
});

/** A registry's opinion, by what the header says; and everything that was put to it. */
const verifying = () => {
  const asked: (readonly [authorization: string | undefined, body: string])[] = [];
  const opinions: Readonly<Record<string, Failure>> = {
    'Signature bad': unauthenticated('invalid'),
    'Signature unchecked': upstream('registry', 'timeout'),
    'Signature full': { kind: 'overloaded', retryAfterSeconds: 1 },
    'Signature bug': { kind: 'unexpected', cause: 'a bug' },
  };
  const verifier: CallbackVerifier = {
    verify: (authorization, body) => {
      asked.push([authorization, Buffer.from(body).toString('latin1')]);
      if (authorization === undefined) return errAsync(unauthenticated('missing'));
      const failure = opinions[authorization];
      const subscriberId = authorization === 'Signature foreign' ? 'other.example.org' : 'bpp.example.org';
      return failure ? errAsync(failure) : okAsync({ subscriberId });
    },
  };
  return { asked, verifier };
};

describe('the signature of a callback', () => {
  const legs = [aLeg('moa'), aLeg('mh', { verifyCallbacks: true })];

  it('is good when it is the seller’s own, over the very bytes that came', async () => {
    const { asked, verifier } = verifying();
    const host = await searching({ legs, verifier });
    const callback = ` ${onSearch(mhId, { name: '漢' })}\r\n`;
    expect((await host.callBack(callback, { authorization: 'Signature good' })).text).toBe(ack);
    expect(asked).toEqual([['Signature good', Buffer.from(callback).toString('latin1')]]);
    expect(await host.counted()).toEqual({ pending: 1, delivered: 1 });
  });

  it.each([
    ['missing', {}],
    ['not valid', { authorization: 'Signature bad' }],
    ['somebody else’s', { authorization: 'Signature foreign' }],
  ])('is refused when it is %s, and the leg waits on', async (_, headers) => {
    const host = await searching({ legs, verifier: verifying().verifier });
    const answer = await host.callBack(onSearch(mhId, { forged: true }), headers);
    const message = 'The signature is missing or not valid.';
    expect(nackIn(answer)).toEqual([401, { code: 'unauthenticated', message }]);
    expect(answer.headers['www-authenticate']).toBe('Signature realm="portico",headers="(created) (expires) digest"');
    expect(await host.counted()).toEqual({ pending: 2, rejected: 1 });

    await host.callBack(onSearch(mhId), { authorization: 'Signature good' });
    await host.callBack(onSearch(moaId));
    expect((await host.answer).json).toMatchObject({ mh: { message: { catalog: { providers: [] } } } });
  });

  it.each([
    ['the registry fails', 'unchecked', 503, 'upstream-failure', 'The callback cannot be taken now; send it again.'],
    ['the registry is full', 'full', 503, 'overloaded', 'The callback cannot be taken now; send it again.'],
    ['we have a bug', 'bug', 500, 'internal', 'Something went wrong on our side.'],
  ])('that cannot be checked because %s is not held against the seller', async (_, opinion, status, code, message) => {
    const host = await searching({ legs, verifier: verifying().verifier });
    const answer = await host.callBack(onSearch(mhId), { authorization: `Signature ${opinion}` });
    expect(nackIn(answer)).toEqual([status, { code, message }]);
    expect(answer.headers['www-authenticate']).toBeUndefined();
    expect(await host.counted()).toEqual({ pending: 2, rejected: 1 });
    expect(host.errors).toEqual(opinion === 'bug' ? ['a bug'] : []);
  });

  it.each([{}, { authorization: 'Signature bad' }, { authorization: 'Signature unchecked' }])(
    'does not matter on a leg that does not ask for it: %j',
    async (headers) => {
      const { asked, verifier } = verifying();
      const host = await searching({ legs, verifier });
      expect((await host.callBack(onSearch(moaId), headers)).text).toBe(ack);
      expect(await host.counted()).toEqual({ pending: 1, delivered: 1 });
      expect(asked).toEqual([]);
    },
  );

  it('does not matter once nobody waits', async () => {
    const { asked, verifier } = verifying();
    const host = await searching({ legs, verifier });
    host.clock.advance(10_000);
    expect((await host.callBack(onSearch(mhId), { authorization: 'Signature bad' })).text).toBe(ack);
    expect((await host.callBack(onSearch(transactionId(99)))).text).toBe(ack);
    expect(await host.counted()).toEqual({ pending: 0, late: 1, unknown: 1 });
    expect(asked).toEqual([]);
  });

  it.each([
    ['that is spelled in escapes', (callback: string) => callback.replace('0000', '\\u0030000')],
    ['whose name is', (callback: string) => callback.replace('transaction_id', 'transaction\\u005fid')],
    [
      'behind many others',
      (callback: string) => `{"x":[${'{"transaction_id":"x"},'.repeat(20)}0],${callback.slice(1)}`,
    ],
  ])('is wanted also with a transaction_id %s', async (_, disguised) => {
    const host = await searching({ legs, verifier: verifying().verifier });
    const callback = disguised(onSearch(mhId));
    expect(JSON.parse(callback)).toMatchObject({ context: { transaction_id: mhId } });
    expect((await host.callBack(callback)).status).toBe(401);
    expect(await host.counted()).toEqual({ pending: 2, rejected: 1 });
  });

  it('is not even looked at when no leg asks for it', async () => {
    const { asked, verifier } = verifying();
    const host = await searching({ verifier });
    expect((await host.callBack(onSearch(moaId), { authorization: 'Signature bad' })).text).toBe(ack);
    expect(asked).toEqual([]);
  });
});

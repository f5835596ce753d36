import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  type Envelope,
  type Failure,
  type Leg,
  type LegFailure,
  memorySentSearches,
  networkProfiles,
  type SearchSigner,
  upstream,
} from '@portico/core';
import { type FakeClock, fakeClock, fakeSearchSigner, searchTransportContract } from '@portico/core/testing';
import { err, ok, okAsync, ResultAsync } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ed25519Signer, parseSignatureHeader, verifySignature } from './signature.ts';
import {
  closedPort,
  describeOnce,
  contractRunner,
  httpServer,
  tappedFetch,
  tcpServer,
  watchedSignal,
} from '../http/local-servers.test.support.ts';
import { httpSearchTransport, type SearchTransportSettings } from './search-transport.ts';

let clock: FakeClock;

beforeEach(() => {
  clock = fakeClock(1_767_225_600_999);
});

afterEach(async () => {
  await expect.poll(() => clock.scheduled, { interval: 1, message: 'timers that are still scheduled' }).toBe(0);
});

const aLeg = (gatewayUrl: string, differences: Partial<Leg> = {}): Leg => ({
  id: 'moa',
  label: 'The first network',
  domain: 'schemes:health',
  version: '1.1.0',
  city: 'std:080',
  categoryCode: 'health-cover',
  bapId: 'bap.example.org',
  bapUri: 'https://bap.example.org',
  gatewayUrl,
  gatewayPath: '/search',
  ttl: 'PT10M',
  ...differences,
});

const envelope: Envelope = {
  context: {
    domain: 'schemes:health',
    action: 'search',
    version: '1.1.0',
    bap_id: 'bap.example.org',
    bap_uri: 'https://bap.example.org',
    transaction_id: '00000000-0000-4000-8000-000000000001',
    message_id: '00000000-0000-4000-8000-000000000002',
    timestamp: '2026-01-01T00:00:00.999Z',
    ttl: 'PT10M',
    city: 'std:080',
  },
  message: {
    intent: { category: { descriptor: { code: 'health-cover' } }, item: { descriptor: { name: '漢 "x"' } } },
  },
};

const bytesOfEnvelope =
  '{"context":{"domain":"schemes:health","action":"search","version":"1.1.0","bap_id":"bap.example.org",' +
  '"bap_uri":"https://bap.example.org","transaction_id":"00000000-0000-4000-8000-000000000001",' +
  '"message_id":"00000000-0000-4000-8000-000000000002","timestamp":"2026-01-01T00:00:00.999Z","ttl":"PT10M",' +
  '"city":"std:080"},"message":{"intent":{"category":{"descriptor":{"code":"health-cover"}},' +
  '"item":{"descriptor":{"name":"漢 \\"x\\""}}}}}';

const post = (leg: Leg, settings: SearchTransportSettings = {}, signal = watchedSignal()) =>
  httpSearchTransport({ clock, ...settings }).post(leg, envelope, signal);

const acknowledge = (response: ServerResponse) => void response.end('{"message":{"ack":{"status":"ACK"}}}');

/** The detail of a cancelled post. */
const cancelledDetail = 'the network could not be reached: connection failed';

const unreachable = (detail: string) => err<never, LegFailure>({ kind: 'bap_unreachable', detail });

describe('an envelope', () => {
  it('an envelope is posted as UTF-8 JSON with its fields in order', async () => {
    const server = await httpServer(acknowledge);
    await post(aLeg(server.url));
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/search',
        body: bytesOfEnvelope,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'content-length': String(Buffer.byteLength(bytesOfEnvelope)),
        },
      },
    ]);
  });

  it.each([
    ['', '/search', '/search'],
    ['/', '/search', '/search'],
    ['/beckn//', '/bap/caller/search/', '/beckn/bap/caller/search/'],
    ['', '/search?network=mh', '/search?network=mh'],
  ])('an envelope is posted to the gateway URL %j plus the path %s', async (base, gatewayPath, path) => {
    const server = await httpServer(acknowledge);
    expect(await post(aLeg(server.url + base, { gatewayPath }))).toEqual(ok({ outcome: 'ack' }));
    expect(server.requests.map((request) => request.path)).toEqual([path]);
  });

  it('an envelope is posted to the gateway of its leg', async () => {
    const [first, second] = [await httpServer(acknowledge), await httpServer(acknowledge)];
    const transport = httpSearchTransport({ clock });
    await Promise.all([
      transport.post(aLeg(first.url), envelope, watchedSignal()),
      transport.post(aLeg(second.url, { id: 'mh', gatewayPath: '/bap/caller/search/' }), envelope, watchedSignal()),
    ]);
    expect([first, second].map(({ requests }) => requests.map(({ path }) => path))).toEqual([
      ['/search'],
      ['/bap/caller/search/'],
    ]);
  });
});

const signedBy = (signer: SearchSigner) => ({
  signing: { mh: { subscriberId: 'bap.example.org', uniqueKeyId: 'key-1', signer } },
});

describe('what was sent', () => {
  const { d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const privateKey = Buffer.from(d, 'base64url').toString('base64');
  const signing = { mh: { subscriberId: 'bap.example.org', uniqueKeyId: 'key-1', privateKey } };
  const transactionId = envelope.context.transaction_id;

  it('is remembered before the post, with the signature of the request, for a leg that verifies callbacks', async () => {
    const sent = memorySentSearches({ clock });
    let atArrival: ReturnType<typeof sent.find> | undefined;
    const server = await httpServer((response) => {
      atArrival = sent.find(transactionId);
      acknowledge(response);
    });
    await post(aLeg(server.url, { id: 'mh', verifyCallbacks: true }), { signing, sent });
    const [, signature] = /signature="([^"]+)"/.exec(String(server.requests[0]?.headers.authorization)) ?? [];
    expect(await atArrival).toEqual(ok({ legId: 'mh', signature }));
  });

  it('is not posted before it is remembered', async () => {
    const remembered = Promise.withResolvers<void>();
    const sent = { remember: () => remembered.promise, find: () => okAsync(undefined) };
    const server = await httpServer(acknowledge);
    const posted = post(aLeg(server.url, { verifyCallbacks: true }), { sent });
    // Other posts get through, so this one would have, too.
    await post(aLeg(server.url), { sent });
    expect(server.requests).toHaveLength(1);
    remembered.resolve();
    expect((await posted).isOk()).toBe(true);
    expect(server.requests).toHaveLength(2);
  });

  it('is remembered without a signature when the request has none, by either name of the transaction id', async () => {
    const sent = memorySentSearches({ clock });
    const server = await httpServer(acknowledge);
    const camelCase = { context: { transactionId: 'transaction-2' }, message: {} } as unknown as Envelope;
    const leg = aLeg(server.url, { verifyCallbacks: true });
    await httpSearchTransport({ clock, sent }).post(leg, camelCase, watchedSignal());
    expect(await sent.find('transaction-2')).toEqual(ok({ legId: 'moa', signature: undefined }));
  });

  it('is not remembered for a leg that does not verify callbacks', async () => {
    const sent = memorySentSearches({ clock });
    const server = await httpServer(acknowledge);
    await post(aLeg(server.url, { id: 'mh' }), { signing, sent });
    expect(await sent.find(transactionId)).toEqual(ok(undefined));
  });
});

describe('a leg without a path', () => {
  it('is posted to the path of its profile', async () => {
    const server = await httpServer(acknowledge);
    const { gatewayPath: _, ...leg } = aLeg(`${server.url}/beckn/`);
    await post(leg);
    await post({ ...leg, profile: 'beckn-2.0' });
    await post({ ...leg, profile: { ...networkProfiles['ondc-1.2'], gatewayPath: '/own' } });
    expect(server.requests.map(({ path }) => path)).toEqual(['/beckn/search', '/beckn/discover', '/beckn/own']);
  });
});

describe('a signature', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url').toString('base64');
  const signing = { mh: { subscriberId: 'bap.example.org', uniqueKeyId: 'key-1', privateKey: seed } };

  const withInvalidKey = () => httpSearchTransport({ signing: { mh: { ...signing.mh, privateKey: 'hunter2' } } });

  const signed = async () => {
    const server = await httpServer(acknowledge);
    await post(aLeg(server.url, { id: 'mh' }), { signing });
    const [request] = server.requests;
    const authorization = String(request?.headers['authorization']);
    return { authorization, header: parseSignatureHeader(authorization)!, body: Buffer.from(request?.body ?? '') };
  };

  it('covers exactly the bytes that are sent', async () => {
    const { header, body } = await signed();
    expect(String(body)).toBe(bytesOfEnvelope);
    expect(verifySignature(header, body, publicKey)).toBe(true);
    expect(verifySignature(header, Buffer.concat([body, Buffer.from(' ')]), publicKey)).toBe(false);
  });

  it("a signature has the leg's signer, and is valid for five minutes in whole seconds of the clock", async () => {
    clock.advance(1600);
    const { authorization, header } = await signed();
    expect(authorization).toMatch(
      /^Signature keyId="bap\.example\.org\|key-1\|ed25519",algorithm="ed25519",created="1767225602",expires="1767225902",headers="\(created\) \(expires\) digest",signature="[\w+/]{86}=="$/,
    );
    expect([header.created, header.expires]).toEqual([1_767_225_602, 1_767_225_902]);
  });

  describe('of a signer that holds the key elsewhere', () => {
    const failed = unreachable('the search could not be signed');

    it('is sent with the ids of the subscriber', async () => {
      const server = await httpServer(acknowledge);
      await post(aLeg(server.url, { id: 'mh' }), signedBy(ed25519Signer(seed)));
      const [request] = server.requests;
      const header = parseSignatureHeader(String(request?.headers['authorization']))!;
      expect(header).toMatchObject({ subscriberId: 'bap.example.org', uniqueKeyId: 'key-1' });
      expect(verifySignature(header, Buffer.from(request?.body ?? ''), publicKey)).toBe(true);
    });

    it('is missing when the signer fails, so the search is not sent', async () => {
      const server = await httpServer(acknowledge);
      const signer = fakeSearchSigner();
      signer.failWith(upstream('search', 'unreachable'));
      expect(await post(aLeg(server.url, { id: 'mh' }), signedBy(signer))).toEqual(failed);
      expect(server.requests).toEqual([]);
    });

    it.each([
      [
        'throws',
        () => {
          throw new Error('hunter2');
        },
      ],
      ['rejects', () => new ResultAsync(Promise.reject(new Error('hunter2')))],
      ['returns too few bytes', () => okAsync(new Uint8Array(63))],
    ] as const)('is missing when the signer %s', async (_, sign) => {
      const server = await httpServer(acknowledge);
      const signer = { sign } as SearchSigner;
      expect(await post(aLeg(server.url, { id: 'mh' }), signedBy(signer))).toEqual(failed);
      expect(server.requests).toEqual([]);
    });

    it('is not waited for longer than an acknowledgement', async () => {
      const server = await httpServer(acknowledge);
      const signer = { sign: () => new ResultAsync<Uint8Array, Failure>(new Promise(() => {})) };
      const posted = post(aLeg(server.url, { id: 'mh' }), { ...signedBy(signer), ackTimeoutMs: 700 });
      clock.advance(700);
      expect(await posted).toEqual(unreachable('the search was not signed in time'));
      expect(server.requests).toEqual([]);
    });

    it('is not waited for when the search is already cancelled', async () => {
      const server = await httpServer(acknowledge);
      const signer = { sign: () => new ResultAsync<Uint8Array, Failure>(new Promise(() => {})) };
      const signal = watchedSignal();
      signal.abort();
      expect(await post(aLeg(server.url, { id: 'mh' }), signedBy(signer), signal)).toEqual(failed);
      expect([server.requests, signal.listeners]).toEqual([[], 0]);
    });

    it('is not waited for after the search is cancelled', async () => {
      const server = await httpServer(acknowledge);
      const signer = { sign: () => new ResultAsync<Uint8Array, Failure>(new Promise(() => {})) };
      const signal = watchedSignal();
      const posted = post(aLeg(server.url, { id: 'mh' }), signedBy(signer), signal);
      signal.abort();
      expect(await posted).toEqual(failed);
      expect([server.requests, signal.listeners]).toEqual([[], 0]);
    });
  });

  it('a signature is absent on a leg without a signing key', async () => {
    const server = await httpServer(acknowledge);
    await post(aLeg(server.url, { id: 'moa' }), { signing });
    await post(aLeg(server.url, { id: 'moa' }), { signing, fetch });
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([undefined, undefined]);
  });

  it.each([{ subscriberId: 'a|b' }, { uniqueKeyId: '' }])(
    'throws for the invalid id %j when the transport is created',
    (ids) => {
      const withInvalidId = () => httpSearchTransport({ signing: { mh: { ...signing.mh, ...ids } } });
      expect(withInvalidId).toThrow('A subscriber id and a key id must be 1 to 255 visible ASCII characters');
    },
  );

  it('throws for an invalid key when the transport is created, without quoting the key', () => {
    expect(withInvalidKey).toThrow(TypeError);
    expect(withInvalidKey).not.toThrow(/hunter2/);
  });
});

describe('an acknowledgement', () => {
  it.each([
    ['a string', 200, '{"message":{"ack":"ACK"}}'],
    ['a status', 200, '{"message":{"ack":{"status":"ACK"}}}'],
    ['a status and other fields', 202, ' {"context":{},"message":{"ack":{"status":"ACK","tags":[]},"catalog":null}}\n'],
    ['an empty body', 200, ''],
    ['whitespace', 200, ' \r\n'],
    ['accepted', 202, ''],
    ['no content', 204, ''],
    ['another success', 299, ''],
    ['no message', 200, '{"ack":{"status":"ACK"}}'],
    ['a status in the message', 200, '{"message":{"status":"ACK"}}'],
    ['a status of Beckn 2.0', 200, '{"status":"ACK","signature":"canary"}'],
    ['JSON in a string', 200, JSON.stringify('{"message":{"ack":{"status":"ACK"}}}')],
    ['responses of a gateway', 200, '{"context":{},"responses":[]}'],
  ])('an acknowledgement is an ACK: %s, %i %j', async (_, status, body) => {
    const server = await httpServer((response) => void response.writeHead(status).end(body));
    const client = watchedSignal();
    expect(await post(aLeg(server.url), {}, client)).toEqual(ok({ outcome: 'ack' }));
    expect(client.listeners).toBe(0);
    expect(clock.scheduled).toBe(0);
  });

  it.each(['text/plain', 'text/html', 'application/problem+json'])(
    'may be JSON with the media type %s',
    async (type) => {
      const server = await httpServer((response) => acknowledge(response.writeHead(200, { 'content-type': type })));
      expect(await post(aLeg(server.url))).toEqual(ok({ outcome: 'ack' }));
    },
  );

  it.each([
    ['with an ACK', '{"message":{"ack":{"status":"ACK"},"catalog":{"price":10.00}}}'],
    ['without an ACK', ' {"message" : {"catalog":{"bpp/providers":[],"id":12345678901234567890}}}\n'],
    ['of Beckn 2.0', '{"context":{"action":"on_discover"},"message":{"catalogs":[]}}'],
    ['with an empty catalog', '{"context":{"action":"on_search"},"message":{"catalog":{}}}'],
  ])('an acknowledgement may contain the catalog %s, returned byte for byte', async (_, text) => {
    const server = await httpServer((response) => void response.end(text));
    expect(await post(aLeg(server.url))).toEqual(
      ok({ outcome: 'catalog', callback: { text, bytes: Buffer.from(text), authorization: undefined } }),
    );
  });

  it('an acknowledgement may contain a catalog with a signature over its exact bytes', async () => {
    const text = '{"message":{"catalog":{}} }';
    const server = await httpServer((response) => void response.setHeader('Authorization', 'Signature a').end(text));
    expect(await post(aLeg(server.url))).toEqual(
      ok({ outcome: 'catalog', callback: { text, bytes: Buffer.from(text), authorization: 'Signature a' } }),
    );
  });
});

const notJson = 'the response from the network is not JSON';
const noAck = 'the network responded without an ACK';
const nack = 'the network rejected the search (NACK)';

describe('a failed post', () => {
  it('does not parse a response that is nested too deeply, also in a string', async (test) => {
    const parse = vi.spyOn(JSON, 'parse');
    test.onTestFinished(() => parse.mockRestore());
    const nested = `${'['.repeat(129)}${']'.repeat(129)}`;
    for (const body of [nested, JSON.stringify(nested)]) {
      const server = await httpServer((response) => void response.end(body));
      expect((await post(aLeg(server.url))).isErr()).toBe(true);
    }
    expect(parse.mock.calls.map(([text]) => text)).not.toContain(nested);
  });

  it.each([
    ['{"message":{"ack":"NACK"},"error":{"message":"canary"}}', nack],
    ['{"message":{"ack":{"status":"NACK"}},"error":{"message":"canary"}}', nack],
    ['{}', noAck],
    ['null', noAck],
    ['[]', noAck],
    ['"ACK"', noAck],
    ['{"message":"ACK"}', noAck],
    ['{"message":{"ack":{}}}', noAck],
    ['{"message":{"ack":"canary"}}', noAck],
    ['{"message":{"ack":true}}', noAck],
    ['{"message":{"ack":["ACK"]}}', noAck],
    ['{"ack":{"status":"NACK"}}', nack],
    ['{"message":{"status":"NACK"},"responses":[]}', nack],
    ['{"status":"NACK","error":{"message":"canary"}}', nack],
    ['{"message":{"ack":{"status":"NACK"},"catalog":{}}}', nack],
    ['{"message":{"ack":{"status":"NACK"},"catalogs":[]}}', nack],
    ['{"status":"active"}', noAck],
    [JSON.stringify('{"message":{"ack":"NACK"}}'), nack],
    [JSON.stringify(JSON.stringify('{"message":{"ack":"ACK"}}')), noAck],
    ['{"message":{"status":"PENDING"}}', noAck],
    ['{"responses":null}', noAck],
    ['{"message":{"catalog":"canary"}}', noAck],
    ['<!doctype html><title>canary</title>', notJson],
    ['ACK', notJson],
    ['['.repeat(100_000), 'the response from the network is nested too deeply'],
    [`${'['.repeat(128)}${']'.repeat(128)}`, noAck],
    [`${'['.repeat(129)}${']'.repeat(129)}`, 'the response from the network is nested too deeply'],
    [JSON.stringify(`${'['.repeat(129)}${']'.repeat(129)}`), noAck],
    ['{"message":{"ack":"ACK"}', notJson],
    [Buffer.from('{"message":{"ack":"ACK\xff"}}', 'latin1'), notJson],
  ])('fails for the body %s', async (body, detail) => {
    const server = await httpServer((response) => void response.end(body));
    expect(await post(aLeg(server.url))).toEqual(unreachable(detail));
    expect(server.requests).toHaveLength(1);
  });

  it.each([400, 401, 403, 404, 408, 429, 500, 502, 503, 504])('fails for status %i', async (status) => {
    const server = await httpServer((response) => {
      response.writeHead(status, { 'retry-after': '0' }).end('{"message":{"ack":{"status":"ACK"}},"at":"canary"}');
    });
    expect(await post(aLeg(server.url))).toEqual(unreachable(`the network responded with ${status}`));
    expect(server.requests).toHaveLength(1);
  });

  it('fails for a 401 with a NACK', async () => {
    const server = await httpServer((response) => {
      response.writeHead(401, { 'www-authenticate': 'Signature realm="canary"' });
      response.end('{"message":{"ack":{"status":"NACK"}},"error":{"code":"10001"}}');
    });
    expect(await post(aLeg(server.url))).toEqual(unreachable('the network responded with 401'));
  });

  it.each([301, 302, 303, 307, 308])('fails for a redirect %i, which is not followed', async (status) => {
    const target = await httpServer(acknowledge);
    const server = await httpServer((response) => {
      response.writeHead(status, { location: `${target.url}/search` }).end();
    });
    expect(await post(aLeg(server.url))).toEqual(unreachable(`the network responded with ${status}`));
    expect([server.requests.length, target.connections]).toEqual([1, 0]);
  });

  it('fails when the connection is refused', async () => {
    const { url } = await closedPort();
    expect(await post(aLeg(url))).toEqual(unreachable('the network could not be reached: connection refused'));
  });

  it.each([
    ['CERT_HAS_EXPIRED', 'TLS failed'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS failed'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS failed'],
    ['EAI_AGAIN', 'name not found'],
    ['EPIPE', 'connection reset'],
    ['MY_CERT_CANARY', 'connection failed'],
  ])('shows the code %s of a failed connection as: %s', async (code, detail) => {
    const fetch = () =>
      Promise.reject(new TypeError('canary', { cause: Object.assign(new Error('canary'), { code }) }));
    expect(await post(aLeg('http://gateway.test'), { fetch })).toEqual(
      unreachable(`the network could not be reached: ${detail}`),
    );
  });

  it.each(['reset', 'closed'])('fails without a retry when the connection is %s', async (how) => {
    const server = await tcpServer((socket) => void (how === 'reset' ? socket.resetAndDestroy() : socket.destroy()));
    expect(await post(aLeg(server.url))).toEqual(unreachable('the network could not be reached: connection reset'));
    expect(server.connections).toBe(1);
  });

  it.each(['reset', 'closed'])('fails when the connection is %s in the middle of the response', async (how) => {
    const server = await tcpServer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"message":', () =>
        how === 'reset' ? socket.resetAndDestroy() : socket.destroy(),
      ),
    );
    expect(await post(aLeg(server.url))).toEqual(unreachable('the network could not be reached: connection reset'));
    expect(server.connections).toBe(1);
  });

  it('fails when the host is unknown', async () => {
    expect(await post(aLeg('http://gateway.invalid'))).toEqual(
      unreachable('the network could not be reached: name not found'),
    );
  });

  it('fails when the gateway does not speak TLS', async () => {
    const server = await httpServer(acknowledge, 'http');
    expect(await post(aLeg(server.url.replace('http:', 'https:')))).toEqual(
      unreachable('the network could not be reached: TLS failed'),
    );
    expect(server.requests).toEqual([]);
  });

  it.each(['canary\r\n\r\n', 'HTTP/1.1 canary\r\n\r\n'])(
    'fails when the gateway does not speak HTTP: %j',
    async (bytes) => {
      const server = await tcpServer((socket) => void socket.end(bytes));
      expect(await post(aLeg(server.url))).toEqual(unreachable('the network could not be reached: connection failed'));
      expect(server.connections).toBe(1);
    },
  );

  it('fails when the gateway URL is invalid', async () => {
    expect(await post(aLeg('canary'))).toEqual(unreachable('the network could not be reached: connection failed'));
  });
});

describe('the deadline of an acknowledgement', () => {
  const tooLate = unreachable('the network did not acknowledge in time');

  it.each([
    [{}, 5000],
    [{ ackTimeoutMs: 70 }, 70],
  ])('the deadline of an acknowledgement with the settings %j is %i ms', async (settings, ms) => {
    const server = await httpServer(() => {});
    const posted = post(aLeg(server.url), settings);
    await server.until(() => server.requests.length === 1);
    clock.advance(ms - 1);
    expect([clock.scheduled, server.open]).toEqual([1, 1]);
    clock.advance(1);
    expect(await posted).toEqual(tooLate);
    await server.until(() => server.open === 0);
    expect(server.requests).toHaveLength(1);
  });

  it('covers a body that never ends', async () => {
    const server = await httpServer((response) => void response.write('{"message":'));
    const posted = post(aLeg(server.url), { fetch: tappedFetch({ onHead: () => clock.advance(5000) }) });
    expect(await posted).toEqual(tooLate);
    await server.until(() => server.open === 0);
  });
});

describeOnce('the maximum size of an acknowledgement', () => {
  const text = '{"message":{"catalog":{}}}';
  const settings = { maxResponseBytes: text.length };

  it('accepts a catalog of exactly that size', async () => {
    const server = await httpServer((response) => void response.end(text));
    expect((await post(aLeg(server.url), settings)).isOk()).toBe(true);
  });

  it.each(['with a content length', 'in chunks'])('rejects one byte more %s', async (how) => {
    const server = await httpServer((response) => {
      if (how === 'with a content length') response.setHeader('content-length', text.length + 1);
      response.write(text);
      response.end(' ');
    });
    expect(await post(aLeg(server.url), settings)).toEqual(
      unreachable('the acknowledgement from the network is too large'),
    );
  });

  it.each([
    [5_242_880, true],
    [5_242_881, false],
  ])(
    'the maximum size of an acknowledgement is that of a callback: %i bytes, accepted: %s',
    async (length, accepted) => {
      const server = await httpServer((response) => void response.end(text.padEnd(length)));
      expect((await post(aLeg(server.url))).isOk()).toBe(accepted);
    },
  );
});

describe('a cancelled post', () => {
  it('closes its connection, and leaves no listener', async () => {
    const server = await httpServer(() => {});
    const client = watchedSignal();
    const posted = post(aLeg(server.url), {}, client);
    await server.until(() => server.requests.length === 1);
    client.abort();
    expect(await posted).toEqual(unreachable(cancelledDetail));
    await server.until(() => server.open === 0);
    expect(client.listeners).toBe(0);
    expect(clock.scheduled).toBe(0);
  });

  it('a cancelled post is never sent when the signal is already aborted', async () => {
    const server = await httpServer(acknowledge);
    const client = watchedSignal();
    client.abort();
    expect(await post(aLeg(server.url), {}, client)).toEqual(unreachable(cancelledDetail));
    expect(server.requests).toEqual([]);
  });

  it('does not affect posts to other networks', async () => {
    const responses: ServerResponse[] = [];
    const server = await httpServer((response) => void responses.push(response));
    const transport = httpSearchTransport({ clock });
    const client = watchedSignal();
    const cancelled = transport.post(aLeg(server.url), envelope, client);
    const other = transport.post(aLeg(server.url, { id: 'mh' }), envelope, watchedSignal());
    await server.until(() => server.requests.length === 2);
    client.abort();
    expect((await cancelled).isErr()).toBe(true);
    responses.forEach(acknowledge);
    expect(await other).toEqual(ok({ outcome: 'ack' }));
  });
});

searchTransportContract(contractRunner, async () => {
  const acking = await httpServer(acknowledge);
  const nacking = await httpServer((response) => void response.end('{"message":{"ack":{"status":"NACK"}}}'));
  const garbage = await httpServer((response) => void response.end('<html>'));
  const catalog = await httpServer((response) => void response.end('{"message":{"catalog":{"n":1}}}'));
  const servers = [acking, nacking, garbage, catalog];
  return {
    transport: httpSearchTransport({ clock }),
    acking: aLeg(acking.url),
    nacking: aLeg(nacking.url),
    gone: aLeg((await closedPort()).url),
    silent: aLeg((await httpServer(() => {})).url),
    garbage: aLeg(garbage.url),
    catalog: aLeg(catalog.url),
    received: () => servers.reduce((sum, { requests }) => sum + requests.length, 0),
  };
});

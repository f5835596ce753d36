import { toJson, upstream } from '@portico/core';
import { aMember, fakeClock } from '@portico/core/testing';
import { err } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { httpClaims } from './claims.ts';
import { httpServer, tcpServer, valueOf } from '../http/local-servers.test.support.ts';

const filed = '{"locator":"CLM-9","amount":12345678901234567890.10}';

const answering = (status: number, body = filed) =>
  httpServer((response) =>
    status === 204
      ? response.writeHead(204).end()
      : response.writeHead(status, { 'content-type': 'application/json' }).end(body),
  );

describe('a draft', () => {
  it('that is filed at once is a claim, as the claims system wrote it', async () => {
    const { url } = await answering(201);
    expect(await valueOf(httpClaims({ url }).submit(aMember(), toJson({ amount: 1 })))).toEqual({
      outcome: 'created',
      claim: { text: filed, value: JSON.parse(filed) },
    });
  });

  it('that is taken in to be filed later is accepted', async () => {
    const { url } = await answering(202);
    expect(await valueOf(httpClaims({ url }).submit(aMember(), toJson({ amount: 1 })))).toEqual({
      outcome: 'accepted',
      claim: { text: filed, value: JSON.parse(filed) },
    });
  });

  it('that is filed without a word is filed nevertheless', async () => {
    const { url } = await answering(204);
    expect(await valueOf(httpClaims({ url }).submit(aMember(), toJson({ amount: 1 })))).toEqual({
      outcome: 'created',
      claim: { text: '', value: undefined },
    });
  });

  it('is sent byte for byte', async () => {
    const server = await answering(201);
    const text = ' {"z":12345678901234567890.10,"a":"Zoë 漢字 😀 \\u00e9","10":1,"9":2}\n';
    await httpClaims({ url: server.url }).submit(aMember(), { text, value: JSON.parse(text) });
    expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/members/PTY-1/claims', body: text });
    expect(server.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    });
  });

  it('carries its idempotency key when the member gave one', async () => {
    const server = await answering(201);
    const claims = httpClaims({ url: server.url });
    await claims.submit(aMember(), { ...toJson({ a: 1 }), idempotencyKey: 'd3b0-"k"' });
    await claims.submit(aMember(), toJson({ a: 1 }));
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['d3b0-"k"', undefined]);
  });

  it('is never sent twice, with an idempotency key neither', async () => {
    const server = await tcpServer((socket) => socket.resetAndDestroy());
    const draft = { ...toJson({ a: 1 }), idempotencyKey: 'once' };
    expect(await httpClaims({ url: server.url }).submit(aMember(), draft)).toEqual(
      err(upstream('claims', 'unreachable')),
    );
    expect(server.requests).toHaveLength(1);
  });

  it('is not sent twice either when the claims system takes too long', async () => {
    const clock = fakeClock();
    const server = await httpServer(() => {});
    const answer = httpClaims({ url: server.url, clock, timeoutMs: 300 }).submit(aMember(), toJson({ a: 1 }));
    await server.until(() => server.requests.length === 1);
    clock.advance(300);
    expect(await answer).toEqual(err(upstream('claims', 'timeout')));
    await server.until(() => server.open === 0);
    expect([server.requests.length, clock.scheduled]).toEqual([1, 0]);
  });

  it.each([400, 409, 422, 503])('that is answered %i has not been filed', async (status) => {
    const server = await answering(status, '{"canary":true}');
    expect(await httpClaims({ url: server.url }).submit(aMember(), toJson({ a: 1 }))).toEqual(
      err(upstream('claims', 'status')),
    );
    expect(server.requests).toHaveLength(1);
  });
});

import { toJson, upstream, upstreamStatus } from '@portico/core';
import { aMember, fakeClock } from '@portico/core/testing';
import { err } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { httpClaims } from './claims.ts';
import { httpServer, tcpServer, valueOf } from '../http/local-servers.test.support.ts';

const createdClaim = '{"locator":"CLM-9","amount":12345678901234567890.10}';

const respondWith = (status: number, body = createdClaim) =>
  httpServer((response) =>
    status === 204
      ? response.writeHead(204).end()
      : response.writeHead(status, { 'content-type': 'application/json' }).end(body),
  );

describe('a claim draft', () => {
  it('returns the created claim byte for byte on 201', async () => {
    const { url } = await respondWith(201);
    expect(await valueOf(httpClaims({ url }).submit(aMember(), toJson({ amount: 1 })))).toEqual({
      outcome: 'created',
      claim: { text: createdClaim, value: JSON.parse(createdClaim) },
    });
  });

  it('a claim draft is accepted for later on 202', async () => {
    const { url } = await respondWith(202);
    expect(await valueOf(httpClaims({ url }).submit(aMember(), toJson({ amount: 1 })))).toEqual({
      outcome: 'accepted',
      claim: { text: createdClaim, value: JSON.parse(createdClaim) },
    });
  });

  it('a claim draft is created with an empty claim on 204', async () => {
    const { url } = await respondWith(204);
    expect(await valueOf(httpClaims({ url }).submit(aMember(), toJson({ amount: 1 })))).toEqual({
      outcome: 'created',
      claim: { text: '', value: undefined },
    });
  });

  it('a claim draft is sent byte for byte', async () => {
    const server = await respondWith(201);
    const text = ' {"z":12345678901234567890.10,"a":"Zoë 漢字 😀 \\u00e9","10":1,"9":2}\n';
    await httpClaims({ url: server.url }).submit(aMember(), { text, value: JSON.parse(text) });
    expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/members/PTY-1/claims', body: text });
    expect(server.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    });
  });

  it('carries an idempotency key only when the member sent one', async () => {
    const server = await respondWith(201);
    const claims = httpClaims({ url: server.url });
    await claims.submit(aMember(), { ...toJson({ a: 1 }), idempotencyKey: 'd3b0-"k"' });
    await claims.submit(aMember(), toJson({ a: 1 }));
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['d3b0-"k"', undefined]);
  });

  it('a claim draft is never retried, even with an idempotency key', async () => {
    const server = await tcpServer((socket) => socket.resetAndDestroy());
    const draft = { ...toJson({ a: 1 }), idempotencyKey: 'once' };
    expect(await httpClaims({ url: server.url }).submit(aMember(), draft)).toEqual(
      err(upstream('claims', 'unreachable')),
    );
    expect(server.requests).toHaveLength(1);
  });

  it('a claim draft is not retried after a timeout', async () => {
    const clock = fakeClock();
    const server = await httpServer(() => {});
    const result = httpClaims({ url: server.url, clock, timeoutMs: 300 }).submit(aMember(), toJson({ a: 1 }));
    await server.until(() => server.requests.length === 1);
    clock.advance(300);
    expect(await result).toEqual(err(upstream('claims', 'timeout')));
    await server.until(() => server.open === 0);
    expect([server.requests.length, clock.scheduled]).toEqual([1, 0]);
  });

  it.each([400, 409, 422, 503])('fails with reason status on %i', async (status) => {
    const server = await respondWith(status, '{"canary":true}');
    expect(await httpClaims({ url: server.url }).submit(aMember(), toJson({ a: 1 }))).toEqual(
      err(upstreamStatus('claims', status)),
    );
    expect(server.requests).toHaveLength(1);
  });
});

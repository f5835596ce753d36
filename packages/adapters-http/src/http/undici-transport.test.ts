import { once } from 'node:events';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentLocator, Member } from '@portico/core';
import { upstream } from '@portico/core';
import { aMember, fakeClock } from '@portico/core/testing';
import { err } from 'neverthrow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { httpDocuments } from '../downstreams/documents.ts';
import { httpEligibility } from '../downstreams/eligibility.ts';
import { httpIdentity } from '../identity/identity.ts';
import { loopbackTls, tcpServer, valueOf } from './local-servers.test.support.ts';
import type { CircuitState } from '../resilience/circuit-breaker.ts';

type Respond = (response: Http2ServerResponse, request: Http2ServerRequest) => void;

const json: Respond = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

/** A server that offers HTTP/2 and HTTP/1.1 over TLS, as most servers and load balancers do. */
const bothProtocols = async (respond: Respond) => {
  const versions: string[] = [];
  const server = createSecureServer({ ...loopbackTls, allowHTTP1: true }, (request, response) => {
    versions.push(request.httpVersion);
    respond(response, request);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { versions, port, url: `https://127.0.0.1:${port}` };
};

/** A TCP proxy in front of a port, whose connections can be reset or silently lost. */
const proxyTo = async (port: number) => {
  const links: { readonly near: Socket; lose(): void }[] = [];
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    let isLost = false;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from
        .on('data', (chunk) => isLost || to.write(chunk))
        .on('error', () => {})
        .on('close', () => isLost || to.destroy());
    links.push({ near, lose: () => (isLost = true) });
    onTestFinished(() => {
      near.destroy();
      far.destroy();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { links, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const member: Member = aMember();
const locator = 'DOC-1' as DocumentLocator;

describe('a server that offers HTTP/2 and HTTP/1.1', () => {
  it('receives HTTP/1.1 from a downstream adapter', async () => {
    const server = await bothProtocols(json);
    await valueOf(httpEligibility({ url: server.url }).coverage(member));
    expect(server.versions).toEqual(['1.1']);
  });

  it('receives HTTP/1.1 from the identity adapter', async () => {
    const server = await bothProtocols(json);
    await httpIdentity({ issuer: server.url, audience: ['portico'] }).warm();
    expect(server.versions).toEqual(['1.1']);
  });

  it('fails only the requests in flight when a connection is silently lost', async () => {
    const clock = fakeClock();
    const server = await bothProtocols(json);
    const { links, url } = await proxyTo(server.port);
    const eligibility = httpEligibility({ url, clock, timeoutMs: 1000 });
    await valueOf(eligibility.coverage(member));
    await nextTurn(); // the pool marks the connection as free only now
    const lost = links[0]!;
    lost.lose();
    const inFlight = eligibility.coverage(member);
    await once(lost.near, 'data');
    clock.advance(1000);
    expect(await inFlight).toEqual(err(upstream('eligibility', 'timeout')));
    expect((await valueOf(eligibility.coverage(member))).text).toBe('{}');
    expect(links).toHaveLength(2);
  });

  it.each(['reset', 'closed'])('fails a document whose stream is %s midway', async (how) => {
    const server = await bothProtocols((response) => {
      response.writeHead(200, { 'content-type': 'application/pdf' });
      response.write('%PDF-1.7 cut', () => {
        if (how === 'closed' && response.stream) response.stream.close();
        else response.destroy();
      });
    });
    const document = await valueOf(httpDocuments({ url: server.url }).get(member, locator, {}));
    const read = async () => {
      if ('content' in document) for await (const chunk of document.content) void chunk;
    };
    await expect(read()).rejects.toThrow('The stream was interrupted.');
  });

  it('keeps its circuit closed when one connection is reset with 60 requests in flight', async () => {
    const waiting: Http2ServerResponse[] = [];
    let isHolding = true;
    const arrived = Promise.withResolvers<void>();
    const server = await bothProtocols((response, request) => {
      if (!isHolding) return json(response, request);
      if (waiting.push(response) === 60) arrived.resolve();
    });
    const { links, url } = await proxyTo(server.port);
    const states: CircuitState[] = [];
    const eligibility = httpEligibility({ url, observer: { circuit: (_, state) => states.push(state) } });
    const calls = Array.from({ length: 60 }, () => eligibility.coverage(member));
    await arrived.promise;
    isHolding = false;
    links[0]!.near.resetAndDestroy();
    for (const response of waiting)
      if (!response.destroyed) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    const results = await Promise.all(calls);
    expect(results.filter((result) => result.isOk())).toHaveLength(60);
    expect(states).toEqual(['closed']);
  });
});

it('a call fails unreachable when a service sends 100 Continue without a request for it (decision 0141)', async () => {
  const body = '{}';
  const server = await tcpServer((socket) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.end(`HTTP/1.1 100 Continue\r\n\r\n${head}${body}`);
  });
  expect(await httpEligibility({ url: server.url }).coverage(member)).toEqual(
    err(upstream('eligibility', 'unreachable')),
  );
});

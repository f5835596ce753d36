import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEnvironment, type Environment } from '@portico/demo/environment';

const size = 400 * 1024 * 1024;
const block = Buffer.alloc(64 * 1024, 0x25);

/** A document service that has one enormous PDF and makes it up as it is read. */
const bigDocuments = createServer((_request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': size });
  const content = function* () {
    for (let sent = 0; sent < size; sent += block.length) yield block;
  };
  pipeline(Readable.from(content()), response).catch(() => {}); // a reader who leaves is what the test is about
});

let environment: Environment;
let headers: Record<string, string>;

beforeAll(async () => {
  bigDocuments.listen(0, '127.0.0.1');
  await once(bigDocuments, 'listening');
  const { port } = bigDocuments.address() as AddressInfo;
  environment = await startEnvironment({
    settings: ({ services }) => ({
      downstreams: {
        ...Object.fromEntries(Object.entries(services).map(([name, { url }]) => [name, { url }])),
        documents: { url: `http://127.0.0.1:${port}` },
      },
    }),
  });
  headers = { authorization: `Bearer ${await environment.sandbox.token('member-a')}` };
});
afterAll(async () => {
  await environment.close();
  bigDocuments.closeAllConnections();
  bigDocuments.close();
});

const open = async () => {
  const request = get(`${environment.portico.url}/me/documents/DOC-BIG`, { headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { request, response };
};

/** The resident memory of the served process, where the system tells: Linux. */
const statusFile = () => `/proc/${environment.portico.pid}/status`;
const residentMiB = () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(statusFile(), 'utf8'))?.[1]) / 1024;

describe('a document of 400 MB', () => {
  it('goes through with the memory of the server growing by less than a quarter of it', async ({ skip }) => {
    if (!existsSync('/proc/self/status')) skip('the memory of another process can only be read on Linux');
    const { response: warmUp } = await open();
    warmUp.destroy();
    const before = residentMiB();
    let most = before;
    let received = 0;
    const { response } = await open();
    for await (const chunk of response as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received % (8 * 1024 * 1024) < chunk.length) most = Math.max(most, residentMiB());
    }
    expect(received).toBe(size);
    // What has been sent stays in memory until the next collection, which V8 makes after about 64 MB of it.
    expect(most - before).toBeLessThan(100);
  });

  it('is not asked for any longer when the client leaves', async () => {
    const asked = once(bigDocuments, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const { request, response } = await open();
    const [, upstream] = await asked;
    const left = once(upstream, 'close');
    await once(response, 'readable');
    request.destroy();
    await left;
    expect(upstream.writableFinished).toBe(false);
  });

  it('does not run ahead of a client that reads slowly', async () => {
    const asked = once(bigDocuments, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const { request, response } = await open();
    const [, upstream] = await asked;
    response.pause();
    let sent = -1;
    await expect
      .poll(() => {
        const before = sent;
        sent = upstream.socket?.bytesWritten ?? 0;
        return sent === before;
      })
      .toBe(true); // every buffer on the way is full
    expect(upstream.writableFinished).toBe(false);
    expect(sent).toBeLessThan(size / 4);
    request.destroy();
  });
});

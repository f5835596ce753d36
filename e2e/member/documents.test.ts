import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEnvironment, type Environment } from '@portico/demo/environment';
import { listening } from '@portico/demo/ports';

const size = 400 * 1024 * 1024;
const block = Buffer.alloc(64 * 1024, 0x25);

/** A document service with one enormous PDF, which is generated while it is read. */
const bigDocuments = createServer((_request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': size });
  const content = function* () {
    for (let sent = 0; sent < size; sent += block.length) yield block;
  };
  pipeline(Readable.from(content()), response).catch(() => {}); // the tests disconnect on purpose
});

let environment: Environment;
let headers: Record<string, string>;

beforeAll(async () => {
  const { url: documentsUrl } = await listening(bigDocuments);
  environment = await startEnvironment({
    settings: ({ services }) => ({
      downstreams: {
        ...Object.fromEntries(Object.entries(services).map(([name, { url }]) => [name, { url }])),
        documents: { url: documentsUrl },
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

/** The resident memory of the server process; available on Linux only. */
const statusFile = () => `/proc/${environment.portico.pid}/status`;
const residentMiB = () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(statusFile(), 'utf8'))?.[1]) / 1024;

describe('a document of 400 MB', () => {
  it('a document of 400 MB is relayed while the memory of the server grows by less than a quarter of its size', async ({
    skip,
  }) => {
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
    // Sent data stays in memory until the next garbage collection, after about 64 MB.
    expect(most - before).toBeLessThan(100);
  });

  it('cancels the download from the service when the client disconnects', async () => {
    const requested = once(bigDocuments, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const { request, response } = await open();
    const [, upstream] = await requested;
    const closed = once(upstream, 'close');
    await once(response, 'readable');
    request.destroy();
    await closed;
    expect(upstream.writableFinished).toBe(false);
  });

  it('does not read ahead of a slow client', async () => {
    const requested = once(bigDocuments, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const { request, response } = await open();
    const [, upstream] = await requested;
    response.pause();
    let sent = 0;
    let unchanged = 0;
    await expect
      .poll(() => {
        const before = sent;
        sent = upstream.socket?.bytesWritten ?? 0;
        unchanged = sent > 0 && sent === before ? unchanged + 1 : 0;
        return unchanged;
      })
      .toBeGreaterThan(10); // all buffers are full
    expect(upstream.writableFinished).toBe(false);
    expect(sent).toBeLessThan(size / 4);
    request.destroy();
  });
});

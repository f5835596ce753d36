import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEnvironment, type Environment } from '@portico/demo/environment';
import { usedBytes, withMemoryProbe } from './memory-probe.ts';

const MiB = 1024 * 1024;
const block = Buffer.alloc(64 * 1024, 0x25);
/** Each MiB is a gzip member of its own (RFC 1952, section 2.2): to compress 100 MiB at once takes more than a second. */
const bomb = Buffer.concat(Array<Buffer>(100).fill(gzipSync(Buffer.alloc(MiB, 0x20), { level: 9 })));

const endless = function* () {
  for (;;) yield block;
};

/** The responses of the document service. */
const documents = new Set<ServerResponse>();

/** Hostile services: 100 MB of JSON in 100 kB of gzip, and endless documents. */
const hostile = createServer((request: IncomingMessage, response: ServerResponse) => {
  if (request.url?.endsWith('/coverage'))
    return void response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip', 'content-length': bomb.length })
      .end(bomb);
  documents.add(response.writeHead(200, { 'content-type': 'application/pdf' }));
  pipeline(Readable.from(endless()), response).catch(() => {});
});

let environment: Environment;
let token: string;
let call: Awaited<ReturnType<Environment['as']>>;
const held = new Set<Socket>();

beforeAll(async () => {
  await once(hostile.listen(0, '127.0.0.1'), 'listening');
  const { port } = hostile.address() as AddressInfo;
  // Requests of members may be slow while this machine both attacks and serves.
  const hostileService = { url: `http://127.0.0.1:${port}`, timeoutMs: 60_000 };
  environment = await startEnvironment({
    env: withMemoryProbe,
    settings: ({ services }) => ({
      // On a busy machine, an upload takes longer than the default, and would get 408.
      connections: { headersTimeoutMs: 600_000, requestTimeoutMs: 600_000 },
      downstreams: {
        ...Object.fromEntries(Object.entries(services).map(([name, { url }]) => [name, { url, timeoutMs: 60_000 }])),
        eligibility: hostileService,
        documents: hostileService,
      },
    }),
  });
  token = await environment.sandbox.token('member-a');
  call = await environment.as('member-a');
  expect((await call('/me/profile')).status).toBe(200);
});
afterEach(() => {
  for (const socket of held) socket.destroy();
  held.clear();
});
afterAll(async () => {
  await environment.close();
  hostile.closeAllConnections();
  hostile.close();
});

/** Not 127.0.0.1, where thousands of connections would use the ports of other tests. */
const from = process.platform === 'linux' ? { localAddress: '127.0.0.2' } : {};

/** Opens a connection on which only the test reads. */
const dial = async (): Promise<Socket> => {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(environment.portico.url).port), ...from });
  held.add(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
};

const dialMany = async (count: number): Promise<readonly Socket[]> => {
  const sockets: Socket[] = [];
  while (sockets.length < count)
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(200, count - sockets.length) }, dial))));
  return sockets;
};

const requestFor = (path: string) => `GET ${path} HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${token}\r\n\r\n`;

const textOf = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // Not with `once`, which an error rejects: a reset ends the connection, too.
  await new Promise((resolve) => void socket.on('close', resolve));
  return Buffer.concat(chunks).toString();
};

/** Peak growth of the server's memory during a task. Available on Linux; elsewhere, prints a warning. */
const growthMiB = async (work: () => Promise<unknown>): Promise<number> => {
  const file = `/proc/${environment.portico.pid}/status`;
  if (!existsSync(file)) {
    console.warn('the memory of another process can only be read on Linux: not checked');
    await work();
    return 0;
  }
  const resident = () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(file, 'utf8'))?.[1]) / 1024;
  const before = resident();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, resident());
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return Math.max(most, resident()) - before;
};

const expectOthersServed = async () => {
  for (const path of ['/me/profile', '/me/claims', '/livez']) expect((await call(path)).status).toBe(200);
};

describe('bounded memory and service for others during an attack', () => {
  it('survives 2,000 silent connections', async () => {
    const growth = await growthMiB(async () => {
      await dialMany(2000);
      await expectOthersServed();
    });
    expect(growth).toBeLessThan(50);
  });

  it('survives 1,000 headers that never end (slowloris)', async () => {
    const growth = await growthMiB(async () => {
      for (const socket of await dialMany(1000)) socket.write(requestFor('/me/profile').slice(0, -2));
      await expectOthersServed();
    });
    expect(growth).toBeLessThan(100);
  });

  it('survives headers without limit', async () => {
    const flood = `GET /me/profile HTTP/1.1\r\nHost: portal\r\n${`X-Flood: ${'x'.repeat(1000)}\r\n`.repeat(1000)}`;
    const growth = await growthMiB(async () => {
      const responses = (await dialMany(20)).map((socket) => {
        socket.write(flood);
        return textOf(socket);
      });
      // A reset may discard the response while bytes of the flood are in flight.
      for (const response of await Promise.all(responses)) expect(response).toMatch(/^(?:HTTP\/1\.1 431 |$)/);
      await expectOthersServed();
    });
    expect(growth).toBeLessThan(50);
  });

  it('survives a thousand requests on one connection, sent before any response was read', async () => {
    const socket = await dial();
    socket.write(requestFor('/livez').repeat(999) + requestFor('/livez').replace('Host', 'Connection: close\r\nHost'));
    const responses = (await textOf(socket)).match(/HTTP\/1\.1 \d+/g) ?? [];
    expect(new Set(responses)).toEqual(new Set(['HTTP/1.1 200']));
    expect(responses.length).toBe(1000);
    await expectOthersServed();
  });

  it('survives members who never read their PDFs', async () => {
    const members = 50;
    const before = await usedBytes(environment);
    for (const socket of await dialMany(members)) socket.pause().write(requestFor('/me/documents/DOC-1'));
    await expectOthersServed();
    const areBlocked = () => documents.size === members && [...documents].every((each) => each.writableNeedDrain);
    await expect.poll(areBlocked).toBe(true);
    // After a collection: V8 decides when it collects garbage, and how much memory it keeps.
    const held = (await usedBytes(environment)).buffers - before.buffers;
    expect(held).toBeLessThan((members * MiB) / 2);
    expect(held).toBeGreaterThan(0);
  });

  it('survives a service that sends a gzip bomb', async () => {
    const growth = await growthMiB(async () => {
      const response = await call('/me/coverage');
      expect([response.status, await response.json()]).toMatchObject([502, { reason: 'malformed' }]);
      await expectOthersServed();
    });
    expect(growth).toBeLessThan(50);
  });

  it('survives as many callbacks of 5 MB as can be sent', async () => {
    const context = { action: 'on_search', transaction_id: 'unknown' };
    const body = Buffer.from(JSON.stringify({ context, message: { padding: 'x'.repeat(5 * MiB - 1000) } }));
    const post = async () => {
      const response = await fetch(`${environment.portico.url}/on_search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      }).catch(() => undefined);
      return response?.status ?? 'cut off';
    };
    const growth = await growthMiB(async () => {
      const flood = Promise.all(Array.from({ length: 24 }, post));
      await expectOthersServed();
      // Refused with 503, or closed during the upload.
      for (const status of await flood) expect([200, 503, 'cut off']).toContain(status);
    });
    expect(growth).toBeLessThan(350);
  });
});

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEnvironment, type Environment } from '@portico/demo/environment';

const MiB = 1024 * 1024;
const block = Buffer.alloc(64 * 1024, 0x25);
const bomb = gzipSync(Buffer.alloc(100 * MiB, 0x20), { level: 9 });

const endless = function* () {
  for (;;) yield block;
};

/** Services that turn on us: a JSON of 100 MB in 100 kB of gzip, and documents without end. */
const hostile = createServer((request: IncomingMessage, response: ServerResponse) => {
  if (request.url?.endsWith('/coverage'))
    return void response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip', 'content-length': bomb.length })
      .end(bomb);
  response.writeHead(200, { 'content-type': 'application/pdf' });
  pipeline(Readable.from(endless()), response).catch(() => {});
});

let environment: Environment;
let token: string;
let ask: Awaited<ReturnType<Environment['as']>>;
const held = new Set<Socket>();

beforeAll(async () => {
  await once(hostile.listen(0, '127.0.0.1'), 'listening');
  const { port } = hostile.address() as AddressInfo;
  // Members may wait long while this machine attacks and defends itself.
  const own = { url: `http://127.0.0.1:${port}`, timeoutMs: 60_000 };
  environment = await startEnvironment({
    settings: ({ services }) => ({
      downstreams: {
        ...Object.fromEntries(Object.entries(services).map(([name, { url }]) => [name, { url, timeoutMs: 60_000 }])),
        eligibility: own,
        documents: own,
      },
    }),
  });
  token = await environment.sandbox.token('member-a');
  ask = await environment.as('member-a');
  expect((await ask('/me/profile')).status).toBe(200);
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

/** Not from 127.0.0.1, where ten thousand connections would take the ports that other tests want to listen on. */
const from = process.platform === 'linux' ? { localAddress: '127.0.0.2' } : {};

/** A connection of our own, on which nothing is read unless the test reads it. */
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
  // Not by `once`, which an error would reject: a reset is an end too.
  await new Promise((resolve) => void socket.on('close', resolve));
  return Buffer.concat(chunks).toString();
};

/** By how much the served process grew at most while something went on. Linux tells; elsewhere this is said. */
const growthMiB = async (work: () => Promise<unknown>): Promise<number> => {
  const file = `/proc/${environment.portico.pid}/status`;
  if (!existsSync(file)) {
    console.warn('the memory of another process can only be read on Linux: not looked at');
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
  for (const path of ['/me/profile', '/me/claims', '/livez']) expect((await ask(path)).status).toBe(200);
};

// The time limit guards against hanging: ten thousand connections take long on a busy machine.
describe('while it is attacked, memory stays bounded and others are served', { timeout: 600_000 }, () => {
  it('by 10,000 connections that say nothing', async () => {
    const grown = await growthMiB(async () => {
      await dialMany(10_000);
      await expectOthersServed();
    });
    expect(grown).toBeLessThan(250);
  });

  it('by 1,000 headers that never end (slowloris)', async () => {
    const grown = await growthMiB(async () => {
      for (const socket of await dialMany(1000)) socket.write(requestFor('/me/profile').slice(0, -2));
      await expectOthersServed();
    });
    expect(grown).toBeLessThan(100);
  });

  it('by headers without measure', async () => {
    const flood = `GET /me/profile HTTP/1.1\r\nHost: portal\r\n${`X-Flood: ${'x'.repeat(1000)}\r\n`.repeat(1000)}`;
    const grown = await growthMiB(async () => {
      const answers = (await dialMany(50)).map((socket) => {
        socket.write(flood);
        return textOf(socket);
      });
      // A reset may overtake the answer where bytes of the flood were still on their way.
      for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^(?:HTTP\/1\.1 431 |$)/);
      await expectOthersServed();
    });
    expect(grown).toBeLessThan(100);
  });

  it('by a thousand requests on one connection, sent before any answer was read', async () => {
    const socket = await dial();
    socket.write(requestFor('/livez').repeat(999) + requestFor('/livez').replace('Host', 'Connection: close\r\nHost'));
    const answers = (await textOf(socket)).match(/HTTP\/1\.1 \d+/g) ?? [];
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 200']));
    expect(answers.length).toBe(1000);
    await expectOthersServed();
  });

  it('by members who never read their PDFs', async () => {
    const grown = await growthMiB(async () => {
      for (const socket of await dialMany(200)) socket.pause().write(requestFor('/me/documents/DOC-1'));
      await expectOthersServed();
    });
    expect(grown).toBeLessThan(250);
  });

  it('by a service that sends a gzip bomb', async () => {
    const grown = await growthMiB(async () => {
      const answer = await ask('/me/coverage');
      expect([answer.status, await answer.json()]).toMatchObject([502, { reason: 'malformed' }]);
      await expectOthersServed();
    });
    expect(grown).toBeLessThan(50);
  });

  it('by callbacks of 5 MB, as many as can be sent', async () => {
    const body = JSON.stringify({
      context: { action: 'on_search', transaction_id: 'stranger' },
      message: { padding: 'x'.repeat(5 * MiB - 1000) },
    });
    const post = async () => {
      const answer = await fetch(`${environment.portico.url}/on_search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      }).catch(() => undefined);
      return answer?.status ?? 'cut off';
    };
    const grown = await growthMiB(async () => {
      const flood = Promise.all(Array.from({ length: 60 }, post));
      await expectOthersServed();
      // Turned away with 503, or cut off while still sending.
      for (const status of await flood) expect([200, 503, 'cut off']).toContain(status);
    });
    expect(grown).toBeLessThan(500);
  });
});

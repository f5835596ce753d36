import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import { callbackGate } from './callback-gate.ts';
import { collectGarbage } from '../server/garbage.test.support.ts';
import { openSocket, readToEnd } from '../server/portal.test.support.ts';
import { aSearch, moaId, onSearch, serveSearch } from '../server/search.test.support.ts';

const unknown = (nth: number, padding = '') => onSearch(`unknown-${nth}`, { padding });

const request = (body: string) =>
  `POST /on_search HTTP/1.1\r\nHost: portal\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Sends an incomplete callback. */
const sendIncomplete = async (port: number, bytes: number) => {
  const socket = await openSocket(port);
  socket.on('error', () => {});
  socket.write(request('x'.repeat(2 * bytes)).slice(0, -bytes));
  return socket;
};

describe('callback gate under load', () => {
  it('accepts a flood of callbacks below the limits', async () => {
    const { callBack, counted } = await serveSearch();
    const responses = await Promise.all(Array.from({ length: 300 }, (_, nth) => callBack(unknown(nth))));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    expect(await counted()).toMatchObject({ unknown: 300 });
  });

  it('refuses callbacks with 503 and Retry-After beyond the memory limit', async () => {
    const { port, callBack, search, counted } = await serveSearch({ callbackGate: { maxHeldBytes: 100_000 } });
    const sockets = [await sendIncomplete(port, 60_000), await sendIncomplete(port, 60_000)];
    const [response] = await Promise.all([Promise.race(sockets.map(readToEnd)), search('{}')]);
    expect(response).toMatch(/^HTTP\/1\.1 503 /);
    expect(response).toMatch(/\r\nRetry-After: 1\r\n/i);
    expect(response).toMatch(/\r\nConnection: close\r\n/i);
    expect(response).toContain('"NACK"');
    for (const socket of sockets) socket.destroy();
    // The memory of both the disconnected and the refused callback is released.
    await expect.poll(async () => (await callBack(unknown(1, 'x'.repeat(60_000)))).status).toBe(200);
    expect(await counted()).toMatchObject({ unknown: 1 });
  });

  it('accepts a callback although others that stopped halfway have filled the memory', async () => {
    const { port, callBack, counted } = await serveSearch({ callbackGate: { maxHeldBytes: 100_000 } });
    const stopped = [];
    for (let nth = 0; nth < 4; nth++) stopped.push(await sendIncomplete(port, 30_000));
    expect(await Promise.race(stopped.map(readToEnd))).toMatch(/^HTTP\/1\.1 503 /);
    expect((await callBack(unknown(1, 'x'.repeat(60_000)))).status).toBe(200);
    expect(await counted()).toMatchObject({ unknown: 1 });
  });

  it('discards the body of a callback that is too large and keeps the connection usable', async () => {
    const { port } = await serveSearch({ maxCallbackBytes: 1000 });
    const socket = await openSocket(port);
    const end = 'GET /livez HTTP/1.1\r\nHost: portal\r\nConnection: close\r\n\r\n';
    socket.write(request('x'.repeat(5_000_000)) + end);
    expect((await readToEnd(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  it('refuses callbacks when too many are waiting', async () => {
    const { port, callBack, counted } = await serveSearch({ callbackGate: { maxWaiting: 10 } });
    const socket = await openSocket(port);
    const flood = Array.from({ length: 40 }, (_, nth) => request(unknown(nth)));
    socket.write(`${flood.join('')}GET /livez HTTP/1.1\r\nHost: portal\r\nConnection: close\r\n\r\n`);
    const responses = (await readToEnd(socket)).split('HTTP/1.1 ').slice(1);
    const statuses = responses.map((response) => response.slice(0, 3));
    expect(statuses.filter((status) => status === '200').length).toBe(16 + 10 + 1);
    const refused = responses.filter((response) => response.startsWith('503'));
    expect(refused.length).toBe(14);
    for (const response of refused) expect(response).toMatch(/\r\nRetry-After: 1\r\n[^]*"NACK"/i);
    expect(await counted()).toMatchObject({ unknown: 26 });
    expect((await callBack(unknown(41))).status).toBe(200);
  });

  it('delivers an expected callback during a flood of unknown ones', async () => {
    const { search, posted, callBack, clock } = await serveSearch();
    const response = search(aSearch);
    await posted(2);
    const flood = Array.from({ length: 100 }, (_, nth) => callBack(unknown(nth)));
    await callBack(onSearch(moaId));
    clock.advance(10_000);
    expect((await response).json).toMatchObject({ moa: { context: { transaction_id: moaId } }, mh: null });
    await Promise.all(flood);
  });
});

const contextOf = (req: Readable) => ({ req, request: {} }) as unknown as Context;

/** Returns the event loop turn in which each callback of these sizes was handled. */
const turnsOf = async (sizes: readonly number[]): Promise<readonly number[]> => {
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  count();
  const gate = callbackGate();
  const turns: number[] = [];
  const requests = sizes.map((size) => Readable.from([Buffer.alloc(size)], { objectMode: false }));
  await Promise.all(requests.map((req) => gate(contextOf(req), 5_242_880, async () => void turns.push(turn))));
  isOver = true;
  return turns;
};

const mostInOneTurn = (turns: readonly number[]) =>
  Math.max(...Object.values(Object.groupBy(turns, (turn) => turn)).map((taken) => taken?.length ?? 0));

describe('callback gate per turn of the event loop', () => {
  it('handles one callback of more than 1 MiB per turn of the event loop', async () => {
    const turns = await turnsOf(Array.from({ length: 8 }, () => 2 * 1024 * 1024));
    expect(turns).toHaveLength(8);
    expect(mostInOneTurn(turns)).toBe(1);
  });

  it('handles up to sixteen small callbacks per turn of the event loop', async () => {
    const turns = await turnsOf(Array.from({ length: 100 }, () => 100));
    expect(turns).toHaveLength(100);
    expect(mostInOneTurn(turns)).toBe(16);
  });
});

const openRequest = () => new Readable({ read: () => {} });

const receiveBy = (gate: ReturnType<typeof callbackGate>, req: Readable, handle = async () => {}) =>
  gate({ req, request: {} } as unknown as Context, 5_242_880, handle);

/** Pushes a chunk without keeping it in a variable. */
const pushed = (req: Readable, bytes: number): WeakRef<Buffer> => {
  const chunk = Buffer.allocUnsafeSlow(bytes);
  req.push(chunk);
  return new WeakRef(chunk);
};

describe('memory of callbacks', () => {
  it('does not keep the chunks of a callback that arrives byte by byte', async () => {
    const req = openRequest();
    const outcome = receiveBy(callbackGate(), req);
    const chunks = Array.from({ length: 1000 }, () => pushed(req, 1));
    const isReceived = once(req, 'data');
    chunks.push(pushed(req, 1));
    await isReceived;
    await new Promise((resolve) => void setImmediate(resolve));
    collectGarbage();
    expect(chunks.filter((chunk) => chunk.deref() !== undefined).length).toBeLessThan(10);
    req.push(null);
    expect(await outcome).toBe('handled');
  });

  it('releases what it received of a refused callback while its connection stays open', async () => {
    const gate = callbackGate({ maxHeldBytes: 100_000 });
    const [refused, accepted] = [openRequest(), openRequest()];
    const outcome = receiveBy(gate, refused);
    const chunk = pushed(refused, 60_000);
    const other = receiveBy(gate, accepted);
    pushed(accepted, 60_000);
    expect(await outcome).toBe('full');
    await new Promise((resolve) => void setImmediate(resolve));
    collectGarbage();
    expect(chunk.deref()).toBeUndefined();
    accepted.push(null);
    expect(await other).toBe('handled');
  });
});

it('the callback gate counts a complete callback until it is handled, and refuses an incomplete one instead', async () => {
  const gate = callbackGate({ maxHeldBytes: 1000 });
  const handled = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const complete = gate(contextOf(Readable.from([Buffer.alloc(600)], { objectMode: false })), 1000, () => {
    began.resolve();
    return handled.promise;
  });
  await began.promise;
  const incomplete = new Readable({ read() {} });
  incomplete.push(Buffer.alloc(600));
  expect(await gate(contextOf(incomplete), 1000, () => Promise.resolve())).toBe('full');
  handled.resolve();
  expect(await complete).toBe('handled');
});

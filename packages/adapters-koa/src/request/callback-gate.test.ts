import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import { callbackGate } from './callback-gate.ts';
import { dial, restOf } from '../server/portal.test.support.ts';
import { aSearch, moaId, onSearch, serveSearch } from '../server/search.test.support.ts';

const unknown = (nth: number, padding = '') => onSearch(`stranger-${nth}`, { padding });

const request = (body: string) =>
  `POST /on_search HTTP/1.1\r\nHost: portal\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** A callback that begins and does not end. */
const begin = async (port: number, bytes: number) => {
  const socket = await dial(port);
  socket.on('error', () => {});
  socket.write(request('x'.repeat(2 * bytes)).slice(0, -bytes));
  return socket;
};

describe('a flood of callbacks', () => {
  it('is answered whole when it comes at once: nobody is turned away below the limits', async () => {
    const { callBack, counted } = await serveSearch();
    const answers = await Promise.all(Array.from({ length: 300 }, (_, nth) => callBack(unknown(nth))));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await counted()).toMatchObject({ unknown: 300 });
  });

  it('is turned away when it holds too many bytes, and the seller is told to come back', async () => {
    const { port, callBack, search, counted } = await serveSearch({ callbackGate: { maxHeldBytes: 100_000 } });
    const socket = await begin(port, 60_000);
    const [answer] = await Promise.all([restOf(await begin(port, 60_000)), search('{}')]);
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nRetry-After: 1\r\n/i);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(answer).toContain('"NACK"');
    socket.destroy();
    // What was held is given back: for the one that left, and for the one that was turned away.
    await expect.poll(async () => (await callBack(unknown(1, 'x'.repeat(60_000)))).status).toBe(200);
    expect(await counted()).toMatchObject({ unknown: 1 });
  });

  it('is read off where a callback is too large, and its connection serves on', async () => {
    const { port } = await serveSearch({ maxCallbackBytes: 1000 });
    const socket = await dial(port);
    const end = 'GET /livez HTTP/1.1\r\nHost: portal\r\nConnection: close\r\n\r\n';
    socket.write(request('x'.repeat(5_000_000)) + end);
    expect((await restOf(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  it('takes turns with everybody else, and is turned away when too many wait already', async () => {
    const { port, callBack, counted } = await serveSearch({ callbackGate: { maxWaiting: 10 } });
    const socket = await dial(port);
    const flood = Array.from({ length: 40 }, (_, nth) => request(unknown(nth)));
    socket.write(`${flood.join('')}GET /livez HTTP/1.1\r\nHost: portal\r\nConnection: close\r\n\r\n`);
    const answers = (await restOf(socket)).split('HTTP/1.1 ').slice(1);
    const statuses = answers.map((answer) => answer.slice(0, 3));
    expect(statuses.filter((status) => status === '200').length).toBe(16 + 10 + 1);
    const refused = answers.filter((answer) => answer.startsWith('503'));
    expect(refused.length).toBe(14);
    for (const answer of refused) expect(answer).toMatch(/\r\nRetry-After: 1\r\n[^]*"NACK"/i);
    expect(await counted()).toMatchObject({ unknown: 26 });
    expect((await callBack(unknown(41))).status).toBe(200);
  });

  it('does not keep a callback that is waited for from its search', async () => {
    const { search, posted, callBack, clock } = await serveSearch();
    const answer = search(aSearch);
    await posted(2);
    const flood = Array.from({ length: 100 }, (_, nth) => callBack(unknown(nth)));
    await callBack(onSearch(moaId));
    clock.advance(10_000);
    expect((await answer).json).toMatchObject({ moa: { context: { transaction_id: moaId } }, mh: null });
    await Promise.all(flood);
  });
});

/** In which turn each callback of so many bytes was taken, when all of them have arrived. */
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
  await Promise.all(
    requests.map((req) =>
      gate({ req, request: {} } as unknown as Context, 5_242_880, async () => void turns.push(turn)),
    ),
  );
  isOver = true;
  return turns;
};

const mostInOneTurn = (turns: readonly number[]) =>
  Math.max(...Object.values(Object.groupBy(turns, (turn) => turn)).map((taken) => taken?.length ?? 0));

describe('one turn of the event loop', () => {
  it('takes one callback of more than 1 MiB', async () => {
    const turns = await turnsOf(Array.from({ length: 8 }, () => 2 * 1024 * 1024));
    expect(turns).toHaveLength(8);
    expect(mostInOneTurn(turns)).toBe(1);
  });

  it('takes up to sixteen small callbacks', async () => {
    const turns = await turnsOf(Array.from({ length: 100 }, () => 100));
    expect(turns).toHaveLength(100);
    expect(mostInOneTurn(turns)).toBe(16);
  });
});

import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { socketServer } from './local-servers.test.support.ts';

/** How the peer handles one request: the bytes of the response in pieces, then what happens to the connection. */
export interface Script {
  /** Whether the response starts before the request body is read. */
  readonly isEarly: boolean;
  /** Event loop turns before each piece. */
  readonly turns: number;
  readonly pieces: readonly Buffer[];
  readonly ending: 'keep' | 'close' | 'reset' | 'hang';
}

/** Starts an HTTP server on raw sockets that follows a script. `attempt` counts the requests to one path from 1. */
export const faultyPeer = async (scriptOf: (path: string, attempt: number) => Script) => {
  const attempts = new Map<string, number>();
  const pending = new Set<object>();

  const respond = async (socket: Socket, path: string, isRead: Promise<void>) => {
    const attempt = (attempts.get(path) ?? 0) + 1;
    attempts.set(path, attempt);
    const { isEarly, turns, pieces, ending } = scriptOf(path, attempt);
    const request = {};
    pending.add(request);
    socket.once('close', () => pending.delete(request));
    if (!isEarly) await isRead;
    for (const piece of pieces) {
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      if (socket.destroyed) return;
      await new Promise<void>((resolve) => void socket.write(piece, () => resolve()));
    }
    if (ending === 'hang') return;
    await isRead;
    if (ending === 'reset') socket.resetAndDestroy();
    else if (ending === 'close') socket.end();
    pending.delete(request);
  };

  const server = await socketServer((socket) => {
    socket.on('error', () => {});
    void readRequests(socket, respond);
  });
  return {
    url: server.url,
    attempts,
    get pending() {
      return pending.size;
    },
    get open() {
      return server.open;
    },
  };
};

/** Reads the requests of a connection one after another. */
const readRequests = async (
  socket: Socket,
  respond: (socket: Socket, path: string, isRead: Promise<void>) => Promise<void>,
): Promise<void> => {
  let received = Buffer.alloc(0);
  let wake: (() => void) | undefined;
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake?.();
  });
  socket.once('close', () => wake?.());
  const until = async (condition: () => boolean): Promise<boolean> => {
    while (!condition()) {
      if (socket.destroyed) return false;
      await new Promise<void>((resolve) => (wake = resolve));
    }
    return true;
  };
  while (await until(() => received.includes('\r\n\r\n'))) {
    const end = received.indexOf('\r\n\r\n') + 4;
    const head = received.subarray(0, end).toString();
    received = received.subarray(end);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const isRead = Promise.withResolvers<void>();
    const responded = respond(socket, head.split(' ')[1] ?? '', isRead.promise);
    if (!(await until(() => received.length >= length))) return;
    received = received.subarray(length);
    isRead.resolve();
    await responded;
  }
};

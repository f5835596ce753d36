import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { readMessages, requestBytes } from '../speed/load/wire.ts';

/** Sends the request `count` times, one after the other. Rejects if a response is not a 200. */
export type Send = (count: number) => Promise<void>;

/**
 * A kept-alive connection in memory to a `node:http` server with this listener: the system's network, which varies most, is
 * not measured.
 */
export const connectInMemory = (
  listener: RequestListener,
  path: string,
  headers: Readonly<Record<string, string>>,
): Send => {
  const request = requestBytes('GET', new URL(path, 'http://portico.bench'), headers);
  const [client, accepted] = duplexPair();
  createServer(listener).emit('connection', Object.assign(accepted, { remoteAddress: '127.0.0.1' }));
  let received = Promise.withResolvers<string>();
  // Only its events are used.
  readMessages(client as unknown as Socket, false, ({ head }) => received.resolve(head));
  return async (count) => {
    for (let sent = 0; sent < count; sent++) {
      received = Promise.withResolvers();
      client.write(request);
      const head = await received.promise;
      if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`The server responded: ${head}`);
    }
  };
};

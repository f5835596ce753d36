/**
 * The subset of HTTP/1.1 that a load needs, so that the server between generator and downstream is the bottleneck:
 * kept-alive connections, one message at a time on each, and a Content-Length on every body. Anything else throws,
 * because the measurement would be wrong.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface WireMessage {
  /** The start line and the headers, as received. */
  readonly head: string;
  /** Size of the body in bytes. */
  readonly length: number;
  /** Empty unless bodies are kept. */
  readonly body: Buffer;
}

const empty = Buffer.alloc(0);

/** Calls `onMessage` for each complete message. */
export const readMessages = (socket: Socket, keepBodies: boolean, onMessage: (message: WireMessage) => void): void => {
  let unread: Buffer = empty;
  let head: string | undefined;
  let length = 0;
  let missing = 0;
  let chunks: Buffer[] = [];

  const readHead = (): boolean => {
    const end = unread.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const received = unread.toString('latin1', 0, end + 2);
    unread = unread.subarray(end + 4);
    if (/\r\ntransfer-encoding:/i.test(received)) throw new Error(`No Content-Length: ${received}`);
    head = received;
    length = Number(/\r\ncontent-length: *(\d+)\r\n/i.exec(received)?.[1] ?? 0);
    missing = length;
    return true;
  };
  socket.on('data', (chunk: Buffer) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    while (head !== undefined || readHead()) {
      const part = unread.length <= missing ? unread : unread.subarray(0, missing);
      missing -= part.length;
      unread = unread.length === part.length ? empty : unread.subarray(part.length);
      if (keepBodies && part.length > 0) chunks.push(part);
      if (missing > 0) return;
      const message = { head: head!, length, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) };
      head = undefined;
      chunks = [];
      onMessage(message);
    }
  });
};

/** Starts a server on a free port of 127.0.0.1; `onRequest` writes the response to the socket. */
export const wireServer = async (
  onRequest: (message: WireMessage, socket: Socket) => void,
): Promise<{ readonly port: number }> => {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    readMessages(socket, true, (message) => onRequest(message, socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port };
};

/** A complete 200 response as bytes. */
export const responseBytes = (type: string, body: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: keep-alive\r\n\r\n`,
    ),
    Buffer.from(body),
  ]);

/** A complete request as bytes. */
export const requestBytes = (
  method: string,
  url: URL,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Buffer => {
  const all = {
    Host: url.host,
    ...headers,
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
};

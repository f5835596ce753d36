/**
 * As little HTTP/1.1 as a load needs, so that the server between load and downstream is what is measured: kept
 * connections, one message at a time on each, and a Content-Length on all that has a body. Whatever is not like that is
 * an error, because it would be measured wrongly.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface WireMessage {
  /** The start line and the headers, as they came. */
  readonly head: string;
  /** Of the body. */
  readonly length: number;
  /** Empty unless bodies are kept. */
  readonly body: Buffer;
}

const nothing = Buffer.alloc(0);

/** Tells of each message when its last byte has come. */
export const readMessages = (socket: Socket, keepBodies: boolean, onMessage: (message: WireMessage) => void): void => {
  let unread: Buffer = nothing;
  let head: string | undefined;
  let length = 0;
  let missing = 0;
  let chunks: Buffer[] = [];

  const readHead = (): boolean => {
    const end = unread.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const text = unread.toString('latin1', 0, end + 2);
    unread = unread.subarray(end + 4);
    if (/\r\ntransfer-encoding:/i.test(text)) throw new Error(`No Content-Length: ${text}`);
    head = text;
    length = Number(/\r\ncontent-length: *(\d+)\r\n/i.exec(text)?.[1] ?? 0);
    missing = length;
    return true;
  };
  socket.on('data', (chunk: Buffer) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    while (head !== undefined || readHead()) {
      const part = unread.length <= missing ? unread : unread.subarray(0, missing);
      missing -= part.length;
      unread = unread.length === part.length ? nothing : unread.subarray(part.length);
      if (keepBodies && part.length > 0) chunks.push(part);
      if (missing > 0) return;
      const message = { head: head!, length, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) };
      head = undefined;
      chunks = [];
      onMessage(message);
    }
  });
};

/** A server that answers each request with the bytes it is told to write. */
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

/** A whole answer as bytes. */
export const answer = (type: string, body: string | Buffer, more = ''): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}Connection: keep-alive\r\n\r\n`,
    ),
    Buffer.from(body),
  ]);

/** A whole request as bytes. */
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

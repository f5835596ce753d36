import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { serverDefaults } from './defaults.ts';
import { securityHeaders } from '../middleware/security-headers.ts';
import { type Code, problemText } from '../response/problem.ts';

/** What a connection may use, in milliseconds and bytes. The defaults are `serverDefaults`. */
export interface ConnectionLimits {
  /** From a connection's beginning, or the first byte of its next request, to the end of the header. */
  readonly headersTimeoutMs?: number;
  /** From there to the end of the body. */
  readonly requestTimeoutMs?: number;
  /** How long a connection may move no byte while it is served: a client that reads nothing is cut off. */
  readonly idleTimeoutMs?: number;
  /** How long a connection is kept for the next request; more than the load balancer in front keeps it. */
  readonly keepAliveTimeoutMs?: number;
  /** Beyond this, idle connections make room and new ones are refused. */
  readonly maxConnections?: number;
  /** Of all header fields together. */
  readonly maxHeaderBytes?: number;
}

/** A connection's last response. A property of its own: a WeakMap cost a tenth of a member's request. */
const answering = Symbol('answering');

type Answering = Duplex & { [answering]?: ServerResponse };

/** How often connections are looked at for the first two limits. */
const checkingMs = 1000;

/** An HTTP server whose connections are limited; what its parser refuses is answered with problem details too. */
export const limitedServer = (
  {
    headersTimeoutMs = serverDefaults.headersTimeoutMs,
    requestTimeoutMs = serverDefaults.requestTimeoutMs,
    idleTimeoutMs = serverDefaults.idleTimeoutMs,
    keepAliveTimeoutMs = serverDefaults.keepAliveTimeoutMs,
    maxConnections = serverDefaults.maxConnections,
    maxHeaderBytes = serverDefaults.maxHeaderBytes,
  }: ConnectionLimits,
  onRefused: (status: number, requestId: string) => void = () => {},
): Server => {
  const server = createServer({
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(checkingMs, headersTimeoutMs),
    maxHeaderSize: maxHeaderBytes,
  });
  server.timeout = idleTimeoutMs;
  server.maxConnections = maxConnections;
  server.on('drop', () => server.closeIdleConnections());
  server.on('request', ({ socket }: IncomingMessage, response) => {
    (socket as Answering)[answering] = response;
  });
  // An expectation that we do not know may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = (socket as Answering)[answering];
    const isAnswering = response !== undefined && !response.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || (isAnswering && response.headersSent))
      return socket.destroy();
    const [code, detail] = refusals[error.code ?? ''] ?? malformed;
    const requestId = randomUUID();
    const { status, text } = problemText({ code, detail }, requestId);
    if (!isAnswering) onRefused(status, requestId);
    return socket.end(
      [
        `HTTP/1.1 ${status} ${reasons[status]}`,
        'Connection: close',
        'Content-Type: application/problem+json',
        `Content-Length: ${Buffer.byteLength(text)}`,
        `X-Request-Id: ${requestId}`,
        ...securityHeaders.map((header) => header.join(': ')),
        '',
        text,
      ].join('\r\n'),
      // Whoever does not take even this is not waited for.
      () => socket.destroy(),
    );
  });
  return server;
};

const malformed = ['invalid-request', 'This is not a well-formed HTTP request.'] as const;

/** By the codes of Node's parser. */
const refusals: Readonly<Record<string, readonly [Code, string]>> = {
  HPE_HEADER_OVERFLOW: ['header-too-large', 'The header fields are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['too-large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'The request did not come to its end in time.'],
};

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
};

import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server as Http1Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ProblemCode, problemText } from '@portico/core';
import { type HttpServer, isHttp2, trackConnections } from './http-server.ts';
import { serverDefaults } from '../request/server-defaults.ts';
import { type ServerTls, webServer } from './web-server.ts';
import { postponeContinue } from '../request/body/expect-continue.ts';
import { http2Stream } from '../request/http2-stream.ts';
import { securityHeaders } from '../middleware/security-headers.ts';

/** Limits for connections, in milliseconds and bytes. The defaults are in `serverDefaults`. */
export interface ConnectionLimits {
  /** Time to receive the request header, from the start of the connection or the first byte of the next request. */
  readonly headersTimeoutMs?: number;
  /** Time to receive the whole request. */
  readonly requestTimeoutMs?: number;
  /**
   * Time without any byte sent or received after which a connection is closed while a request is in progress. Must be longer than a
   * search or a service may take.
   */
  readonly idleTimeoutMs?: number;
  /** Time to wait for the next request on a connection. Should be longer than the load balancer's keep-alive timeout. */
  readonly keepAliveTimeoutMs?: number;
  /** Maximum number of connections. Beyond it, idle connections are closed and new ones are refused. */
  readonly maxConnections?: number;
  /** Maximum size of all header fields together. */
  readonly maxHeaderBytes?: number;
}

/** The last response on a connection until it is finished. A property, because a WeakMap made requests 10 % slower. */
const lastResponse = Symbol('lastResponse');

type Connection = Duplex & { [lastResponse]?: ServerResponse | undefined };

/** Forgets a finished response: an idle connection would keep the whole request until the next one. */
function forget(this: ServerResponse): void {
  const connection = this.req.socket as Connection;
  if (connection[lastResponse] === this) connection[lastResponse] = undefined;
}

/** Interval at which the header and request timeouts are checked. */
const checkIntervalMs = 1000;

/** Creates an HTTP server with connection limits. Requests that its parser refuses get problem details too. */
export const limitedServer = (
  limits: ConnectionLimits,
  onRefused?: OnRefused,
  tls?: () => ServerTls,
  onTlsError?: (error: unknown) => void,
): Http1Server => {
  const { headersTimeoutMs = serverDefaults.headersTimeoutMs, maxHeaderBytes = serverDefaults.maxHeaderBytes } = limits;
  const connectionsCheckingInterval = Math.min(checkIntervalMs, headersTimeoutMs);
  const server = webServer(
    { connectionsCheckingInterval, headersTimeoutMs, maxHeaderSize: maxHeaderBytes },
    tls,
    onTlsError,
  );
  return limitServer(server, limits, onRefused);
};

type OnRefused = (status: number, requestId: string) => void;

/**
 * Applies the connection limits to a server as far as its kind supports them. The header size is fixed when a server is
 * created. HTTP/2 connections have one limit, on the time without traffic.
 */
export const limitServer = <Server extends HttpServer>(
  existing: Server,
  {
    headersTimeoutMs = serverDefaults.headersTimeoutMs,
    requestTimeoutMs = serverDefaults.requestTimeoutMs,
    idleTimeoutMs = serverDefaults.idleTimeoutMs,
    keepAliveTimeoutMs = serverDefaults.keepAliveTimeoutMs,
    maxConnections = serverDefaults.maxConnections,
  }: ConnectionLimits,
  onRefused: OnRefused = () => {},
): Server => {
  // HTTP/2 servers lack some of these properties and ignore them, except for their HTTP/1.1 connections.
  const server = existing as unknown as Http1Server;
  server.headersTimeout = Math.min(headersTimeoutMs, requestTimeoutMs);
  server.requestTimeout = requestTimeoutMs;
  server.keepAliveTimeout = keepAliveTimeoutMs;
  server.timeout = isHttp2(existing) ? Math.max(idleTimeoutMs, keepAliveTimeoutMs) : idleTimeoutMs;
  server.maxConnections = maxConnections;
  // The size is limited. With a limit on the number, some versions of Node hide the fields beyond it.
  server.maxHeadersCount = 0;
  server.on('drop', () => server.closeIdleConnections?.());
  trackConnections(existing);
  refuseMalformedRequests(server, onRefused);
  return existing;
};

/** Sends problem details for requests that Node's parser refuses, and postpones `100 Continue`. */
const refuseMalformedRequests = (server: Http1Server, onRefused: OnRefused): void => {
  server.on('request', (request: IncomingMessage, response) => {
    if (http2Stream(request)) return;
    (request.socket as Connection)[lastResponse] = response;
    response.on('finish', forget);
  });
  server.on('checkContinue', (request, response) => {
    postponeContinue(response);
    server.emit('request', request, response);
  });
  // Unknown expectations may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = (socket as Connection)[lastResponse];
    const isResponding = response !== undefined && !response.writableFinished;
    if (isConnectionError(error) || !socket.writable || (isResponding && !isNextOnWire(response)))
      return socket.destroy();
    const [code, detail] = refusals[error.code ?? ''] ?? malformed;
    const requestId = randomUUID();
    const { status, text } = problemText({ code, detail }, requestId);
    if (!isResponding) onRefused(status, requestId);
    return socket.end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'Connection: close',
        'Content-Type: application/problem+json',
        `Content-Length: ${Buffer.byteLength(text)}`,
        `X-Request-Id: ${requestId}`,
        ...securityHeaders.map((header) => header.join(': ')),
        '',
        text,
      ].join('\r\n'),
      // Do not wait for a client that does not read the response.
      () => socket.destroy(),
    );
  });
};

/** Whether the connection was reset, or its TLS handshake failed. There is no request to respond to. */
const isConnectionError = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  /^(?:ECONNRESET$|ERR_(?:SSL|TLS)_)/.test(code);

/**
 * Whether a refusal would be the response to the request that the parser refused: its body is not complete, and no other
 * response is in progress. Otherwise, the client would read the refusal as a part of a document, or as the response to a
 * request that was served.
 */
const isNextOnWire = ({ headersSent, socket, req }: ServerResponse): boolean =>
  !headersSent && socket !== null && !req.complete;

const malformed = ['invalid-request', 'The HTTP request is malformed.'] as const;

/** Problem code and detail per error code of Node's parser. */
const refusals: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['header-too-large', 'The header fields are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['too-large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'The request was not received completely in time.'],
};

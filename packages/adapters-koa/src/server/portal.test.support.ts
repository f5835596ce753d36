import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type CoreSettings, createUseCases } from '@portico/core';
import { fakePorts, fakeProofVerifier, type PortOverrides, somePdf, somePreferences } from '@portico/core/testing';
import { expect, onTestFinished } from 'vitest';
import { expectDocumented } from '../openapi/document.test.support.ts';
import { closeAllConnections, type HttpServer } from './http-server.ts';
import { createServer, type ServerSettings } from './server.ts';

/** The document `DOC-1` of the fakes. */
export const pdf = Buffer.from(somePdf);

/** Every route under `/me`: method, path, port and operation, and a body if one is required. */
export const routes = [
  ['GET', '/me/coverage', 'eligibility', 'coverage'],
  ['GET', '/me/accumulators', 'eligibility', 'accumulators'],
  ['GET', '/me/claims', 'claims', 'list'],
  ['POST', '/me/claims', 'claims', 'submit', '{"type":"dental"}'],
  ['GET', '/me/claims/CLM-1', 'claims', 'get'],
  ['GET', '/me/documents', 'documents', 'list'],
  ['GET', '/me/documents/DOC-1', 'documents', 'get'],
  ['GET', '/me/profile', 'policy', 'profile'],
  ['PATCH', '/me/profile', 'policy', 'patchProfile', '{"city":"Springfield"}'],
  ['GET', '/me/preferences', 'notifications', 'preferences'],
  ['PUT', '/me/preferences', 'notifications', 'replacePreferences', JSON.stringify(somePreferences)],
  ['GET', '/me/consent', 'consent', 'get'],
  ['PUT', '/me/consent', 'consent', 'replace', '{"research":true}'],
  ['GET', '/me/notifications', 'notifications', 'list'],
  ['GET', '/me/notifications/log', 'notifications', 'log'],
] as const;

export interface PortalSettings extends ServerSettings {
  /** Operations that replace those of the fakes. */
  readonly ports?: PortOverrides;
  readonly rules?: CoreSettings;
}

/** Serves the member API with fakes on loopback until the test ends. */
export const servePortal = async ({ ports, rules, ...settings }: PortalSettings = {}) => {
  const fakes = fakePorts(ports);
  const proofs = fakeProofVerifier();
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const server = createServer(createUseCases({ ...fakes, proofs }, rules), { onError, ...settings });
  const closings: Promise<void>[] = [];
  server.on('connection', (socket) => {
    closings.push(new Promise((resolve) => void socket.once('close', () => resolve())));
  });
  const port = await listening(server);
  const token = fakes.identity.issue({ sub: 'PTY-1' });
  return {
    server,
    port,
    fakes,
    proofs,
    token,
    /** The calls to downstream services with their member: `claims.list PTY-1`. */
    calls: fakes.calls,
    /** The errors passed to `onError`. */
    errors,
    /** Resolves when the server has closed every connection so far. */
    closed: () => Promise.all(closings),
    /** Sends a request with the member's token. Headers that are undefined are omitted. */
    request: (method: string, path: string, options: RequestOptions = {}) =>
      send(port, method, path, {
        ...options,
        headers: {
          authorization: `Bearer ${token}`,
          ...(options.body !== undefined && { 'content-type': 'application/json' }),
          ...options.headers,
        },
      }),
  };
};

/** Responses on a port that do not come from the routes and are therefore not in the OpenAPI document. */
interface ForeignResponses {
  readonly isForeign?: (response: TestResponse) => boolean;
  /** Foreign headers on responses of the routes. */
  readonly headers?: readonly string[];
}

const foreignResponses = new Map<number, ForeignResponses>();

/** Starts a server on a free port and closes it when the test ends. */
export const listening = async (server: HttpServer, foreign: ForeignResponses = {}): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    closeAllConnections(server);
  });
  const { port } = server.address() as AddressInfo;
  foreignResponses.set(port, foreign);
  return port;
};

interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** An array is sent as chunks. */
  readonly body?: string | Buffer | readonly (string | Buffer)[];
}

export interface TestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  readonly json: unknown;
}

/**
 * Sends a request on a new connection without normalizing its path, unlike `fetch`. Fails the test if the response does not
 * match the OpenAPI document.
 */
export const send = async (
  port: number,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<TestResponse> => {
  const response = await sendUnchecked(port, method, path, options);
  const { isForeign, headers = [] } = foreignResponses.get(port) ?? {};
  if (isForeign?.(response)) return response;
  const own = Object.entries(response.headers).filter(([name]) => !headers.includes(name));
  expectDocumented(method, path, { status: response.status, headers: Object.fromEntries(own), body: response.body });
  return response;
};

const sendUnchecked = (
  port: number,
  method: string,
  path: string,
  { headers = {}, body }: RequestOptions,
): Promise<TestResponse> =>
  new Promise((resolve, reject) => {
    const defined = Object.entries(headers).filter(([, value]) => value !== undefined) as [string, string | string[]][];
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: Object.fromEntries(defined),
      agent: false,
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: bytes,
          text: bytes.toString(),
          get json() {
            return JSON.parse(bytes.toString()) as unknown;
          },
        });
      });
    });
    if (Array.isArray(body)) {
      for (const chunk of body as readonly (string | Buffer)[]) outgoing.write(chunk);
      outgoing.end();
    } else outgoing.end(body as string | Buffer | undefined);
  });

/** Opens a connection, to send bytes that no client library would send. */
export const openSocket = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
};

/** The text of a GET with a member's token. `more`: additional fields, each with its line end. */
export const rawGet = (path: string, token: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`;

/** Returns all data received on a connection until it is closed. */
export const readToEnd = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
};

/** The headers of every response under `/me`. */
export const privateHeaders = {
  'cache-control': 'private, no-store',
  vary: 'Authorization',
  'x-content-type-options': 'nosniff',
  'content-security-policy': expect.stringMatching(/frame-ancestors 'none'$/) as string,
  'x-request-id': expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
};

/** Expects problem details with the headers of `/me`, and returns the members except `requestId`. */
export const problemIn = ({ status, headers, json }: TestResponse) => {
  const { requestId, ...problem } = json as { readonly requestId: string; readonly status: number };
  expect(headers).toMatchObject({ ...privateHeaders, 'content-type': 'application/problem+json' });
  expect(requestId).toBe(headers['x-request-id']);
  expect(problem.status).toBe(status);
  return problem;
};

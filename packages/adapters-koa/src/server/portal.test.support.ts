import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createUseCases } from '@portico/core';
import { fakePorts, type PortOverrides, somePdf, somePreferences } from '@portico/core/testing';
import { expect, onTestFinished } from 'vitest';
import { expectDocumented } from '../openapi/document.test.support.ts';
import { createServer, type ServerSettings } from './server.ts';

/** The document `DOC-1` of the fakes. */
export const pdf = Buffer.from(somePdf);

/** Everything that can be asked under `/me`: route, port and operation, and a body where one is needed. */
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
  /** Operations to use instead of those of the fakes. */
  readonly ports?: PortOverrides;
}

/** The member portal on loopback, on fakes, for as long as the test lasts. */
export const servePortal = async ({ ports, ...settings }: PortalSettings = {}) => {
  const fakes = fakePorts(ports);
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const server = createServer(createUseCases(fakes), { onError, ...settings });
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
    token,
    /** The calls to downstream services, and for whom: `claims.list PTY-1`. */
    asked: fakes.calls,
    /** What `onError` was told. */
    errors,
    /** Resolves when the server knows that every connection so far is closed. */
    closed: () => Promise.all(closings),
    /** Sends a request with the member's token; a header that is undefined is left out. */
    ask: (method: string, path: string, wish: Wish = {}) =>
      send(port, method, path, {
        ...wish,
        headers: {
          authorization: `Bearer ${token}`,
          ...(wish.body !== undefined && { 'content-type': 'application/json' }),
          ...wish.headers,
        },
      }),
  };
};

/** Who else answers on a port, beside the routes: what they say is not ours to document. */
interface Others {
  readonly isTheirs?: (answer: Answer) => boolean;
  /** Headers of theirs on answers of ours. */
  readonly headers?: readonly string[];
}

const others = new Map<number, Others>();

/** Starts a server on a free port and ends it with the test. */
export const listening = async (server: ReturnType<typeof createServer>, beside: Others = {}): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  others.set(port, beside);
  return port;
};

interface Wish {
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** A list is sent chunked. */
  readonly body?: string | Buffer | readonly (string | Buffer)[];
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  readonly json: unknown;
}

/**
 * One request on a connection of its own, its path as given: `fetch` would tidy it up. Whatever comes back must be as the
 * OpenAPI document says.
 */
export const send = async (port: number, method: string, path: string, wish: Wish = {}): Promise<Answer> => {
  const answer = await sendUnchecked(port, method, path, wish);
  const { isTheirs, headers = [] } = others.get(port) ?? {};
  if (isTheirs?.(answer)) return answer;
  const ours = Object.entries(answer.headers).filter(([name]) => !headers.includes(name));
  expectDocumented(method, path, { status: answer.status, headers: Object.fromEntries(ours), body: answer.body });
  return answer;
};

const sendUnchecked = (port: number, method: string, path: string, { headers = {}, body }: Wish): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const given = Object.entries(headers).filter(([, value]) => value !== undefined) as [string, string | string[]][];
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: Object.fromEntries(given),
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

/** A connection of our own, to send bytes that no client library would. */
export const dial = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
};

/** What comes over a connection until the other side ends it. */
export const restOf = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
};

/** What every answer under `/me` has in its head. */
export const privateHeaders = {
  'cache-control': 'private, no-store',
  vary: 'Authorization',
  'x-content-type-options': 'nosniff',
  'content-security-policy': expect.stringMatching(/frame-ancestors 'none'$/) as string,
  'x-request-id': expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
};

/** Checks that an answer is problem details with the headers of `/me`, and gives its members except `requestId`. */
export const problemIn = ({ status, headers, json }: Answer) => {
  const { requestId, ...problem } = json as { readonly requestId: string; readonly status: number };
  expect(headers).toMatchObject({ ...privateHeaders, 'content-type': 'application/problem+json' });
  expect(requestId).toBe(headers['x-request-id']);
  expect(problem.status).toBe(status);
  return problem;
};

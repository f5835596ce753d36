import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { always } from '../oracle/expectations.ts';
import { sizeLimits } from '../limits.ts';
import type { Identities } from './members.ts';
import { type OperationKind, unaffected } from './operation.ts';

const malformed: readonly (readonly [expected: string, route: string, body?: string, type?: string])[] = [
  ['400 invalid-request', 'POST /me/claims', '{"type":'],
  ['400 invalid-request', 'POST /me/claims', '{}'],
  ['415 unsupported-media-type', 'POST /me/claims', 'a claim', 'text/plain'],
  ['400 invalid-request', 'PUT /me/preferences', '{"email":true}'],
  ['400 invalid-request', 'PATCH /me/profile', '{"partyLocator":"PTY-1001"}'],
  ['400 invalid-request', 'GET /me/claims?partyLocator=PTY-1001'],
  ['400 invalid-request', 'GET /me/claims/%2e%2e'],
  ['404 no-such-route', 'GET /me/nothing'],
  ['405 method-not-allowed', 'DELETE /me/consent'],
  ['400 invalid-request', 'POST /api/search', '{"persona":"member"}'],
  ['400', 'POST /on_search', '{"context":'],
  ['400', 'POST /on_search', '{"context":{}}'],
  ['404 no-such-route', 'GET /nowhere'],
];

/** Writes bytes to a socket, because an HTTP client reports a rejection only after it has sent the whole request. */
const exchange = async (url: string, request: string, patienceMs: number): Promise<string> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  try {
    await once(socket, 'connect');
    socket.write(request);
    const received = once(socket, 'data').then(([data]) => /^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1] ?? 'not HTTP');
    const closed = new Promise<string>((resolve) => socket.once('close', () => resolve('connection closed')));
    return await Promise.race([received, closed, pause(patienceMs, 'cancelled')]);
  } catch {
    return 'connection refused';
  } finally {
    socket.destroy();
  }
};

/** Requests that are rejected whatever faults are active. */
export const rejectedOperations = ({ members, badTokens }: Identities, url: string) => {
  const badToken: OperationKind = (nth) =>
    unaffected('rejected token', 'GET /me/coverage', '401 unauthenticated', {
      token: badTokens[nth % badTokens.length],
    });

  const badRequest: OperationKind = (nth) => {
    const [expected, route, body, type] = malformed[nth % malformed.length]!;
    const { token } = members[nth % members.length]!;
    const headers = type === undefined ? {} : { 'content-type': type };
    return unaffected('malformed request', route, expected, { token, body, headers });
  };

  const partial = (
    title: string,
    length: number,
    start: string,
    expected: string,
    patienceMs: number,
  ): OperationKind => {
    const head = `POST /me/claims HTTP/1.1\r\nHost: portico\r\nAuthorization: Bearer ${members[0]!.token}\r\n`;
    const request = `${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${start}`;
    return () => ({ title, run: () => exchange(url, request, patienceMs), isExpected: always(expected) });
  };

  return {
    badToken,
    badRequest,
    tooLarge: partial('request body that is too large', sizeLimits.maxRequestBytes + 1, '{', '413', 10_000),
    incomplete: partial('request body that is never completed', 100, '{"type":', 'cancelled', 100),
  };
};

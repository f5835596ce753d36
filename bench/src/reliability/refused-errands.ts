import { once } from 'node:events';
import { connect } from 'node:net';
import { ask, inWords, type Question } from './client.ts';
import { always, type Errands } from './errand.ts';
import type { Member } from './members.ts';
import { maxRequestBytes } from './settings.ts';

const json = { 'content-type': 'application/json' };

/** What is wrong with it, and what is to be said of it. */
const malformed: readonly (Question & { readonly wanted: string })[] = [
  { method: 'POST', path: '/me/claims', body: '{"type":', wanted: '400 invalid-request' },
  { method: 'POST', path: '/me/claims', body: '{}', wanted: '400 invalid-request' },
  {
    method: 'POST',
    path: '/me/claims',
    headers: { 'content-type': 'text/plain' },
    body: 'a claim',
    wanted: '415 unsupported-media-type',
  },
  { method: 'PUT', path: '/me/preferences', body: '{"email":true}', wanted: '400 invalid-request' },
  { method: 'PATCH', path: '/me/profile', body: '{"partyLocator":"PTY-1001"}', wanted: '400 invalid-request' },
  { path: '/me/claims?partyLocator=PTY-1001', wanted: '400 invalid-request' },
  { path: '/me/claims/%2e%2e', wanted: '400 invalid-request' },
  { path: '/me/nothing', wanted: '404 no-such-route' },
  { method: 'DELETE', path: '/me/consent', wanted: '405 method-not-allowed' },
  { method: 'POST', path: '/api/search', body: '{"persona":"member"}', wanted: '400 invalid-request' },
  { method: 'POST', path: '/on_search', body: '{"context":', wanted: '400' },
  { method: 'POST', path: '/on_search', headers: json, body: '{"context":{}}', wanted: '400' },
  { path: '/nowhere', wanted: '404 no-such-route' },
];

/** What Portico refuses whatever state the world is in. */
export const refusedErrands = (
  members: readonly Member[],
  hostile: Readonly<Record<string, string | undefined>>,
  url: string,
) => {
  const tokens = Object.entries(hostile);
  const { token } = members[0]!;

  const hostileToken: Errands = (nth) => {
    const [, bad] = tokens[nth % tokens.length]!;
    return {
      title: 'a token that lets nobody in',
      run: async (client) => inWords(await ask(client, { path: '/me/coverage', token: bad })),
      explains: always('401 unauthenticated'),
    };
  };

  const badRequest: Errands = (nth) => {
    const { wanted, ...question } = malformed[nth % malformed.length]!;
    return {
      title: 'a malformed request',
      run: async (client) => inWords(await ask(client, { ...question, token: members[nth % members.length]!.token })),
      explains: always(wanted),
    };
  };

  /** By hand: a client of HTTP sees a refusal only when it has sent everything. */
  const raw = (title: string, request: string, wanted: string, patienceMs: number): Errands => {
    const { hostname, port } = new URL(url);
    return () => ({
      title,
      run: async () => {
        const socket = connect({ host: hostname, port: Number(port) });
        socket.on('error', () => {});
        try {
          await once(socket, 'connect');
          socket.write(request);
          const gone = new Promise<[string]>((resolve) => socket.once('close', () => resolve(['cut'])));
          const [answer] = (await Promise.race([once(socket, 'data'), gone, left(patienceMs)])) as [Buffer | string];
          return typeof answer === 'string' ? answer : (/^HTTP\/1\.1 (\d+)/.exec(String(answer))?.[1] ?? 'nonsense');
        } catch {
          return 'refused';
        } finally {
          socket.destroy();
        }
      },
      explains: always(wanted),
    });
  };

  const head = (length: number) =>
    `POST /me/claims HTTP/1.1\r\nHost: portico\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  return {
    hostileToken,
    badRequest,
    tooLarge: raw('a body that is too large', `${head(maxRequestBytes + 1)}{`, '413', 10_000),
    halfSent: raw('a body that is half sent', `${head(100)}{"type":`, 'left midway', 100),
  };
};

const left = (patienceMs: number): Promise<[string]> =>
  new Promise((resolve) => {
    setTimeout(resolve, patienceMs, ['left midway']);
  });

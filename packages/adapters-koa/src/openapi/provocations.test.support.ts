import { createUseCases, type Failure, noContent, toJson } from '@portico/core';
import { fakePorts, fakeRateLimiter } from '@portico/core/testing';
import { errAsync, okAsync } from 'neverthrow';
import { drain } from '../server/draining.ts';
import { everything } from './document.test.support.ts';
import type { Operation, Response } from './format.ts';
import { resolved } from './reference.ts';
import {
  type Answer,
  listening,
  type PortalSettings,
  routes,
  send,
  servePortal,
} from '../server/portal.test.support.ts';
import {
  aSearch,
  clientOf,
  moaId,
  onSearch,
  searchFakes,
  type SearchHostSettings,
  serveSearch,
} from '../server/search.test.support.ts';
import { createServer, type ServerSettings } from '../server/server.ts';

type Provoke = () => Promise<Answer>;

/** Every operation, status and media type that the document has. */
export const documented = Object.entries(everything.paths).flatMap(([path, { parameters: _, ...item }]) =>
  Object.entries(item as Readonly<Record<string, Operation>>).flatMap(([method, { responses }]) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const { content = {} } = resolved<Response>(response, everything.components.responses);
      const types = Object.keys(content);
      return (types.length > 0 ? types : ['nothing']).map((type) => {
        const route = `${method.toUpperCase()} ${path}`;
        const key = types.length > 1 ? `${route} ${status} ${type}` : `${route} ${status}`;
        return { route, status: Number(status), type, key };
      });
    }),
  ),
);

const throws = (): never => {
  throw new Error('a bug');
};

/** Every answer that any route under `/me` may give, provoked by its failing service or by who asks. */
const ofMember = ([method, path, service, operation, body]: (typeof routes)[number]): Readonly<
  Record<string, Provoke>
> => {
  const wish = body === undefined ? {} : { body };
  const asking =
    (
      settings: PortalSettings = {},
      more: { readonly headers?: Readonly<Record<string, string | undefined>> } = {},
    ): Provoke =>
    async () =>
      (await servePortal(settings)).ask(method, path, { ...wish, ...more });
  const failing =
    (failure: Failure): Provoke =>
    async () => {
      const portal = await servePortal();
      portal.fakes[service].failWith(failure);
      return portal.ask(method, path, wish);
    };
  const answering = (answer: unknown) => asking({ ports: { [service]: { [operation]: () => okAsync(answer) } } });
  const submission = operation === 'submit';
  return {
    [submission ? 201 : 200]: asking(),
    400: failing({ kind: 'invalid', detail: 'No.', errors: [{ path: '', message: 'no' }] }),
    401: asking({}, { headers: { authorization: undefined } }),
    404: failing({ kind: 'not-found', service, code: 'not-found' }),
    429: asking({ memberLimiter: fakeRateLimiter({ requests: 0 }) }),
    500: asking({ ports: { [service]: { [operation]: throws } } }),
    502: failing({ kind: 'upstream', service, reason: 'timeout' }),
    503: failing({ kind: 'overloaded', retryAfterSeconds: 7 }),
    ...(path.endsWith('DOC-1')
      ? {
          206: asking({}, { headers: { range: 'bytes=0-3' } }),
          304: asking({}, { headers: { 'if-none-match': '*' } }),
          416: asking({}, { headers: { range: 'bytes=1000-' } }),
        }
      : { 204: answering(submission ? { outcome: 'created', claim: noContent } : noContent) }),
    ...(submission && { 202: answering({ outcome: 'accepted', claim: toJson({ locator: 'CLM-9' }) }) }),
    ...(/^(?:PUT|PATCH)$/.test(method) && { 412: failing({ kind: 'precondition-failed', service }) }),
    ...(body !== undefined && {
      413: asking({ maxRequestBytes: 1 }),
      415: asking({}, { headers: { 'content-type': 'text/plain' } }),
    }),
  };
};

const hosting =
  (ask: (host: ReturnType<typeof clientOf>) => Promise<Answer>, settings: SearchHostSettings = {}): Provoke =>
  async () =>
    ask(await serveSearch(settings));

/** A host one of whose use cases is another. */
const changed =
  (
    change: Partial<ReturnType<typeof searchFakes>['use']>,
    ask: (host: ReturnType<typeof clientOf>) => Promise<Answer>,
  ): Provoke =>
  async () =>
    ask(clientOf(await listening(createServer({ ...searchFakes().use, ...change }))));

const searched =
  (accept: string): Provoke =>
  async () => {
    const host = await serveSearch();
    const answer = host.search(aSearch, { accept });
    await host.posted(2);
    host.clock.advance(10_000);
    return answer;
  };

const noRequests = { addressLimiter: fakeRateLimiter({ requests: 0 }) };

const ofSearch: Readonly<Record<string, Provoke>> = {
  '200 application/json': searched('application/json'),
  '200 text/event-stream': searched('text/event-stream'),
  400: hosting(({ search }) => search('{}')),
  413: hosting(({ search }) => search(), { maxRequestBytes: 1 }),
  415: hosting(({ search }) => search(aSearch, { 'content-type': 'text/plain' })),
  429: hosting(({ search }) => search(), noRequests),
  500: changed({ search: throws }, ({ search }) => search()),
  503: hosting(({ search }) => search(), { maxPending: 1 }),
};

const ofCallbacks = (path: string): Readonly<Record<string, Provoke>> => {
  const callBack = (host: ReturnType<typeof clientOf>) => host.callBack(onSearch(moaId), {}, path);
  const failing = (failure: Failure) => changed({ receiveCallback: () => errAsync(failure) }, callBack);
  return {
    200: hosting(callBack),
    400: hosting((host) => host.callBack('{', {}, path)),
    401: failing({ kind: 'unauthenticated', reason: 'missing' }),
    413: hosting(callBack, { maxCallbackBytes: 1 }),
    429: hosting(callBack, noRequests),
    500: failing({ kind: 'unexpected', cause: 'a bug' }),
    503: failing({ kind: 'overloaded', retryAfterSeconds: 7 }),
  };
};

const getting =
  (path: string, settings: ServerSettings = {}, headers: Readonly<Record<string, string>> = {}): Provoke =>
  async () =>
    send(await listening(createServer(searchFakes().use, settings)), 'GET', path, { headers });

/** On its way out, while a search waits. */
export const draining =
  (path: string): Provoke =>
  async () => {
    const { use, posted, clock } = searchFakes();
    const server = createServer({ ...createUseCases(fakePorts()), ...use });
    const port = await listening(server);
    const answer = clientOf(port).search();
    await posted(2);
    const drained = drain(server);
    const refused = await send(port, 'GET', path);
    clock.advance(10_000);
    await answer;
    await drained;
    return refused;
  };

const ofDocument = (path: string): Readonly<Record<string, Provoke>> => ({
  200: getting(path),
  304: getting(path, {}, { 'if-none-match': '*' }),
  503: draining(path),
});

const under = (route: string, answers: Readonly<Record<string, Provoke>>) =>
  Object.entries(answers).map(([status, provoke]) => [`${route} ${status}`, provoke] as const);

/** How to get each of them. What nothing here provokes must not be documented. */
export const provocations: Readonly<Record<string, Provoke>> = Object.fromEntries([
  ...routes.flatMap((row) => under(`${row[0]} ${row[1].replace(/CLM-1|DOC-1/, '{locator}')}`, ofMember(row))),
  ...under('POST /api/search', ofSearch),
  ...under('POST /on_search', ofCallbacks('/on_search')),
  ...under('POST /on_search/', ofCallbacks('/on_search/')),
  ...under('GET /health', {
    200: getting('/health'),
    500: changed({ searchStatus: throws }, ({ port }) => send(port, 'GET', '/health')),
  }),
  ...under('GET /api/legs', {
    200: getting('/api/legs'),
    500: changed({ listLegs: throws }, ({ port }) => send(port, 'GET', '/api/legs')),
    503: changed({ listLegs: () => errAsync({ kind: 'overloaded', retryAfterSeconds: 7 }) }, ({ port }) =>
      send(port, 'GET', '/api/legs'),
    ),
  }),
  ...under('GET /livez', { 200: getting('/livez') }),
  ...under('GET /readyz', {
    200: getting('/readyz'),
    500: getting('/readyz', { notReady: throws }),
    503: getting('/readyz', { notReady: async () => ['no keys yet'] }),
  }),
  ...under('GET /openapi.json', ofDocument('/openapi.json')),
  ...under('GET /docs', ofDocument('/docs')),
]);

import { createUseCases, type Failure, noContent, toJson } from '@portico/core';
import { fakePorts, fakeRateLimiter } from '@portico/core/testing';
import { errAsync, okAsync } from 'neverthrow';
import { serverDefaults } from '../request/server-defaults.ts';
import { drain } from '../server/draining.ts';
import { fullDocument } from './document.test.support.ts';
import type { Response } from './format.ts';
import { operations } from './operations.test.support.ts';
import { resolved } from './reference.ts';
import {
  type TestResponse,
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

type Scenario = () => Promise<TestResponse>;

/** Every documented operation, status and media type. */
export const documented = operations.flatMap(({ route, operation }) =>
  Object.entries(operation.responses).flatMap(([status, response]) => {
    const { content = {} } = resolved<Response>(response, fullDocument.components.responses);
    const types = Object.keys(content);
    return (types.length > 0 ? types : ['nothing']).map((type) => {
      const key = types.length > 1 ? `${route} ${status} ${type}` : `${route} ${status}`;
      return { route, status: Number(status), type, key };
    });
  }),
);

const throws = (): never => {
  throw new Error('a bug');
};

/** Scenarios for every response of a route under `/me`. */
const ofMember = ([method, path, service, operation, body]: (typeof routes)[number]): Readonly<
  Record<string, Scenario>
> => {
  const options = body === undefined ? {} : { body };
  const requesting =
    (
      settings: PortalSettings = {},
      more: { readonly headers?: Readonly<Record<string, string | undefined>> } = {},
    ): Scenario =>
    async () =>
      (await servePortal(settings)).request(method, path, { ...options, ...more });
  const failing =
    (failure: Failure): Scenario =>
    async () => {
      const portal = await servePortal();
      portal.fakes[service].failWith(failure);
      return portal.request(method, path, options);
    };
  const returning = (value: unknown) => requesting({ ports: { [service]: { [operation]: () => okAsync(value) } } });
  const submission = operation === 'submit';
  return {
    [submission ? 201 : 200]: requesting(),
    400: failing({ kind: 'invalid', detail: 'No.', errors: [{ path: '', message: 'no' }] }),
    401: requesting({}, { headers: { authorization: undefined } }),
    403: requesting({ rules: { scopes: { read: 'me:read', write: 'me:write' } } }),
    404: failing({ kind: 'not-found', service, code: 'not-found' }),
    429: requesting({ memberLimiter: fakeRateLimiter({ requests: 0 }) }),
    500: requesting({ ports: { [service]: { [operation]: throws } } }),
    502: failing({ kind: 'upstream', service, reason: 'timeout' }),
    503: failing({ kind: 'overloaded', retryAfterSeconds: 7 }),
    ...(path.endsWith('DOC-1')
      ? {
          206: requesting({}, { headers: { range: 'bytes=0-3' } }),
          304: requesting({}, { headers: { 'if-none-match': '*' } }),
          416: requesting({}, { headers: { range: 'bytes=1000-' } }),
        }
      : { 204: returning(submission ? { outcome: 'created', claim: noContent } : noContent) }),
    ...(submission && { 202: returning({ outcome: 'accepted', claim: toJson({ locator: 'CLM-9' }) }) }),
    ...(/^(?:PUT|PATCH)$/.test(method) && { 412: failing({ kind: 'precondition-failed', service }) }),
    ...(body !== undefined && {
      413: requesting({ maxRequestBytes: 1 }),
      415: requesting({}, { headers: { 'content-type': 'text/plain' } }),
    }),
  };
};

/** Scenarios for every response of `GET /me` itself. */
const ofPage = (accept: string): Readonly<Record<string, Scenario>> => {
  const requesting =
    (settings: PortalSettings = {}, headers: Readonly<Record<string, string | undefined>> = {}, query = ''): Scenario =>
    async () =>
      (await servePortal(settings)).request('GET', `/me${query}`, { headers: { accept, ...headers } });
  return {
    [`200 ${accept}`]: requesting(),
    400: requesting({}, {}, '?include=nothing'),
    401: requesting({}, { authorization: undefined }),
    403: requesting({ rules: { scopes: { read: 'me:read', write: 'me:write' } } }),
    429: requesting({ memberLimiter: fakeRateLimiter({ requests: 0 }) }),
    500: requesting({ ports: { identity: { verify: throws } } }),
    502: withoutIdentity({ kind: 'upstream', service: 'identity', reason: 'timeout' }),
    503: withoutIdentity({ kind: 'overloaded', retryAfterSeconds: 7 }),
  };
};

const withoutIdentity =
  (failure: Failure): Scenario =>
  async () => {
    const portal = await servePortal();
    portal.fakes.identity.failWith(failure);
    return portal.request('GET', '/me');
  };

const hosting =
  (act: (host: ReturnType<typeof clientOf>) => Promise<TestResponse>, settings: SearchHostSettings = {}): Scenario =>
  async () =>
    act(await serveSearch(settings));

/** A search host with some use cases replaced. */
const replacing =
  (
    change: Partial<ReturnType<typeof searchFakes>['use']>,
    act: (host: ReturnType<typeof clientOf>) => Promise<TestResponse>,
  ): Scenario =>
  async () =>
    act(clientOf(await listening(createServer({ ...searchFakes().use, ...change }))));

const searched =
  (accept: string): Scenario =>
  async () => {
    const host = await serveSearch();
    const response = host.search(aSearch, { accept });
    await host.posted(2);
    host.clock.advance(10_000);
    return response;
  };

const noRequests = { addressLimiter: fakeRateLimiter({ requests: 0 }) };

const ofSearch: Readonly<Record<string, Scenario>> = {
  '200 application/json': searched('application/json'),
  '200 text/event-stream': searched('text/event-stream'),
  400: hosting(({ search }) => search('{}')),
  413: hosting(({ search }) => search(), { maxRequestBytes: 1 }),
  415: hosting(({ search }) => search(aSearch, { 'content-type': 'text/plain' })),
  429: hosting(({ search }) => search(), noRequests),
  500: replacing({ search: throws }, ({ search }) => search()),
  503: hosting(({ search }) => search(), { maxPending: 1 }),
};

const callBack = (path: string) => (host: ReturnType<typeof clientOf>) => host.callBack(onSearch(moaId), {}, path);

const refusingCallbacks = (path: string, failure: Failure) =>
  replacing({ receiveCallback: () => errAsync(failure) }, callBack(path));

const ofCallbacks = (path: string): Readonly<Record<string, Scenario>> => ({
  200: hosting(callBack(path)),
  400: hosting((host) => host.callBack('{', {}, path)),
  401: refusingCallbacks(path, { kind: 'unauthenticated', reason: 'missing' }),
  413: hosting(callBack(path), { maxCallbackBytes: 1 }),
  415: hosting((host) => host.callBack('{}', { 'content-encoding': 'gzip' }, path)),
  429: hosting(callBack(path), noRequests),
  500: refusingCallbacks(path, { kind: 'unexpected', cause: 'a bug' }),
  503: refusingCallbacks(path, { kind: 'overloaded', retryAfterSeconds: 7 }),
});

const getting =
  (path: string, settings: ServerSettings = {}, headers: Readonly<Record<string, string>> = {}): Scenario =>
  async () =>
    send(await listening(createServer(searchFakes().use, settings)), 'GET', path, { headers });

/** Requests a path while the server drains and a search is pending. */
export const draining =
  (path: string): Scenario =>
  async () => {
    const { use, posted, clock } = searchFakes();
    const server = createServer({ ...createUseCases(fakePorts()), ...use });
    const port = await listening(server);
    const response = clientOf(port).search();
    await posted(2);
    const drained = drain(server);
    const refused = await send(port, 'GET', path);
    clock.advance(10_000);
    await response;
    await drained;
    return refused;
  };

/** The 4xx of an operation without parameters and without a token. */
const tooLarge = (path: string) => ({
  431: getting(path, {}, { 'x-filler': 'x'.repeat(serverDefaults.maxHeaderBytes) }),
});

const ofDocument = (path: string): Readonly<Record<string, Scenario>> => ({
  200: getting(path),
  304: getting(path, {}, { 'if-none-match': '*' }),
  503: draining(path),
  ...tooLarge(path),
});

const under = (route: string, scenarios: Readonly<Record<string, Scenario>>) =>
  Object.entries(scenarios).map(([status, scenario]) => [`${route} ${status}`, scenario] as const);

/** Scenarios by operation, status and media type. Documented responses without a scenario fail the tests. */
export const scenarios: Readonly<Record<string, Scenario>> = Object.fromEntries([
  ...routes.flatMap((row) => under(`${row[0]} ${row[1].replace(/CLM-1|DOC-1/, '{locator}')}`, ofMember(row))),
  ...under('GET /me', { ...ofPage('application/json'), ...ofPage('text/event-stream') }),
  ...under('POST /api/search', ofSearch),
  ...under('POST /on_search', ofCallbacks('/on_search')),
  ...under('POST /on_discover', ofCallbacks('/on_discover')),
  ...under('GET /health', {
    200: getting('/health'),
    ...tooLarge('/health'),
    500: replacing({ searchStatus: throws }, ({ port }) => send(port, 'GET', '/health')),
  }),
  ...under('GET /api/legs', {
    200: getting('/api/legs'),
    ...tooLarge('/api/legs'),
    500: replacing({ listLegs: throws }, ({ port }) => send(port, 'GET', '/api/legs')),
    503: replacing({ listLegs: () => errAsync({ kind: 'overloaded', retryAfterSeconds: 7 }) }, ({ port }) =>
      send(port, 'GET', '/api/legs'),
    ),
  }),
  ...under('GET /livez', { 200: getting('/livez'), ...tooLarge('/livez') }),
  ...under('GET /readyz', {
    200: getting('/readyz'),
    ...tooLarge('/readyz'),
    500: getting('/readyz', { notReady: throws }),
    503: getting('/readyz', { notReady: async () => ['no keys yet'] }),
  }),
  ...under('GET /openapi.json', ofDocument('/openapi.json')),
  ...under('GET /docs', ofDocument('/docs')),
]);

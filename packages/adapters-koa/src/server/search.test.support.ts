import { type ClientRequest, request } from 'node:http';
import {
  type CallbackVerifier,
  createSearchUseCases,
  memoryCallbackExchange,
  type SearchSettings,
  type SearchTransport,
} from '@portico/core';
import { acknowledged, aLeg, fakeClock, fakeIds, fakeSearchTransport } from '@portico/core/testing';
import { err } from 'neverthrow';
import { expectDocumented, expectSchema } from '../openapi/document.test.support.ts';
import { listening, send } from './portal.test.support.ts';
import { createServer, type ServerSettings } from './server.ts';

export const aSearch = JSON.stringify({ persona: 'member', query: 'dental cover', user_id: 'u-1' });

/** The text of a search request. `more`: additional fields, each with its line end. */
export const rawSearch = (more = ''): string =>
  `POST /api/search HTTP/1.1\r\nHost: portal\r\nContent-Type: application/json\r\n${more}Content-Length: ${aSearch.length}\r\n\r\n${aSearch}`;

/** The body of a seller's callback, pretty-printed as by some sellers. */
export const onSearch = (transactionId: string, catalog: unknown = { providers: [] }): string =>
  JSON.stringify(
    {
      context: { action: 'on_search', transaction_id: transactionId, bpp_id: 'bpp.example.org' },
      message: { catalog },
    },
    undefined,
    2,
  );

/** The transaction id of the nth leg. Fake ids count up in the order of the legs. */
export const transactionId = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;

export const [moaId, mhId] = [transactionId(1), transactionId(2)];

/** The result of a post that the network refused. */
export const refused = err({ kind: 'bap_unreachable', detail: 'the network responded with 500' } as const);

export interface SearchHostSettings extends ServerSettings, Partial<SearchSettings> {
  readonly script?: Parameters<typeof fakeSearchTransport>[0];
  readonly verifier?: CallbackVerifier;
}

/** The search API with fakes: networks that acknowledge, and a manually advanced clock. */
export const searchFakes = ({
  legs = [aLeg('moa'), aLeg('mh')],
  script = Object.fromEntries(legs.map(({ id }) => [id, acknowledged])),
  verifier,
  ...settings
}: SearchHostSettings = {}) => {
  const clock = fakeClock();
  const fake = fakeSearchTransport(script);
  const waiting = new Set<() => void>();
  const transport: SearchTransport = {
    post: (...post) => {
      const posted = fake.post(...post);
      for (const check of waiting) check();
      return posted;
    },
  };
  const exchange = memoryCallbackExchange(clock);
  return {
    clock,
    posts: fake.posts,
    use: createSearchUseCases({ transport, exchange, clock, ids: fakeIds(), verifier }, { legs, ...settings }),
    /** Resolves when this number of envelopes has been posted. */
    posted: (count: number) =>
      new Promise<void>((resolve) => {
        const check = () => void (fake.posts.length >= count && resolve());
        waiting.add(check);
        check();
      }),
    /** Resolves when every post so far has been cancelled. */
    cancelled: () =>
      Promise.all(
        fake.posts.map(
          ({ signal }) =>
            new Promise<void>((resolve) => {
              if (signal.aborted) resolve();
              signal.addEventListener('abort', () => resolve());
            }),
        ),
      ),
  };
};

/** Serves the search and callback routes on loopback until the test ends. */
export const serveSearch = async (settings: SearchHostSettings = {}) => {
  const fakes = searchFakes(settings);
  const errors: unknown[] = [];
  const server = createServer(fakes.use, { onError: (error) => errors.push(error), ...settings });
  const port = await listening(server);
  return { ...fakes, ...clientOf(port), server, errors };
};

/** Sends the requests of clients and sellers. */
export const clientOf = (port: number) => ({
  port,
  search: (body: string | Buffer = aSearch, headers: Readonly<Record<string, string>> = {}) =>
    send(port, 'POST', '/api/search', { body, headers: { 'content-type': 'application/json', ...headers } }),
  callBack: (
    body: string | Buffer | readonly (string | Buffer)[],
    headers: Readonly<Record<string, string>> = {},
    path = '/on_search',
  ) => send(port, 'POST', path, { body, headers: { 'content-type': 'application/json', ...headers } }),
  /** Returns the pending legs and the callback counters above zero, from `/health`. */
  counted: async () => {
    const { json } = await send(port, 'GET', '/health');
    const { pending, callbacks } = json as { readonly pending: number; readonly callbacks: Record<string, number> };
    return { pending, ...Object.fromEntries(Object.entries(callbacks).filter(([, count]) => count > 0)) };
  },
  listen: () => listen(port),
});

/** A server-sent event (HTML Living Standard, section 9.2.6) with its data lines joined. */
interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
}

const schemaOfEvent = { callback: 'CallbackEvent', leg: 'LegEvent', done: 'SearchResponse' } as const;

/** Starts a search and reads its event stream. */
const listen = async (port: number) => {
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
  const outgoing: ClientRequest = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/api/search',
    headers,
    agent: false,
  });
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
  outgoing.on('response', resolve).on('error', reject).end(aSearch);
  const response = await promise;
  expectDocumented('POST', '/api/search', { status: response.statusCode ?? 0, headers: response.headers });
  const events = eventsIn(response.setEncoding('utf8'));
  const next = async () => {
    const { value } = await events.next();
    if (value) expectSchema(schemaOfEvent[value.name as keyof typeof schemaOfEvent], JSON.parse(value.data));
    return value;
  };
  return {
    headers: response.headers,
    /** The next event, or undefined at the end of the stream. */
    next,
    disconnect: () => outgoing.destroy(),
  };
};

async function* eventsIn(texts: AsyncIterable<string>): AsyncGenerator<ServerSentEvent, undefined> {
  let buffer = '';
  for await (const text of texts) {
    buffer += text;
    for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
      const fields = buffer.slice(0, end).split(/\r\n|\r|\n/);
      buffer = buffer.slice(end + 2);
      const valuesOf = (field: string) =>
        fields.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2));
      if (valuesOf('event').length > 0) yield { name: valuesOf('event').join(), data: valuesOf('data').join('\n') };
    }
  }
  return undefined;
}

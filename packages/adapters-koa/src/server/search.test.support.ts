import { type ClientRequest, request } from 'node:http';
import {
  type CallbackVerifier,
  createSearchUseCases,
  memoryCallbackExchange,
  type SearchSettings,
  type SearchTransport,
} from '@portico/core';
import { acknowledged, aLeg, fakeClock, fakeIds, fakeSearchTransport } from '@portico/core/testing';
import { expectDocumented, expectSchema } from '../openapi/document.test.support.ts';
import { listening, send } from './portal.test.support.ts';
import { createServer, type ServerSettings } from './server.ts';

export const aSearch = JSON.stringify({ persona: 'member', query: 'dental cover', user_id: 'u-1' });

/** The text of a seller's callback: pretty-printed, as some sellers do. */
export const onSearch = (transactionId: string, catalog: unknown = { providers: [] }): string =>
  JSON.stringify(
    {
      context: { action: 'on_search', transaction_id: transactionId, bpp_id: 'bpp.example.org' },
      message: { catalog },
    },
    undefined,
    2,
  );

/** The id that a leg of the first search has; fake ids count up, in the order of the legs. */
export const transactionId = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;

export const [moaId, mhId] = [transactionId(1), transactionId(2)];

export interface SearchHostSettings extends ServerSettings, Partial<SearchSettings> {
  readonly script?: Parameters<typeof fakeSearchTransport>[0];
  readonly verifier?: CallbackVerifier;
}

/** The search half on fakes: networks that acknowledge, and a clock that only the test moves. */
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
      for (const look of waiting) look();
      return posted;
    },
  };
  const exchange = memoryCallbackExchange(clock);
  return {
    clock,
    posts: fake.posts,
    use: createSearchUseCases({ transport, exchange, clock, ids: fakeIds(), verifier }, { legs, ...settings }),
    /** Resolves when so many envelopes have been posted. */
    posted: (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => void (fake.posts.length >= count && resolve());
        waiting.add(look);
        look();
      }),
    /** Resolves when every post so far has been given up. */
    abandoned: () =>
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

/** Both hosts of the search half in one server on loopback, for as long as the test lasts. */
export const serveSearch = async (settings: SearchHostSettings = {}) => {
  const fakes = searchFakes(settings);
  const errors: unknown[] = [];
  const server = createServer(fakes.use, { onError: (error) => errors.push(error), ...settings });
  const port = await listening(server);
  return { ...fakes, ...clientOf(port), server, errors };
};

/** Asks a server of the search half as its clients and sellers do. */
export const clientOf = (port: number) => ({
  port,
  search: (body: string | Buffer = aSearch, headers: Readonly<Record<string, string>> = {}) =>
    send(port, 'POST', '/api/search', { body, headers: { 'content-type': 'application/json', ...headers } }),
  callBack: (
    body: string | Buffer | readonly (string | Buffer)[],
    headers: Readonly<Record<string, string>> = {},
    path = '/on_search',
  ) => send(port, 'POST', path, { body, headers: { 'content-type': 'application/json', ...headers } }),
  /** Which callbacks `/health` has counted, and how many legs wait. */
  counted: async () => {
    const { json } = await send(port, 'GET', '/health');
    const { pending, callbacks } = json as { readonly pending: number; readonly callbacks: Record<string, number> };
    return { pending, ...Object.fromEntries(Object.entries(callbacks).filter(([, count]) => count > 0)) };
  },
  listen: () => listen(port),
});

/** One server-sent event (HTML Living Standard, section 9.2.6), its lines of data joined again. */
interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
}

/** A search whose answer is read as it comes. */
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
    if (value) expectSchema(value.name === 'leg' ? 'LegEvent' : 'SearchAnswer', JSON.parse(value.data));
    return value;
  };
  return {
    headers: response.headers,
    /** The next event, or nothing when the stream has ended. */
    next,
    leave: () => outgoing.destroy(),
  };
};

async function* eventsIn(texts: AsyncIterable<string>): AsyncGenerator<ServerSentEvent, undefined> {
  let held = '';
  for await (const text of texts) {
    held += text;
    for (let end = held.indexOf('\n\n'); end >= 0; end = held.indexOf('\n\n')) {
      const fields = held.slice(0, end).split(/\r\n|\r|\n/);
      held = held.slice(end + 2);
      const valuesOf = (field: string) =>
        fields.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2));
      if (valuesOf('event').length > 0) yield { name: valuesOf('event').join(), data: valuesOf('data').join('\n') };
    }
  }
  return undefined;
}

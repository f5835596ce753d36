import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeClock, fakeClock, fakeSessionStore } from '@portico/core/testing';
import { onTestFinished } from 'vitest';
import type { SessionEvent } from './events.ts';
import { clientSecret, type TestProvider, testProvider } from './provider/provider.test.support.ts';
import { sessions } from './sessions.ts';
import type { SessionSettings } from './settings.ts';

export const someKey = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

/** A response, and what the route behind the session received. */
interface PageResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** A browser: it keeps cookies, and sends what a page of the same origin sends. */
export interface Browser {
  readonly cookies: Map<string, string>;
  send(path: string, options?: RequestInit & { readonly origin?: string }): Promise<PageResponse>;
  /** Signs in, and returns the response of the callback. */
  signIn(returnTo?: string): Promise<PageResponse>;
}

export interface Portal {
  readonly clock: FakeClock;
  readonly provider: TestProvider;
  readonly events: readonly SessionEvent[];
  /** The names of the events so far. */
  readonly names: () => readonly string[];
  /** Requests that reached the route behind the session. */
  readonly received: readonly { readonly headers: IncomingHttpHeaders; readonly rawHeaders: readonly string[] }[];
  browser(cookies?: ReadonlyMap<string, string>): Browser;
  readonly url: string;
  readonly settled: () => Promise<void>;
  /** Resolves when a client has disconnected before its response. */
  readonly disconnected: Promise<void>;
}

export interface PortalOptions extends Partial<SessionSettings> {
  readonly clock?: FakeClock;
  readonly provider?: TestProvider;
  /** Runs in the route behind the session, before it responds, or instead. */
  readonly beforeResponse?: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;
}

/** Both places where sessions can be kept. */
export const places: readonly (readonly [string, () => PortalOptions])[] = [
  ['in the cookie', () => ({})],
  [
    'in a store',
    () => {
      const clock = fakeClock();
      return { clock, store: fakeSessionStore(clock) };
    },
  ],
];

/** A portal whose provider behaves like this, and a browser that has signed in. */
export const signedIn = async (options: PortalOptions = {}, behaviour: Partial<TestProvider['behaviour']> = {}) => {
  const one = await portal(options);
  Object.assign(one.provider.behaviour, behaviour);
  const own = one.browser();
  await own.signIn();
  const refreshes = () => one.provider.tokenRequests.filter(({ grant_type: type }) => type === 'refresh_token').length;
  return { ...one, ...own, own, refreshes };
};

/** A server with sessions in front of a route that shows what it received. */
export const portal = async (options: PortalOptions = {}): Promise<Portal> => {
  const { clock = fakeClock(), provider = testProvider(clock), beforeResponse, ...settings } = options;
  const events: SessionEvent[] = [];
  const received: Portal['received'][number][] = [];
  const handle = sessions({
    issuer: provider.issuer,
    client: { id: 'portal', secret: clientSecret },
    publicUrl: 'https://portal.example',
    keys: [someKey(1)],
    fetch: provider.fetch,
    clock,
    onEvent: (event) => events.push(event),
    ...settings,
  });
  const disconnected = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    response.once('close', () => {
      if (!response.writableFinished) disconnected.resolve();
    });
    void handle(request, response, async () => {
      await beforeResponse?.(request, response);
      received.push({ headers: { ...request.headers }, rawHeaders: [...request.rawHeaders] });
      if (response.writableEnded) return;
      response.statusCode = request.headers.authorization === undefined ? 401 : 200;
      response.end(JSON.stringify({ authorization: request.headers.authorization, cookie: request.headers.cookie }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    clock,
    provider,
    events,
    names: () => events.map(({ name }) => name),
    received,
    url,
    settled: handle.settled,
    disconnected: disconnected.promise,
    browser: (cookies) => browser(url, provider, new Map(cookies)),
  };
};

const browser = (url: string, provider: TestProvider, cookies: Map<string, string>): Browser => {
  const send: Browser['send'] = async (path, { headers, ...options } = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url + path, {
      redirect: 'manual',
      ...options,
      headers: { ...(cookie !== '' && { cookie }), ...(headers as Record<string, string> | undefined) },
    });
    for (const line of response.headers.getSetCookie()) store(cookies, line);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  };
  return {
    cookies,
    send,
    signIn: async (returnTo = '/claims') => {
      const started = await send(`/session/login?return_to=${encodeURIComponent(returnTo)}`);
      const callback = provider.authorize(started.headers.get('location') ?? '');
      return send(callback.pathname + callback.search);
    },
  };
};

/** Browsers refuse cookies of `__Host-` without `Secure` and `Path=/`, and cookies that are too large. */
const store = (cookies: Map<string, string>, line: string): void => {
  const [pair = '', ...attributes] = line.split('; ');
  const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const;
  const isProtected = ['Path=/', 'HttpOnly', 'SameSite=Lax'].every((one) => attributes.includes(one));
  if (!isProtected || (name.startsWith('__Host-') && !attributes.includes('Secure')) || line.length > 4096)
    throw new Error(`A browser refuses this cookie: ${line.slice(0, 80)}`);
  if (attributes.includes('Max-Age=0')) cookies.delete(name);
  else cookies.set(name, value);
};

const parsed = (text: string): PageResponse['json'] => {
  try {
    return JSON.parse(text) as PageResponse['json'];
  } catch {
    return {};
  }
};

/** Headers of a page of the same origin that changes data. */
export const ownPage = { 'x-portico-csrf': '1', 'sec-fetch-site': 'same-origin' };

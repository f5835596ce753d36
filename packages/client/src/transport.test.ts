import { createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { invalid, toJson, unauthenticated } from '@portico/core';
import { err } from 'neverthrow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { porticoClient, type PorticoClientSettings } from './index.ts';
import { unusedUrl, serveOther, servePortico } from './portico.test.support.ts';

const neverToken = () => new Promise<string>(() => {});

const json = { 'content-type': 'application/json' };

describe('a response that is not from Portico', () => {
  it.each([
    ['an HTML page', 200, 'text/html', '<p>hunter2</p>', {}],
    ["a proxy's error", 502, 'text/html', '<h1>hunter2</h1>', {}],
    ["a proxy's problem details", 503, 'application/problem+json', '{"title":"hunter2","status":503}', {}],
    ['problem details that are not JSON', 500, 'application/problem+json', 'hunter2', {}],
    ['a redirect', 302, 'text/plain', '', { location: '/hunter2' }],
    ['a permanent redirect', 308, 'application/json', '{}', { location: '/hunter2' }],
    ['an unexpected 304', 304, 'text/plain', '', {}],
  ])('fails unexpected-response: %s', async (_, status, mediaType, text, headers) => {
    const { url, requests } = await serveOther((_, response) => {
      response.writeHead(status, { 'content-type': mediaType, ...headers }).end(text);
    });
    expect(await porticoClient({ url }).getCoverage()).toEqual(err({ kind: 'unexpected-response', status }));
    expect(requests).toEqual(['GET /me/coverage']);
  });
});

it('the client cancels the rest of an unexpected response', async () => {
  const closed = Promise.withResolvers<void>();
  const { url } = await serveOther((_, response) => {
    response.once('close', closed.resolve);
    response.writeHead(200, { 'content-type': 'text/html' }).write('<p>');
  });
  expect(await porticoClient({ url }).getCoverage()).toMatchObject({ error: { kind: 'unexpected-response' } });
  await closed.promise;
});

describe('a server', () => {
  it('a server is unreachable when the connection is refused', async () => {
    expect(await porticoClient({ url: unusedUrl }).getCoverage()).toEqual(err({ kind: 'unreachable' }));
  });

  it('a server is unreachable when it closes the connection, and the request is not retried', async () => {
    const { url, requests } = await serveOther(({ socket }) => void socket.destroy());
    expect(await porticoClient({ url }).getCoverage()).toEqual(err({ kind: 'unreachable' }));
    expect(requests).toEqual(['GET /me/coverage']);
  });

  it('a server is unreachable when it does not speak HTTP', async () => {
    const server = createServer((socket) => socket.end('220 hunter2\r\n'));
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, '127.0.0.1', resolve);
    onTestFinished(() => void server.close());
    await promise;
    const { port } = server.address() as { readonly port: number };
    expect(await porticoClient({ url: `http://127.0.0.1:${port}` }).getCoverage()).toEqual(
      err({ kind: 'unreachable' }),
    );
  });

  it('never yields a partial body when it closes the connection', async () => {
    const { url } = await serveOther((_, response) => {
      response.writeHead(200, { ...json, 'content-length': 100 }).write('{"plan":"gold"}', () => response.destroy());
    });
    expect(await porticoClient({ url }).getCoverage()).toEqual(err({ kind: 'interrupted' }));
  });

  it.each([
    ['does not respond', () => {}],
    [
      'does not complete its response',
      (response: import('node:http').ServerResponse) => {
        response.writeHead(200, json).write('{');
      },
    ],
    [
      'does not complete its problem details',
      (response: import('node:http').ServerResponse) => {
        response.writeHead(500, { 'content-type': 'application/problem+json' }).write('{');
      },
    ],
  ])('times out when it %s', async (_, respond) => {
    const { url } = await serveOther((_, response) => respond(response));
    expect(await porticoClient({ url, timeoutMs: 100 }).getCoverage()).toEqual(err({ kind: 'timed-out' }));
  });
});

describe('a signal', () => {
  it('cancels the call and closes the connection', async () => {
    const closed = Promise.withResolvers<void>();
    const received = Promise.withResolvers<void>();
    const { url } = await serveOther((_, response) => {
      response.once('close', closed.resolve);
      received.resolve();
    });
    const controller = new AbortController();
    const result = porticoClient({ url }).getCoverage(controller.signal);
    await received.promise;
    controller.abort();
    expect(await result).toEqual(err({ kind: 'cancelled' }));
    await closed.promise;
  });

  it('cancels the call without an unhandled rejection when the token function throws', async () => {
    const unhandled: unknown[] = [];
    const record = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', record);
    onTestFinished(() => void process.off('unhandledRejection', record));
    const controller = new AbortController();
    const token = () => {
      controller.abort();
      throw new Error('signed out');
    };
    const client = porticoClient({ url: 'http://127.0.0.1:1', token });
    expect(await client.getCoverage(controller.signal)).toEqual(err({ kind: 'cancelled' }));
    // Node reports unhandled rejections before the next turn of the event loop.
    await setImmediate();
    expect(unhandled).toEqual([]);
  });
});

describe('the token', () => {
  it('the token is requested for each call, and may be asynchronous', async () => {
    const { url, tokenOf } = await servePortico();
    const tokens = ['PTY-1', 'PTY-2'].map(tokenOf);
    const client = porticoClient({ url, token: async () => tokens.shift() });
    const plans = [await client.getCoverage(), await client.getCoverage()].map((result) =>
      result.map(({ value }) => value),
    );
    expect(plans).toMatchObject([{ value: { plan: 'gold' } }, { value: { plan: 'bronze' } }]);
  });

  it('the token is sent only to /me, and without cookies or a referrer', async () => {
    const sent: Readonly<Record<string, unknown>>[] = [];
    const { url } = await serveOther(({ headers }, response) => {
      sent.push(headers);
      response.writeHead(200, { ...json, 'set-cookie': 'session=hunter2' }).end('{"legs":[]}');
    });
    const client = porticoClient({ url, token: 'a.b.c' });
    await client.getCoverage();
    await client.getCoverage();
    await client.listLegs();
    await client.search({});
    expect(sent.map(({ authorization, cookie, referer }) => [authorization, cookie, referer])).toEqual([
      ['Bearer a.b.c', undefined, undefined],
      ['Bearer a.b.c', undefined, undefined],
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
    ]);
  });

  it('the token is checked by the server when it is missing or unknown', async () => {
    const { url } = await servePortico();
    for (const token of [undefined, '', () => undefined, async () => ''])
      expect(await porticoClient({ url, token }).getCoverage()).toEqual(err(unauthenticated('missing')));
    expect(await porticoClient({ url, token: 'x.y.z' }).getCoverage()).toEqual(err(unauthenticated('invalid')));
  });

  it.each(['a b', 'a\nb', 'ä', 'a,b'])(
    'the token is not sent when it is not a valid header value: %j',
    async (token) => {
      const { url, requests } = await serveOther((_, response) => response.end());
      expect(await porticoClient({ url, token }).getCoverage()).toEqual(err(unauthenticated('invalid')));
      expect(requests).toEqual([]);
    },
  );

  it('fails unexpected when its function throws', async () => {
    const { url, requests } = await serveOther((_, response) => response.end());
    const cause = new Error('signed out');
    const throwing = () => {
      throw cause;
    };
    for (const token of [throwing, async () => throwing()])
      expect(await porticoClient({ url, token }).getCoverage()).toEqual(err({ kind: 'unexpected', cause }));
    expect(requests).toEqual([]);
  });

  it('the token is subject to the deadline of the call', async () => {
    const client = porticoClient({ url: 'http://127.0.0.1:1', token: neverToken, timeoutMs: 50 });
    expect(await client.getCoverage()).toEqual(err({ kind: 'timed-out' }));
  });
});

describe('a client', () => {
  it('keeps the path of its base URL', async () => {
    const { url, requests } = await serveOther((_, response) => response.writeHead(200, json).end('{}'));
    for (const base of [`${url}/portal`, `${url}/portal//`]) await porticoClient({ url: base }).getCoverage();
    expect(requests).toEqual(['GET /portal/me/coverage', 'GET /portal/me/coverage']);
  });

  it('uses the given fetch without redirects, cookies, cache or referrer', async () => {
    const sent: [string, RequestInit][] = [];
    const fetch = async (url: string, init: RequestInit) => {
      sent.push([url, init]);
      return new Response('{}', { headers: json });
    };
    await porticoClient({ url: 'https://portico.example.org', fetch }).getCoverage();
    expect(sent).toMatchObject([
      [
        'https://portico.example.org/me/coverage',
        { redirect: 'manual', credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer', body: null },
      ],
    ]);
  });

  it.each([
    { url: '/portico' },
    { url: 'ftp://hunter2.example.org' },
    { url: 'https://user:hunter2@example.org' },
    { url: 'https://:hunter2@example.org' },
    { url: 'https://example.org/?hunter2' },
    { url: 'https://example.org', timeoutMs: Infinity },
    { url: 'https://example.org', timeoutMs: 0 },
    { url: 'https://example.org', searchTimeoutMs: Number.NaN },
  ])('throws for invalid settings, and does not quote them: %o', (settings: PorticoClientSettings) => {
    const create = () => porticoClient(settings);
    expect(create).toThrow(TypeError);
    expect(create).not.toThrow(/hunter2/);
  });
});

describe('a failure', () => {
  it('contains no token, URL or body', async () => {
    const { url } = await serveOther((_, response) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end('hunter2');
    });
    const refusing = unusedUrl;
    const secret = toJson({ note: 'hunter2' });
    const callsOf = (url: string, token: string) => {
      const client = porticoClient({ url: `${url}/hunter2`, token, timeoutMs: 1000 });
      return [
        client.getClaim('hunter2'),
        client.listClaims([['cursor', 'hunter2']]),
        client.submitClaim(secret, 'hunter2\n\u{1f9b7}'),
        client.getDocument('hunter2', { ifNoneMatch: '"hunter2\u{1f9b7}"' }),
        client.putConsent(secret),
        client.search({ query: 'hunter2' }),
      ];
    };
    const results = await Promise.all([
      ...callsOf(url, 'hunter2.hunter2.hunter2'),
      ...callsOf(refusing, 'hunter2.hunter2.hunter2'),
      ...callsOf(url, 'hunter2\n'),
    ]);
    for (const result of results) {
      expect(result.isErr()).toBe(true);
      expect(inspect(result, { depth: 10, showHidden: true })).not.toContain('hunter2');
    }
    expect(results[0]).toEqual(err({ kind: 'unexpected-response', status: 500 }));
    expect(results[3]).toEqual(
      err(
        invalid('The If-None-Match header is not valid.', {
          path: '/If-None-Match',
          message: 'must be a valid HTTP header value',
        }),
      ),
    );
  });
});

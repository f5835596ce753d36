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

describe('an answer that is no answer of a Portico', () => {
  it.each([
    ['a page', 200, 'text/html', '<p>hunter2</p>', {}],
    ["a proxy's own error", 502, 'text/html', '<h1>hunter2</h1>', {}],
    ["a proxy's own problem details", 503, 'application/problem+json', '{"title":"hunter2","status":503}', {}],
    ['problem details that are no JSON', 500, 'application/problem+json', 'hunter2', {}],
    ['a redirect', 302, 'text/plain', '', { location: '/hunter2' }],
    ['a permanent redirect', 308, 'application/json', '{}', { location: '/hunter2' }],
    ['"not modified" that nobody asked about', 304, 'text/plain', '', {}],
  ])('is known as such: %s', async (_, status, mediaType, text, headers) => {
    const { url, heard } = await serveOther((_, response) => {
      response.writeHead(status, { 'content-type': mediaType, ...headers }).end(text);
    });
    expect(await porticoClient({ url }).getCoverage()).toEqual(err({ kind: 'unexpected-response', status }));
    expect(heard).toEqual(['GET /me/coverage']);
  });
});

it('does not wait for what is left of an answer that is none', async () => {
  const left = Promise.withResolvers<void>();
  const { url } = await serveOther((_, response) => {
    response.once('close', left.resolve);
    response.writeHead(200, { 'content-type': 'text/html' }).write('<p>');
  });
  expect(await porticoClient({ url }).getCoverage()).toMatchObject({ error: { kind: 'unexpected-response' } });
  await left.promise;
});

describe('a server', () => {
  it('that is not there is unreachable', async () => {
    expect(await porticoClient({ url: await unusedUrl() }).getCoverage()).toEqual(err({ kind: 'unreachable' }));
  });

  it('that hangs up is unreachable, and is not asked again', async () => {
    const { url, heard } = await serveOther(({ socket }) => void socket.destroy());
    expect(await porticoClient({ url }).getCoverage()).toEqual(err({ kind: 'unreachable' }));
    expect(heard).toEqual(['GET /me/coverage']);
  });

  it('that speaks another protocol is unreachable', async () => {
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

  it('that breaks off leaves no half of an answer', async () => {
    const { url } = await serveOther((_, response) => {
      response.writeHead(200, { ...json, 'content-length': 100 }).write('{"plan":"gold"}', () => response.destroy());
    });
    expect(await porticoClient({ url }).getCoverage()).toEqual(err({ kind: 'interrupted' }));
  });

  it.each([
    ['does not answer', () => {}],
    [
      'does not come to the end of its answer',
      (response: import('node:http').ServerResponse) => {
        response.writeHead(200, json).write('{');
      },
    ],
    [
      'does not come to the end of its problem',
      (response: import('node:http').ServerResponse) => {
        response.writeHead(500, { 'content-type': 'application/problem+json' }).write('{');
      },
    ],
  ])('that %s is waited for until the deadline', async (_, answer) => {
    const { url } = await serveOther((_, response) => answer(response));
    expect(await porticoClient({ url, timeoutMs: 100 }).getCoverage()).toEqual(err({ kind: 'timed-out' }));
  });
});

describe('a caller', () => {
  it('who gives a call up is heard by the server', async () => {
    const left = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const { url } = await serveOther((_, response) => {
      response.once('close', left.resolve);
      asked.resolve();
    });
    const controller = new AbortController();
    const answer = porticoClient({ url }).getCoverage(controller.signal);
    await asked.promise;
    controller.abort();
    expect(await answer).toEqual(err({ kind: 'given-up' }));
    await left.promise;
  });

  it('who gives up while asked for the token, and has none, has given up and no more', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const controller = new AbortController();
    const token = () => {
      controller.abort();
      throw new Error('signed out');
    };
    const client = porticoClient({ url: 'http://127.0.0.1:1', token });
    expect(await client.getCoverage(controller.signal)).toEqual(err({ kind: 'given-up' }));
    // Node tells of what nobody handled before it turns to anything else.
    await setImmediate();
    expect(unhandled).toEqual([]);
  });
});

describe('the token', () => {
  it('is asked for anew with each call, and may take its time', async () => {
    const { url, tokenOf } = await servePortico();
    const tokens = ['PTY-1', 'PTY-2'].map(tokenOf);
    const client = porticoClient({ url, token: async () => tokens.shift() });
    const plans = [await client.getCoverage(), await client.getCoverage()].map((answer) =>
      answer.map(({ value }) => value),
    );
    expect(plans).toMatchObject([{ value: { plan: 'gold' } }, { value: { plan: 'bronze' } }]);
  });

  it('is the only thing of the member that goes along, and only to /me', async () => {
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

  it('that is none leaves the server to say so', async () => {
    const { url } = await servePortico();
    for (const token of [undefined, '', () => undefined, async () => ''])
      expect(await porticoClient({ url, token }).getCoverage()).toEqual(err(unauthenticated('missing')));
    expect(await porticoClient({ url, token: 'x.y.z' }).getCoverage()).toEqual(err(unauthenticated('invalid')));
  });

  it.each(['a b', 'a\nb', 'ä', 'a,b'])('that no header can hold is not sent: %j', async (token) => {
    const { url, heard } = await serveOther((_, response) => response.end());
    expect(await porticoClient({ url, token }).getCoverage()).toEqual(err(unauthenticated('invalid')));
    expect(heard).toEqual([]);
  });

  it('that cannot be had is no answer of the server', async () => {
    const { url, heard } = await serveOther((_, response) => response.end());
    const cause = new Error('signed out');
    const throwing = () => {
      throw cause;
    };
    for (const token of [throwing, async () => throwing()])
      expect(await porticoClient({ url, token }).getCoverage()).toEqual(err({ kind: 'unexpected', cause }));
    expect(heard).toEqual([]);
  });

  it('is waited for until the deadline', async () => {
    const client = porticoClient({ url: 'http://127.0.0.1:1', token: neverToken, timeoutMs: 50 });
    expect(await client.getCoverage()).toEqual(err({ kind: 'timed-out' }));
  });
});

describe('a client', () => {
  it('asks below the path at which Portico is', async () => {
    const { url, heard } = await serveOther((_, response) => response.writeHead(200, json).end('{}'));
    for (const base of [`${url}/portal`, `${url}/portal//`]) await porticoClient({ url: base }).getCoverage();
    expect(heard).toEqual(['GET /portal/me/coverage', 'GET /portal/me/coverage']);
  });

  it('sends by what it is given, and lets it follow, keep and add nothing', async () => {
    const sent: [string, RequestInit][] = [];
    const fetch = async (address: string, init: RequestInit) => {
      sent.push([address, init]);
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
  ])('is not made of what it cannot use, and does not repeat it: %o', (settings: PorticoClientSettings) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    try {
      porticoClient(settings);
    } catch (error) {
      resolve(error);
    }
    return promise.then((error) => {
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).not.toMatch(/hunter2/);
    });
  });
});

describe('a failure', () => {
  it('holds neither token nor URL nor body', async () => {
    const { url } = await serveOther((_, response) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end('hunter2');
    });
    const closed = await unusedUrl();
    const secret = toJson({ note: 'hunter2' });
    const asked = (url: string, token: string) => {
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
    const answers = await Promise.all([
      ...asked(url, 'hunter2.hunter2.hunter2'),
      ...asked(closed, 'hunter2.hunter2.hunter2'),
      ...asked(url, 'hunter2\n'),
    ]);
    for (const answer of answers) {
      expect(answer.isErr()).toBe(true);
      expect(inspect(answer, { depth: 10, showHidden: true })).not.toContain('hunter2');
    }
    expect(answers[0]).toEqual(err({ kind: 'unexpected-response', status: 500 }));
    expect(answers[3]).toEqual(
      err(
        invalid('The If-None-Match is not valid.', {
          path: '/If-None-Match',
          message: 'must be what an HTTP header can hold',
        }),
      ),
    );
  });
});

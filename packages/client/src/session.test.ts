import { toJson } from '@portico/core';
import { err, ok } from 'neverthrow';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { porticoClient } from './index.ts';
import { serveOther } from './portico.test.support.ts';

/** Records the requests of a page with a session. */
const pageWithSession = () => {
  const sent: { readonly request: string; readonly headers: Headers; readonly credentials: unknown }[] = [];
  const fetch = async (url: string, { method, headers, credentials }: RequestInit) => {
    sent.push({ request: `${method} ${new URL(url).pathname}`, headers: new Headers(headers), credentials });
    return new Response('{"legs":[]}', { headers: { 'content-type': 'application/json' } });
  };
  return { sent, portico: porticoClient({ url: 'https://portal.example.org', session: true, fetch }) };
};

describe('a client with a session', () => {
  it('sends the cookies of its own origin and no token', async () => {
    const { sent, portico } = pageWithSession();
    await portico.getCoverage();
    await portico.putConsent(toJson({}));
    expect(
      sent.map(({ request, credentials, headers }) => [request, credentials, headers.has('authorization')]),
    ).toEqual([
      ['GET /me/coverage', 'same-origin', false],
      ['PUT /me/consent', 'same-origin', false],
    ]);
  });

  it('sends the header against cross-site requests with every request that is not a GET', async () => {
    const { sent, portico } = pageWithSession();
    await portico.listClaims([]);
    await portico.submitClaim(toJson({ amount: 1 }));
    await portico.patchProfile(toJson({ phone: '1' }));
    await portico.putConsent(toJson({}));
    await portico.member.delete('/me/visits/1');
    expect(sent.map(({ request, headers }) => [request, headers.get('x-portico-csrf')])).toEqual([
      ['GET /me/claims', null],
      ['POST /me/claims', '1'],
      ['PATCH /me/profile', '1'],
      ['PUT /me/consent', '1'],
      ['DELETE /me/visits/1', '1'],
    ]);
  });

  it('sends no cookie and no header of the session with a search', async () => {
    const { sent, portico } = pageWithSession();
    await portico.listLegs();
    await portico.search({});
    expect(
      sent.map(({ request, credentials, headers }) => [request, credentials, headers.get('x-portico-csrf')]),
    ).toEqual([
      ['GET /api/legs', 'omit', null],
      ['POST /api/search', 'omit', null],
    ]);
  });

  it('fails refused with the code cross-site when the session refuses a change', async () => {
    const detail = 'The request is from another site.';
    const { url } = await serveOther((_, response) => {
      const problem = { type: 'urn:portico:problem:cross-site', status: 403, code: 'cross-site', detail };
      response.writeHead(403, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
    });
    expect(await porticoClient({ url, session: true }).putConsent(toJson({}))).toEqual(
      err({ kind: 'refused', status: 403, code: 'cross-site', detail }),
    );
  });

  it('names the member of the page in member requests only', async () => {
    const sent: (string | null)[][] = [];
    const fetch = async (url: string, init: RequestInit) => {
      sent.push([new URL(url).pathname, new Headers(init.headers).get('X-Portico-Member')]);
      return Response.json({});
    };
    const portico = porticoClient({ url: 'https://portal.example.org', session: { member: 'digest' }, fetch });
    await portico.getCoverage();
    await portico.session.end();
    await portico.search({ query: 'dental', persona: 'member', userId: 'u-1' });
    expect(sent).toEqual([
      ['/me/coverage', 'digest'],
      ['/session/logout', null],
      ['/api/search', null],
    ]);
  });

  it.each([0, '', null])('is no session for %j, which a program without types may pass', async (session) => {
    const sent: RequestInit[] = [];
    const fetch = async (_url: string, init: RequestInit) => {
      sent.push(init);
      return Response.json({});
    };
    const portico = porticoClient({
      url: 'https://portal.example.org',
      session: session as never,
      token: 'a.b.c',
      fetch,
    });
    expect((await portico.getCoverage()).isOk()).toBe(true);
    expect(sent.map(({ credentials }) => credentials)).toEqual(['omit']);
  });

  it('cannot also have a token', () => {
    for (const token of ['a.b.c', () => undefined])
      expect(() => porticoClient({ url: 'https://portal.example.org', session: true, token })).toThrow(TypeError);
  });
});

const now = Date.parse('2026-03-01T10:00:00Z');

/** A page whose server returns this. */
const sessionWith = (body: object, init: ResponseInit = {}) => {
  vi.useFakeTimers({ now, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const sent: Request[] = [];
  const fetch = async (url: string, options: RequestInit) => {
    sent.push(new Request(url, options));
    return Response.json(body, init);
  };
  return { sent, ...porticoClient({ url: 'https://portal.example.org', session: true, fetch }) };
};

describe('the state of a session', () => {
  it('has the name of the member, what identifies the member, and the end', async () => {
    const headers = { 'X-Portico-Member': 'digest' };
    const body = { authenticated: true, expires_at: '2026-03-01T10:30:00Z', name: 'Sample Member A' };
    expect(await sessionWith(body, { headers }).session.read()).toEqual(
      ok({
        isSignedIn: true,
        name: 'Sample Member A',
        member: 'digest',
        expiresAt: '2026-03-01T10:30:00Z',
        endsAt: now + 1_800_000,
      }),
    );
  });

  it('does not depend on the clock of the browser', async () => {
    const headers = { date: 'Sun, 01 Mar 2026 12:00:00 GMT' };
    const { session } = sessionWith({ authenticated: true, expires_at: '2026-03-01T12:30:00Z' }, { headers });
    expect(await session.read()).toMatchObject({ value: { endsAt: now + 1_800_000 } });
  });

  it.each([
    [{ authenticated: false }, 200],
    [{ code: 'unauthenticated' }, 401],
  ])('is signed out for %j with status %i', async (body, status) => {
    expect(await sessionWith(body, { status }).session.read()).toEqual(ok({ isSignedIn: false }));
  });

  it.each([
    [{}, 502],
    [{ authenticated: true }, 200],
    [{ authenticated: true, expires_at: 'soon' }, 200],
    [['authenticated'], 200],
  ])('is unknown for %j with status %i', async (body, status) => {
    const failure = { kind: 'unexpected-response', status };
    expect(await sessionWith(body, { status }).session.read()).toEqual(err(failure));
  });
});

describe('signing out', () => {
  it('sends the header that other sites cannot send, and returns the page of the provider', async () => {
    const { session, sent } = sessionWith({ logout_url: 'https://id.example/end' });
    expect(await session.end()).toEqual(ok('https://id.example/end'));
    expect(sent.map(({ method, url, headers }) => [method, url, headers.get('x-portico-csrf')])).toEqual([
      ['POST', 'https://portal.example.org/session/logout', '1'],
    ]);
  });

  it.each([{}, { logout_url: null }, { logout_url: 'javascript:alert(1)' }])(
    'returns no page of the provider for %j',
    async (body) => {
      expect(await sessionWith(body).session.end()).toEqual(ok(undefined));
    },
  );

  // Portico responds with 200, also without a session: a 401 is from a proxy, and the member may still be signed in.
  it.each([401, 503])('fails when the server responds with %i', async (status) => {
    expect(await sessionWith({}, { status }).session.end()).toEqual(err({ kind: 'unexpected-response', status }));
  });
});

it('a session is read and ended with the cookie, also by a client with a token', async () => {
  const sent: unknown[] = [];
  const fetch = async (url: string, { credentials, headers }: RequestInit) => {
    sent.push([new URL(url).pathname, credentials, new Headers(headers).has('authorization')]);
    return Response.json({ authenticated: false });
  };
  const { session } = porticoClient({ url: 'https://portal.example.org', token: 'not a token', fetch });
  await session.read();
  await session.end();
  expect(sent).toEqual([
    ['/session', 'same-origin', false],
    ['/session/logout', 'same-origin', false],
  ]);
});

const afterTenSeconds = async () => {
  await vi.advanceTimersByTimeAsync(10_100);
  return Response.json({ logout_url: 'https://id.example/end' });
};

it('a session is ended although Portico waits ten seconds for an identity provider that does not respond', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { session } = porticoClient({ url: 'https://portal.example.org', session: true, fetch: afterTenSeconds });
  expect(await session.end()).toEqual(ok('https://id.example/end'));
});

it('the sign-in URL contains the path to return to, with its query', () => {
  const { session } = sessionWith({});
  const parts = [session.signInUrl('/'), session.signInUrl('/search?q=a%26b')].map((text) => {
    const url = new URL(text);
    return [url.origin + url.pathname, url.searchParams.get('return_to')];
  });
  expect(parts).toEqual([
    ['https://portal.example.org/session/login', '/'],
    ['https://portal.example.org/session/login', '/search?q=a%26b'],
  ]);
});

it('a client without a session sends no session header', async () => {
  const headers: unknown[] = [];
  const { url } = await serveOther((request, response) => {
    headers.push(request.headers['x-portico-csrf']);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await porticoClient({ url, token: 'a.b.c' }).putConsent(toJson({}));
  expect(headers).toEqual([undefined]);
});

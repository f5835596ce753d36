import { toJson } from '@portico/core';
import { err } from 'neverthrow';
import { describe, expect, it } from 'vitest';
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

  it('cannot also have a token', () => {
    for (const token of ['a.b.c', () => undefined])
      expect(() => porticoClient({ url: 'https://portal.example.org', session: true, token })).toThrow(TypeError);
  });
});

it('sends no header of a session without one', async () => {
  const headers: unknown[] = [];
  const { url } = await serveOther((request, response) => {
    headers.push(request.headers['x-portico-csrf']);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await porticoClient({ url, token: 'a.b.c' }).putConsent(toJson({}));
  expect(headers).toEqual([undefined]);
});

import {
  createUseCases,
  declareService,
  invalid,
  notFound,
  ownService,
  preconditionFailed,
  toJson,
  upstream,
  upstreamStatus,
} from '@portico/core';
import { aMember, fakeClock, fakePorts } from '@portico/core/testing';
import { err } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { httpServer, valueOf } from '../http/local-servers.test.support.ts';
import { httpService } from './own-service.ts';

const authorizations = declareService('authorizations', {
  list: { route: 'GET /me/authorizations', path: '/members/{partyLocator}/authorizations', query: ['status'] },
  get: { route: 'GET /me/authorizations/{locator}', path: '/members/{partyLocator}/authorizations/{locator}' },
  submit: { route: 'POST /me/authorizations', path: '/members/{partyLocator}/authorizations' },
  change: { route: 'PUT /me/authorizations/{locator}', path: '/members/{partyLocator}/authorizations/{locator}' },
  amend: { route: 'PATCH /me/authorizations/{locator}', path: '/members/{partyLocator}/authorizations/{locator}' },
  remove: { route: 'DELETE /me/authorizations/{locator}', path: '/members/{partyLocator}/authorizations/{locator}' },
  letter: {
    route: 'GET /me/authorizations/{locator}/letter',
    path: '/members/{partyLocator}/authorizations/{locator}/letter',
    type: 'application/pdf',
  },
});

const member = aMember('auth0|a', 'aaaa.bbbb.cccc');
const parameters = { locator: 'AUTH:1' };
const text = '{"b":12345678901234567890.10,"a":1}';
const body = { text, value: JSON.parse(text) as unknown };

const respondWith = (status: number, content = text, headers: Record<string, string> = {}) =>
  httpServer((response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    return response.end(status === 204 ? undefined : content);
  });

const service = (url: string) => ownService(authorizations, httpService(authorizations, { url })).useCases;

describe('a declared service over HTTP', () => {
  it("sends each operation to its path, with the member's locator and token", async () => {
    const { url, requests } = await respondWith(200);
    const use = service(`${url}/base/`);
    await use.list(member, { query: 'status=a+b%2F' });
    await use.get(member, { parameters });
    await use.submit(member, { body, idempotencyKey: 'key-1' });
    await use.change(member, { parameters, body, ifMatch: '"1"' });
    await use.remove(member, { parameters });
    const one = '/base/members/auth0%7Ca/authorizations/AUTH%3A1';
    expect(requests.map(({ method, path, body: sent }) => [method, path, sent])).toEqual([
      ['GET', '/base/members/auth0%7Ca/authorizations?status=a+b%2F', ''],
      ['GET', one, ''],
      ['POST', '/base/members/auth0%7Ca/authorizations', text],
      ['PUT', one, text],
      ['DELETE', one, ''],
    ]);
    expect(new Set(requests.map(({ headers }) => headers['authorization']))).toEqual(
      new Set(['Bearer aaaa.bbbb.cccc']),
    );
    expect(requests.map(({ headers }) => headers['content-type'])).toEqual([
      undefined,
      undefined,
      'application/json',
      'application/json',
      undefined,
    ]);
    expect([requests[2]?.headers['idempotency-key'], requests[3]?.headers['if-match']]).toEqual(['key-1', '"1"']);
  });

  it('sends a patch with the media type of the request', async () => {
    const { url, requests } = await respondWith(200);
    await service(url).amend(member, { parameters, body, mediaType: 'application/merge-patch+json' });
    expect(requests).toMatchObject([
      { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body: text },
    ]);
  });

  it('sends no locator when the service reads the member from the token', async () => {
    const { url, requests } = await respondWith(200);
    const tokens = declareService(
      'tokens',
      { get: { route: 'GET /me/t/{id}', path: '/t/{id}' } },
      { memberFrom: 'token' },
    );
    await ownService(tokens, httpService(tokens, { url })).useCases.get(member, { parameters: { id: 'T-1' } });
    expect(requests).toMatchObject([{ path: '/t/T-1', headers: { authorization: 'Bearer aaaa.bbbb.cccc' } }]);
  });

  it.each([
    [200, 200],
    [201, 201],
    [202, 202],
    [203, 200],
    [226, 200],
  ])('returns JSON byte for byte: status %i becomes %i', async (status, kept) => {
    const { url } = await respondWith(status);
    for (const call of [service(url).list(member), service(url).submit(member, { body })]) {
      const response = await valueOf(call);
      expect([response.status, response.text, response.value]).toEqual([kept, text, body.value]);
    }
  });

  it('returns no content for 204', async () => {
    const { url } = await respondWith(204);
    expect(await valueOf(service(url).remove(member, { parameters }))).toEqual({
      status: 204,
      text: '',
      value: undefined,
    });
  });

  it.each([
    [404, 'text/html', notFound('authorizations')],
    [200, 'text/html', upstream('authorizations', 'malformed')],
    [301, 'application/json', { ...upstream('authorizations', 'status'), status: 301 }],
    [401, 'application/json', { ...upstream('authorizations', 'status'), status: 401 }],
    [412, 'application/json', { ...upstream('authorizations', 'status'), status: 412 }],
    [503, 'application/json', { ...upstream('authorizations', 'status'), status: 503 }],
  ])('fails with the name of the service on status %i of type %s', async (status, type, failure) => {
    const { url } = await respondWith(status, 'canary', { 'content-type': type });
    expect(await service(url).get(member, { parameters })).toEqual(err(failure));
  });

  it('fails precondition-failed on 412 to a request with an entity tag', async () => {
    const { url } = await respondWith(412);
    expect(await service(url).remove(member, { parameters, ifMatch: '"1"' })).toEqual(
      err(preconditionFailed('authorizations')),
    );
  });

  it.each([
    [404, notFound('authorizations')],
    [409, upstreamStatus('authorizations', 409)],
    [503, upstreamStatus('authorizations', 503)],
  ])('fails with another failure on %i to a request with an entity tag', async (status, failure) => {
    const { url } = await respondWith(status);
    expect(await service(url).remove(member, { parameters, ifMatch: '"1"' })).toEqual(err(failure));
  });

  it('retries a GET after a reset connection, and no other method', async () => {
    const server = await httpServer((response) => response.destroy());
    await service(server.url).get(member, { parameters });
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
    await service(server.url).remove(member, { parameters });
    await service(server.url).submit(member, { body, idempotencyKey: 'once' });
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'DELETE', 'POST']);
  });

  it('has one deadline for a call', async () => {
    const clock = fakeClock();
    const server = await httpServer(() => {});
    const port = httpService(authorizations, { url: server.url, clock, timeoutMs: 300 });
    const result = port.list(member, { parameters: {}, query: [] });
    await server.until(() => server.requests.length === 1);
    clock.advance(300);
    expect(await result).toEqual(err(upstream('authorizations', 'timeout')));
    await server.until(() => server.open === 0);
  });

  it('opens its circuit breaker after consecutive failures', async () => {
    const { url, requests } = await respondWith(500);
    const port = httpService(authorizations, { url, breakAfterFailures: 2 });
    const call = () => port.list(member, { parameters: {}, query: [] });
    await call();
    await call();
    expect(await call()).toEqual(err(upstream('authorizations', 'circuit-open')));
    expect(requests).toHaveLength(2);
  });

  it.each(['..', 'A/B', '', 'a?b', '%2e%2e'])(
    'sends nothing for the parameter "%s", even without the use cases',
    async (locator) => {
      const { url, requests } = await respondWith(200);
      const port = httpService(authorizations, { url });
      expect(await port.get(member, { parameters: { locator }, query: [] })).toEqual(
        err(invalid('A parameter in the path is not valid.', { path: '/locator', message: 'is not valid' })),
      );
      expect(requests).toEqual([]);
    },
  );

  it('is one of the services of createUseCases', async () => {
    const { url } = await respondWith(200);
    const use = createUseCases({
      ...fakePorts(),
      services: [ownService(authorizations, httpService(authorizations, { url }))],
    });
    expect(use.services?.map(({ declaration }) => declaration.name)).toEqual(['authorizations']);
  });
});

describe('a streamed response of a declared service', () => {
  const pdf = { 'content-type': 'application/pdf', etag: '"1"' };

  it('arrives with the headers that describe it', async () => {
    const { url, requests } = await respondWith(206, '%PDF', { ...pdf, 'content-range': 'bytes 0-3/9' });
    const conditions = { range: 'bytes=0-3', ifRange: '"1"' };
    const response = await valueOf(service(url).letter(member, { parameters, conditions }));
    const chunks: Uint8Array[] = [];
    if ('content' in response) for await (const chunk of response.content) chunks.push(chunk);
    expect({ ...response, content: Buffer.concat(chunks).toString() }).toEqual({
      outcome: 'part',
      headers: { etag: '"1"', contentRange: 'bytes 0-3/9' },
      content: '%PDF',
    });
    expect(requests[0]?.headers).toMatchObject({ accept: 'application/pdf', range: 'bytes=0-3', 'if-range': '"1"' });
  });

  it('may be the response to a change, which an outdated entity tag prevents', async () => {
    const cards = declareService('cards', {
      renew: { route: 'PUT /me/card', path: '/cards/{partyLocator}', type: 'application/pdf' },
    });
    const { url, requests } = await respondWith(412, '', pdf);
    const { renew } = ownService(cards, httpService(cards, { url })).useCases;
    expect(await renew(member, { body, ifMatch: '"1"' })).toEqual(err(preconditionFailed('cards')));
    expect(await renew(member, { body })).toMatchObject({ error: { kind: 'upstream', status: 412 } });
    expect(requests).toMatchObject([{ method: 'PUT', body: text }, { method: 'PUT' }]);
  });

  it.each([
    [200, 'whole'],
    [201, 'created'],
    [202, 'accepted'],
    [204, 'no-content'],
  ])('is the response to a read and to a change with status %i: %s', async (status, outcome) => {
    const cards = declareService('cards', {
      card: { route: 'GET /me/card', path: '/cards/{partyLocator}', type: 'application/pdf' },
      renew: { route: 'POST /me/card', path: '/cards/{partyLocator}', type: 'application/pdf' },
    });
    const { url } = await respondWith(status, '%PDF', pdf);
    const { card, renew } = ownService(cards, httpService(cards, { url, breakAfterFailures: 1 })).useCases;
    for (const response of [await valueOf(renew(member, { body })), await valueOf(card(member))])
      expect([response.outcome, 'content' in response]).toEqual([outcome, outcome !== 'no-content']);
  });

  it('keeps the character set of its type', async () => {
    const { url } = await respondWith(200, '%PDF', { 'content-type': 'application/pdf;charset=windows-1252' });
    const { headers } = await valueOf(service(url).letter(member, { parameters }));
    expect(headers).toEqual({ contentType: 'application/pdf;charset=windows-1252' });
  });

  it('fails malformed when it has another type', async () => {
    const { url } = await respondWith(200);
    expect(await service(url).letter(member, { parameters })).toEqual(err(upstream('authorizations', 'malformed')));
  });

  it('ends the request when the signal aborts', async () => {
    const server = await httpServer((response) => response.writeHead(200, pdf).write('%'));
    const caller = new AbortController();
    await valueOf(service(server.url).letter(member, { parameters, signal: caller.signal }));
    caller.abort();
    await server.until(() => server.open === 0);
  });
});

it('a draft of a declared service keeps its digits when a field that names a member is removed', async () => {
  const { url, requests } = await respondWith(201);
  await service(url).submit(member, {
    body: { ...toJson({ partyLocator: 'PTY-2' }), text: '{"partyLocator":"x","a":1.10}' },
  });
  expect(requests.map((request) => request.body)).toEqual(['{"a":1.10}']);
});

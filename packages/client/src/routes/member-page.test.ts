import { noContent, toJson, upstream } from '@portico/core';
import { fakeRateLimiter } from '@portico/core/testing';
import { err, errAsync, ok, okAsync, ResultAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import { porticoClient } from '../index.ts';
import { serveOther, servePortico, succeeded } from '../portico.test.support.ts';

const text = '{ "b":12345678901234567890.10,\n"b":"\\u0041 }" }';
const body = { text, value: JSON.parse(text) as unknown };

it('each part of a page has the result that the call of its own route has', async () => {
  const { clientOf } = await servePortico({ ports: { eligibility: { coverage: () => okAsync(body) } } });
  const client = clientOf('PTY-1');
  const { partial, parts } = succeeded(await client.me());
  expect([partial, Object.keys(parts)]).toEqual([
    false,
    ['coverage', 'accumulators', 'claims', 'documents', 'profile', 'preferences', 'notifications', 'log', 'consent'],
  ]);
  expect(parts['coverage']).toEqual({ name: 'coverage', status: 200, result: ok(body) });
  // A page has no entity tags.
  expect(parts['profile']?.result.map(({ text }) => text)).toEqual((await client.getProfile()).map(({ text }) => text));
});

it('a part that failed has the failure of its own call, and the others their results', async () => {
  const { clientOf } = await servePortico({
    ports: {
      claims: { list: () => errAsync(upstream('claims', 'timeout')) },
      documents: { list: () => okAsync(noContent) },
      policy: { profile: () => errAsync({ kind: 'unauthenticated', reason: 'invalid' }) },
    },
  });
  const client = clientOf('PTY-3');
  const include = ['claims', 'documents', 'profile', 'preferences'];
  const { partial, parts } = succeeded(await client.me({ include }));
  expect([partial, Object.values(parts)]).toEqual([
    true,
    [
      { name: 'claims', status: 502, result: await client.listClaims([]) },
      { name: 'documents', status: 204, result: ok(noContent) },
      { name: 'profile', status: 401, result: await client.getProfile() },
      { name: 'preferences', status: 404, result: await client.getPreferences() },
    ],
  ]);
});

it('a part beyond the rate limit fails rate-limited', async () => {
  const { clientOf } = await servePortico({ memberLimiter: fakeRateLimiter({ requests: 1 }) });
  const { parts } = succeeded(await clientOf('PTY-1').me({ include: ['coverage', 'claims'] }));
  expect([parts['coverage']?.status, parts['claims']?.result]).toEqual([
    200,
    err({ kind: 'rate-limited', retryAfterSeconds: 1 }),
  ]);
});

it('the parts of a stream arrive as they settle', async () => {
  const release = Promise.withResolvers<void>();
  const { clientOf } = await servePortico({
    ports: {
      eligibility: { coverage: () => new ResultAsync(release.promise.then(() => ok(body))) },
      claims: { list: () => errAsync(upstream('claims', 'timeout')) },
    },
  });
  const { parts, page } = succeeded(await clientOf('PTY-1').meParts({ include: ['coverage', 'claims'] }));
  const names: string[] = [];
  for await (const { name } of parts) {
    names.push(name);
    release.resolve();
  }
  expect(names).toEqual(['claims', 'coverage']);
  expect(succeeded(await page)).toMatchObject({
    partial: true,
    // An event is one line.
    parts: {
      coverage: { status: 200, result: ok({ ...body, text: text.replace('\n', ' ') }) },
      claims: { status: 502 },
    },
  });
});

it('an unknown part fails the whole page', async () => {
  const { clientOf } = await servePortico();
  const client = clientOf('PTY-1');
  for (const result of [await client.me({ include: ['x'] }), await client.meParts({ include: ['x'] })])
    expect(result).toMatchObject({ error: { kind: 'invalid', errors: [{ path: '/include' }] } });
});

it.each([
  '[]',
  '{"partial":1,"parts":{}}',
  '{"partial":false}',
  '{"partial":false,"parts":[]}',
  '{"partial":false,"parts":{"a":{}}}',
  '{"partial":false,"parts":{"a":3}}',
])('JSON that is not a page is an unexpected response: %s', async (json) => {
  const { url } = await serveOther((_, response) => response.setHeader('Content-Type', 'application/json').end(json));
  expect(await porticoClient({ url }).me()).toEqual(err({ kind: 'unexpected-response', status: 200 }));
});

it.each([
  ['event: part\ndata: {"name":"a"}\n\n', 'unexpected-response'],
  ['event: part\ndata: {"status":200}\n\n', 'unexpected-response'],
  ['event: done\ndata: {}\n\n', 'unexpected-response'],
  ['event: done\ndata: no\n\n', 'unexpected-response'],
  ['event: part\ndata: {"name":"a","status":204}\n\n', 'interrupted'],
])('a stream that is not one of parts fails: %j', async (events, kind) => {
  const { url } = await serveOther((_, response) =>
    response.setHeader('Content-Type', 'text/event-stream').end(events),
  );
  const { page } = succeeded(await porticoClient({ url }).meParts());
  expect(await page).toMatchObject({ error: { kind } });
});

it('a page of a server without the route fails as any unknown route', async () => {
  const { url } = await serveOther((_, response) =>
    response
      .writeHead(404, { 'Content-Type': 'application/problem+json' })
      .end(JSON.stringify({ type: 'urn:portico:problem:no-such-route', code: 'no-such-route', detail: 'No.' })),
  );
  expect(await porticoClient({ url }).me()).toMatchObject({ error: { kind: 'refused', code: 'no-such-route' } });
});

it('a part with the name of a property of every object is only what the server sent', async () => {
  const page = { partial: false, parts: { constructor: { status: 200, body: toJson(1).value } } };
  const { url } = await serveOther((_, response) =>
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(page)),
  );
  const { parts } = succeeded(await porticoClient({ url }).me());
  expect(Object.entries(parts).map(([name, part]) => [name, part?.status])).toEqual([['constructor', 200]]);
});

import { type Json, toJson } from '@portico/core';
import { okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { problemIn, routes, servePortal } from '../server/portal.test.support.ts';
import { aSearch, mhId, moaId, onSearch, serveSearch } from '../server/search.test.support.ts';

const writes = routes.filter(([method]) => method === 'PUT' || method === 'PATCH');

describe.each(writes)('%s %s', (method, path, service, operation, body?: string) => {
  const options = body === undefined ? {} : { body };

  it('succeeds once with the entity tag of the GET', async () => {
    const portal = await servePortal();
    const { etag = '' } = (await portal.request('GET', path)).headers;
    const write = () => portal.request(method, path, { ...options, headers: { 'if-match': etag } });
    expect((await write()).status).toBe(200);
    const refused = await write();
    expect([refused.status, problemIn(refused)]).toMatchObject([412, { code: 'precondition-failed', service }]);
  });

  it('succeeds without If-Match after another write', async () => {
    const portal = await servePortal();
    for (let count = 0; count < 2; count++) expect((await portal.request(method, path, options)).status).toBe(200);
  });

  it.each(['1', '"1', 'W/', '"1";"2"'])('rejects a malformed If-Match by name: %s', async (ifMatch) => {
    const portal = await servePortal();
    const refused = await portal.request(method, path, { ...options, headers: { 'if-match': ifMatch } });
    expect(problemIn(refused)).toMatchObject({ code: 'invalid-request', errors: [{ path: '/If-Match' }] });
    expect(portal.calls).not.toContain(`${service}.${operation} PTY-1`);
  });

  it.each(['*', '"1"'])('is refused with If-None-Match: %s, because it could overwrite another change', async (tag) => {
    const portal = await servePortal();
    const refused = await portal.request(method, path, { ...options, headers: { 'if-none-match': tag } });
    expect(problemIn(refused)).toMatchObject({ code: 'invalid-request', errors: [{ path: '/If-None-Match' }] });
    expect(portal.calls).not.toContain(`${service}.${operation} PTY-1`);
  });
});

it.each(['/me/preferences', '/me/consent', '/me/profile'])(
  'the server sends an ETag and ignores If-None-Match for GET %s',
  async (path) => {
    const portal = await servePortal();
    const { headers } = await portal.request('GET', path);
    expect(headers.etag).toBe('"1"');
    expect((await portal.request('GET', path, { headers: { 'if-none-match': '"1"' } })).status).toBe(200);
  },
);

it('the server sends no ETag for a resource that cannot be written', async () => {
  const tagged: Json = { ...toJson({ plan: 'gold' }), etag: '"1"' };
  const portal = await servePortal({ ports: { eligibility: { coverage: () => okAsync(tagged) } } });
  expect((await portal.request('GET', '/me/coverage')).headers).not.toHaveProperty('etag');
});

it('searches and callbacks are no conditional writes: If-None-Match does not concern them', async () => {
  const { search, callBack, posted } = await serveSearch();
  const searching = search(aSearch, { 'if-none-match': '*' });
  await posted(2);
  expect((await callBack(onSearch(moaId), { 'if-none-match': '*' })).status).toBe(200);
  expect((await callBack(onSearch(mhId), { 'if-none-match': '*' })).status).toBe(200);
  expect((await searching).status).toBe(200);
});

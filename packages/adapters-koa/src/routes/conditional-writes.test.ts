import { type Json, toJson } from '@portico/core';
import { okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { problemIn, routes, servePortal } from '../server/portal.test.support.ts';

const writes = routes.filter(([method]) => method === 'PUT' || method === 'PATCH');

describe.each(writes)('%s %s', (method, path, service, operation, body?: string) => {
  const wish = body === undefined ? {} : { body };

  it('succeeds under the entity tag of the GET, and once only', async () => {
    const portal = await servePortal();
    const { etag = '' } = (await portal.ask('GET', path)).headers;
    const write = () => portal.ask(method, path, { ...wish, headers: { 'if-match': etag } });
    expect((await write()).status).toBe(200);
    const refused = await write();
    expect([refused.status, problemIn(refused)]).toMatchObject([412, { code: 'precondition-failed', service }]);
  });

  it('succeeds without a condition whatever was written before', async () => {
    const portal = await servePortal();
    for (let time = 0; time < 2; time++) expect((await portal.ask(method, path, wish)).status).toBe(200);
  });

  it.each(['1', '"1', 'W/', '"1";"2"'])('refuses an If-Match that is none and names it: %s', async (ifMatch) => {
    const portal = await servePortal();
    const refused = await portal.ask(method, path, { ...wish, headers: { 'if-match': ifMatch } });
    expect(problemIn(refused)).toMatchObject({ code: 'invalid-request', errors: [{ path: '/If-Match' }] });
    expect(portal.asked).not.toContain(`${service}.${operation} PTY-1`);
  });
});

it.each(['/me/preferences', '/me/consent', '/me/profile'])(
  'GET %s sends an ETag and answers If-None-Match with the whole',
  async (path) => {
    const portal = await servePortal();
    const { headers } = await portal.ask('GET', path);
    expect(headers.etag).toBe('"1"');
    expect((await portal.ask('GET', path, { headers: { 'if-none-match': '"1"' } })).status).toBe(200);
  },
);

it('sends no ETag of what cannot be written back', async () => {
  const tagged: Json = { ...toJson({ plan: 'gold' }), etag: '"1"' };
  const portal = await servePortal({ ports: { eligibility: { coverage: () => okAsync(tagged) } } });
  expect((await portal.ask('GET', '/me/coverage')).headers).not.toHaveProperty('etag');
});

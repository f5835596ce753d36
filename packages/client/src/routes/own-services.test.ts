import { declareService, type DocumentResponse, ownService, type ServicePort, toJson } from '@portico/core';
import { aMember, fakeService, serviceContract } from '@portico/core/testing';
import { err } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { type MemberPath, porticoClient, type ServiceCalls } from '../index.ts';
import { serveOther, servePortico, succeeded } from '../portico.test.support.ts';

const authorizations = declareService('authorizations', {
  list: { route: 'GET /me/authorizations', path: '/{partyLocator}', query: ['status', 'page'] },
  get: { route: 'GET /me/authorizations/{locator}', path: '/{partyLocator}/{locator}' },
  submit: { route: 'POST /me/authorizations', path: '/{partyLocator}' },
  replace: { route: 'PUT /me/authorizations/{locator}', path: '/{partyLocator}/{locator}' },
  change: { route: 'PATCH /me/authorizations/{locator}', path: '/{partyLocator}/{locator}' },
  withdraw: { route: 'DELETE /me/authorizations/{locator}', path: '/{partyLocator}/{locator}' },
  letter: {
    route: 'GET /me/authorizations/{locator}/letter',
    path: '/{partyLocator}/{locator}/letter',
    type: 'text/plain',
  },
});

const letter = new TextEncoder().encode('Approved.');

/** Starts a server with the authorizations of two members. */
const start = async () => {
  const fake = fakeService(authorizations, {
    'PTY-1': {
      '/me/authorizations': { authorizations: ['AUTH-1'] },
      '/me/authorizations/AUTH-1': { locator: 'AUTH-1', status: 'open' },
      '/me/authorizations/AUTH-1/letter': letter,
    },
    'PTY-2': { '/me/authorizations': { authorizations: [] } },
  });
  const served = await servePortico({ services: [ownService(authorizations, fake)] });
  return { ...served, fake, client: served.clientOf('PTY-1') };
};

const textOf = async (document: DocumentResponse): Promise<string> => {
  if (!('content' in document)) throw new Error(document.outcome);
  const chunks: Uint8Array[] = [];
  for await (const chunk of document.content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const aLocator = { parameters: { locator: 'AUTH-1' } };

/** Is only compiled. */
const mistakes = (own: ServiceCalls<typeof authorizations>) => [
  // @ts-expect-error The route has a parameter.
  own.get(),
  // @ts-expect-error A POST has a body.
  own.submit({}),
  // @ts-expect-error The query parameter is not declared.
  own.list({ query: { from: 'x' } }),
  // @ts-expect-error There is no such operation.
  own.remove,
];

describe('the calls of a declared service', () => {
  it('have its operations, inputs and statuses', async () => {
    const { client, fake } = await start();
    const own = client.service(authorizations);
    expect(succeeded(await own.list({ query: { status: 'open', page: undefined } }))).toMatchObject({
      value: { authorizations: ['AUTH-1'] },
      status: 200,
    });
    const created = await own.submit({ body: toJson({ type: 'mri' }), idempotencyKey: 'K-1' });
    expect(succeeded(created)).toMatchObject({ value: { type: 'mri', locator: 'NEW-1' }, status: 201 });
    const { etag } = succeeded(await own.get(aLocator));
    expect(
      succeeded(await own.change({ ...aLocator, body: toJson({ status: 'closed' }), ifMatch: etag })),
    ).toMatchObject({ value: { locator: 'AUTH-1', status: 'closed' } });
    expect(succeeded(await own.withdraw(aLocator))).toMatchObject({ text: '', status: 204 });
    expect(fake.calls.map(({ operation, member }) => `${operation} ${member}`)).toEqual(
      ['list', 'submit', 'get', 'change', 'withdraw'].map((operation) => `${operation} PTY-1`),
    );
    expect(fake.calls[0]?.request.query).toEqual([['status', 'open', 'open']]);
    expect(fake.calls[1]?.request.idempotencyKey).toBe('K-1');
    expect(fake.calls[3]?.request.ifMatch).toBe(etag);
  });

  it('stream a document of the declared type', async () => {
    const { client } = await start();
    const own = client.service(authorizations);
    const document = succeeded(await own.letter(aLocator));
    expect(await textOf(document)).toBe('Approved.');
    const conditions = { ifNoneMatch: document.headers.etag ?? '' };
    expect(succeeded(await own.letter({ ...aLocator, conditions })).outcome).toBe('not-modified');
  });

  it('fail as the built-in calls do', async () => {
    const { client, fake } = await start();
    const own = client.service(authorizations);
    expect(await own.get({ parameters: { locator: 'AUTH-9' } })).toMatchObject({
      error: { kind: 'not-found', service: 'authorizations' },
    });
    expect(await own.get({ parameters: { locator: 'a/../b' } })).toMatchObject({ error: { kind: 'invalid' } });
    expect(await own.list({ signal: AbortSignal.abort() })).toEqual(err({ kind: 'cancelled' }));
    fake.failWith({ kind: 'upstream', service: 'authorizations', reason: 'timeout' });
    expect(await own.list()).toMatchObject({
      error: { kind: 'upstream', service: 'authorizations', reason: 'timeout' },
    });
  });

  it('send nothing for a parameter that would change the path', async () => {
    const { url, requests } = await serveOther((_, response) => response.end());
    const own = porticoClient({ url }).service(authorizations);
    for (const locator of ['', '.', '..'])
      expect(await own.letter({ parameters: { locator } })).toMatchObject({
        error: { kind: 'invalid', errors: [{ path: '/locator' }] },
      });
    expect(requests).toEqual([]);
  });

  it('require what the declaration requires', () => {
    expect(mistakes).toBeTypeOf('function');
  });
});

describe('client.member', () => {
  it('calls built-in and other member routes by their paths', async () => {
    const { client } = await start();
    expect(succeeded(await client.member.get('/me/coverage'))).toMatchObject({ value: { plan: 'gold' }, status: 200 });
    expect(succeeded(await client.member.get('/me/authorizations', { query: [['status', 'a b&c']] })).value).toEqual({
      authorizations: ['AUTH-1'],
    });
    const body = toJson({ status: 'closed' });
    expect(succeeded(await client.member.post('/me/authorizations', { body })).status).toBe(201);
    expect(succeeded(await client.member.put('/me/authorizations/AUTH-1', { body })).value).toEqual(body.value);
    expect(succeeded(await client.member.patch('/me/authorizations/AUTH-1', { body })).value).toEqual(body.value);
    expect(succeeded(await client.member.delete('/me/authorizations/AUTH-1')).status).toBe(204);
  });

  it('streams documents, and reads JSON only where JSON is expected', async () => {
    const { client } = await start();
    const path = '/me/authorizations/AUTH-1/letter';
    expect(await textOf(succeeded(await client.member.stream(path, { type: 'text/plain' })))).toBe('Approved.');
    expect(await textOf(succeeded(await client.member.stream('/me/documents/DOC-1')))).toContain('%PDF');
    const unexpected = err({ kind: 'unexpected-response', status: 200 });
    expect(await client.member.stream(path)).toEqual(unexpected);
    expect(await client.member.get(path)).toEqual(unexpected);
    const sent = succeeded(await client.member.send('GET', path));
    expect('content' in sent && (await textOf(sent))).toBe('Approved.');
    expect(succeeded(await client.member.send('GET', '/me/coverage'))).toMatchObject({ value: { plan: 'gold' } });
  });

  it.each([
    ['POST', 200, 'whole'],
    ['POST', 201, 'created'],
    ['PUT', 202, 'accepted'],
    ['GET', 201, 'created'],
  ] as const)('streams the response to a %s with the status %i: %s', async (method, status, outcome) => {
    const { url } = await serveOther((_, response) =>
      response.writeHead(status, { 'content-type': 'text/csv' }).end('a,b'),
    );
    const sent = succeeded(await porticoClient({ url }).member.send(method, '/me/exports'));
    expect(sent).toMatchObject({ outcome });
    expect('content' in sent && (await textOf(sent))).toBe('a,b');
  });

  it('fails with the code of the server for a route that does not exist', async () => {
    const { client } = await start();
    expect(await client.member.get('/me/plans')).toMatchObject({
      error: { kind: 'refused', status: 404, code: 'no-such-route' },
    });
    expect(await client.member.delete('/me/coverage')).toMatchObject({
      error: { kind: 'refused', status: 405, code: 'method-not-allowed' },
    });
  });

  it('keeps the limit of JSON responses', async () => {
    const { clientOf } = await start();
    const client = clientOf('PTY-1', { maxResponseBytes: 5 });
    const tooLarge = err({ kind: 'response-too-large', limitBytes: 5 });
    expect(await client.member.get('/me/authorizations')).toEqual(tooLarge);
    expect(await client.member.send('GET', '/me/authorizations')).toEqual(tooLarge);
    expect(await client.service(authorizations).list()).toEqual(tooLarge);
  });

  it.each([
    '/me/../api/legs',
    '/me/./x',
    '/me/%2e%2E/api/legs',
    '/me/.%2e/x',
    '/me/..',
    '/me/\t../x',
    '/me/.\n./x',
    '/me/..\\..\\x',
    '/me/\\evil.example',
    '/me//x',
    '/me/',
    '/meow',
    '/ME/x',
    '//evil.example/me/x',
    'https://evil.example/me/x',
    '@evil.example/me/x',
    '.evil.example/me/x',
    ':1/me/x',
    'me/x',
    '',
    '/me/x?partyLocator=PTY-2',
    '/me/x#y',
    '/me/a b',
    '/me/ä',
    '/me/%',
    '/me/%2',
    '/me/x%2f..%2F..%2fapi',
    '/me/x%5C..',
  ])('sends nothing for a path that is not that of a member route: %j', async (path) => {
    const { url, requests } = await serveOther((_, response) => response.end());
    const { member } = porticoClient({ url, token: 'a.b.c' });
    const outside = path as MemberPath;
    for (const result of [
      await member.get(outside),
      await member.post(outside, { body: toJson({}) }),
      await member.stream(outside),
      await member.send('DELETE', outside),
    ])
      expect(result).toMatchObject({ error: { kind: 'invalid', errors: [{ path: '/path' }] } });
    expect(requests).toEqual([]);
  });

  it.each(['/me', '/me/x/a%20b', '/me/x/%2e.%2e', '/me/a..b', "/me/~!$&'()*+,;=:@-_."])(
    'sends a path unchanged: %s',
    async (path) => {
      const { url, requests } = await serveOther((_, response) => response.end());
      await porticoClient({ url }).member.get(path as MemberPath, { query: { a: 'x&y=#' } });
      expect(requests).toEqual([`GET ${path}?a=x%26y%3D%23`]);
    },
  );
});

/** The client is a port of the declared service: the contract suite runs over the routes of a server. */
serviceContract(authorizations)({ describe, it }, async () => {
  const { url, tokenOf } = await start();
  const [member, other] = ['PTY-1', 'PTY-2'].map((locator) => aMember(locator, tokenOf(locator)));
  const port = Object.fromEntries(
    Object.keys(authorizations.operations).map((name) => [
      name,
      ({ token }: { readonly token: string }, request: never) =>
        porticoClient({ url, token }).service(authorizations)[name as 'get'](request),
    ]),
  ) as unknown as ServicePort<typeof authorizations>;
  const body = toJson({ status: 'closed' });
  return {
    service: port,
    member: member!,
    other: other!,
    requests: {
      list: {},
      get: aLocator,
      submit: { body },
      replace: { ...aLocator, body },
      change: { ...aLocator, body },
      withdraw: aLocator,
      letter: aLocator,
    },
  };
});

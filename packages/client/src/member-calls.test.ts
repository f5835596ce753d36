import { routesOf, routeTable } from '@portico/adapters-koa';
import { type Claims, type Consent, type Json, type ListQuery, noContent, type Signal, toJson } from '@portico/core';
import { aMember, fakePorts, somePreferences as preferences } from '@portico/core/testing';
import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { porticoClient, type PorticoClient } from './index.ts';
import { serveOther, servePortico } from './portico.test.support.ts';

/** Has numbers beyond a double, a repeated key, whitespace, a needless escape and non-ASCII characters. */
const text = '{ "b":12345678901234567890.10, "a":1e400,\r\n"b":"\\u0041 ä 🦷" }';
const body: Json = { text, value: JSON.parse(text) as unknown };

it('the client has every member use case, the search use cases and a Blob download', async () => {
  const { useCases, clientOf } = await servePortico();
  const { authenticate, requestToken, runPreferencesJourney, ...memberUseCases } = useCases;
  expect(Object.keys(clientOf('PTY-1')).toSorted()).toEqual(
    [
      ...Object.keys(memberUseCases),
      'me',
      'meParts',
      'search',
      'listLegs',
      'getDocumentBlob',
      'service',
      'member',
      'session',
    ].toSorted(),
  );
});

/** The parameters of a call, without its signal. */
type InputOf<Call extends (...input: never) => unknown> =
  Required<Parameters<Call>> extends [...infer Input, Signal] ? Input : never;

/** Each call, and the request that it sends (contract, sections 2 and 5). */
const calls: {
  readonly [Name in Exclude<keyof PorticoClient, 'service' | 'member' | 'session'>]: readonly [
    input: InputOf<PorticoClient[Name]>,
    request: string,
  ];
} = {
  getCoverage: [[], 'GET /me/coverage'],
  getAccumulators: [[], 'GET /me/accumulators'],
  listClaims: [[[['limit', '1']]], 'GET /me/claims?limit=1'],
  getClaim: [['CLM:1'], 'GET /me/claims/CLM%3A1'],
  submitClaim: [[body, 'K-1'], `POST /me/claims application/json ${text}`],
  listDocuments: [[{ page: '2' }], 'GET /me/documents?page=2'],
  getDocument: [['DOC-1', {}], 'GET /me/documents/DOC-1'],
  getDocumentBlob: [['DOC-1'], 'GET /me/documents/DOC-1'],
  getProfile: [[], 'GET /me/profile'],
  patchProfile: [
    [body, 'application/merge-patch+json', '"1"'],
    `PATCH /me/profile application/merge-patch+json ${text} "1"`,
  ],
  getPreferences: [[], 'GET /me/preferences'],
  putPreferences: [[body, '"1"'], `PUT /me/preferences application/json ${text} "1"`],
  changePreferences: [[preferences], `PUT /me/preferences application/json ${JSON.stringify(preferences)}`],
  getConsent: [[], 'GET /me/consent'],
  putConsent: [[body, '"1"'], `PUT /me/consent application/json ${text} "1"`],
  listNotifications: [[[]], 'GET /me/notifications'],
  readNotificationLog: [[[]], 'GET /me/notifications/log'],
  me: [[{ include: ['coverage', 'claims'] }], 'GET /me?include=coverage%2Cclaims'],
  meParts: [[{}], 'GET /me'],
  search: [[preferences], `POST /api/search application/json ${JSON.stringify(preferences)}`],
  listLegs: [[], 'GET /api/legs'],
};

it.each(Object.entries(calls))('%s sends its request', async (name, [input, expected]) => {
  const requests: string[] = [];
  const { url } = await serveOther(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers } = request;
    requests.push([method, url, headers['content-type'], ...chunks, headers['if-match']].join(' ').trim());
    response.end();
  });
  await callOf(porticoClient({ url }), name)(...input);
  expect(requests).toEqual([expected]);
});

it('changePreferences writes with the token that it has read with, also when the token changes in between', async () => {
  const requests: string[] = [];
  let members = 0;
  const client = porticoClient({
    url: 'http://portico.example',
    token: () => `member-${++members}`,
    fetch: async (_url, { method, headers }) => {
      requests.push(`${method} ${new Headers(headers).get('authorization')}`);
      return Response.json(method === 'GET' ? preferences : {});
    },
  });
  await client.changePreferences({ sms: true });
  await client.getCoverage();
  expect(requests).toEqual(['GET Bearer member-1', 'PUT Bearer member-1', 'GET Bearer member-2']);
});

it.each([...routesOf(routeTable.member), ...routesOf(routeTable.search)])(
  'the client requests $method $path in the call named $operation.operationId',
  ({ method, path, operation: { operationId } }) => {
    expect(Object.keys(calls)).toContain(operationId);
    const [, request] = calls[operationId as keyof typeof calls];
    const route = path.replace('{locator}', String.raw`[^/?\s]+`);
    expect(request).toMatch(new RegExp(String.raw`^${method} ${route}(?:[?\s]|$)`));
  },
);

it.each([
  ...Object.entries(calls).map(([name, [input]]) => [name, input] as const),
  // One preference makes the call read before it writes; six do not.
  ['changePreferences', [{ sms: true }]] as const,
])('%s sends no request and gets no token when its signal is already aborted', async (name, input) => {
  const { url, requests } = await serveOther((_, response) => response.end());
  let tokens = 0;
  const client = porticoClient({ url, token: () => `a.b.${tokens++}` });
  expect(await callOf(client, name)(...input, AbortSignal.abort())).toEqual(err({ kind: 'cancelled' }));
  expect([requests, tokens]).toEqual([[], 0]);
});

const callOf = (client: PorticoClient, name: string) =>
  client[name as keyof typeof calls] as (...input: readonly unknown[]) => PromiseLike<unknown>;

describe('a JSON body', () => {
  it('a JSON body is returned byte for byte as the downstream service sent it', async () => {
    const { clientOf } = await servePortico({
      ports: { eligibility: { coverage: () => okAsync(body) } },
    });
    expect(await clientOf('PTY-1').getCoverage()).toEqual(ok(body));
  });

  it('a JSON body is sent byte for byte as the caller wrote it', async () => {
    const received: string[] = [];
    const replace: Consent['replace'] = (_, { text }) => {
      received.push(text);
      return okAsync(noContent);
    };
    const { clientOf } = await servePortico({ ports: { consent: { replace } } });
    expect(await clientOf('PTY-1').putConsent(body)).toEqual(ok(noContent));
    expect(received).toEqual([text]);
  });

  it.each([
    ['is not JSON', Buffer.from('{"plan":'), 'application/json'],
    ['starts with a byte order mark', Buffer.from('\ufeff{}'), 'application/json'],
    ['is not in UTF-8', Buffer.from('{"plan":"\xe4"}', 'latin1'), 'application/json'],
    ['has another media type', Buffer.from('{}'), 'text/plain'],
    ['has no media type', Buffer.from('{}'), undefined],
  ])('a JSON body is an unexpected response when it %s', async (_, bytes, mediaType) => {
    const { url } = await serveOther((_, response) => {
      if (mediaType !== undefined) response.setHeader('Content-Type', mediaType);
      response.end(bytes);
    });
    expect(await porticoClient({ url }).getCoverage()).toMatchObject({
      error: { kind: 'unexpected-response', status: 200 },
    });
  });
});

describe('a list', () => {
  it('sends every query parameter unchanged and in order', async () => {
    const received: ListQuery[] = [];
    const list: Claims['list'] = (_, query) => {
      received.push(query);
      return okAsync(toJson({ claims: [] }));
    };
    const query: ListQuery = [
      ['status', 'paid & late'],
      ['from', '2026-01-01T00:00:00+01:00'],
      ['cursor', 'ä=/?#%20 \u0000'],
      ['status', ''],
    ];
    const { clientOf } = await servePortico({ ports: { claims: { list } } });
    await clientOf('PTY-1').listClaims(query);
    expect(received).toEqual([query.map(([name, value]) => [name, value, encodeURIComponent(value)])]);
  });

  it('sends a query string as it is written', async () => {
    const queryString = 'cursor=a+b%20c&status=paid';
    const requests: string[] = [];
    const { url } = await serveOther(({ url: path = '' }, response) => {
      requests.push(path);
      response.setHeader('Content-Type', 'application/json').end('[]');
    });
    await porticoClient({ url }).listClaims(queryString);
    expect(requests).toEqual([`/me/claims?${queryString}`]);
  });

  it('rejects a parameter that lists do not relay, as the use case does', async () => {
    const { clientOf, useCases } = await servePortico();
    const query = [['partyLocator', 'PTY-2']] as const;
    const refused = await useCases.listClaims(aMember('PTY-1'), query);
    expect(refused).toMatchObject({ error: { kind: 'invalid' } });
    expect(await clientOf('PTY-1').listClaims(query)).toEqual(refused);
  });
});

describe('a locator', () => {
  it.each(['a/b', 'a%2Fb', '%2e%2e', '...', 'CLM-1?x=1', 'CLM-1#x', ' ', 'ä', '\ud800', 'CLM..1'])(
    'fails invalid and does not change the path: %j',
    async (locator) => {
      const { clientOf, useCases } = await servePortico();
      const refused = await useCases.getClaim(aMember('PTY-1'), locator);
      expect(refused).toMatchObject({ error: { kind: 'invalid' } });
      expect(await clientOf('PTY-1').getClaim(locator)).toEqual(refused);
    },
  );

  it.each(['', '.', '..'])('a locator is not sent when it is a relative path segment: %j', async (locator) => {
    const { url, requests } = await serveOther((_, response) => response.end());
    const client = porticoClient({ url });
    for (const result of [await client.getClaim(locator), await client.getDocument(locator)])
      expect(result).toMatchObject({ error: { kind: 'invalid', errors: [{ path: '/locator' }] } });
    expect(requests).toEqual([]);
  });
});

describe('a claim', () => {
  it('a claim is created with the locator of the claims system', async () => {
    const { clientOf } = await servePortico();
    expect(await clientOf('PTY-1').submitClaim(toJson({ type: 'dental' }))).toMatchObject({
      value: { outcome: 'created', locator: 'CLM-NEW-1', claim: { value: { type: 'dental', status: 'received' } } },
    });
  });

  it('a claim may be accepted for later, without a locator', async () => {
    const claim = toJson({ queued: true });
    const { clientOf } = await servePortico({
      ports: { claims: { submit: () => okAsync({ outcome: 'accepted', claim }) } },
    });
    expect(await clientOf('PTY-1').submitClaim(body)).toEqual(ok({ outcome: 'accepted', claim }));
  });

  it.each(['a blank', 'line\nbreak', 'ä', '🦷', ''])(
    'fails invalid with an invalid idempotency key: %j',
    async (key) => {
      const { clientOf } = await servePortico();
      expect(await clientOf('PTY-1').submitClaim(body, key)).toMatchObject({
        error: { kind: 'invalid', errors: [{ path: '/Idempotency-Key' }] },
      });
    },
  );
});

describe('a profile', () => {
  it.each([
    ['a merge patch by default', undefined, 'application/merge-patch+json'],
    ['the media type of the caller', 'application/json', 'application/json'],
  ] as const)('a profile is patched as %s', async (_, mediaType, received) => {
    const mediaTypes: string[] = [];
    const { clientOf } = await servePortico({
      ports: {
        policy: {
          patchProfile: (_, { mediaType }) => {
            mediaTypes.push(mediaType);
            return okAsync(toJson({}));
          },
        },
      },
    });
    await clientOf('PTY-1').patchProfile(toJson({ city: 'Springfield' }), mediaType);
    expect(mediaTypes).toEqual([received]);
  });
});

describe('preferences', () => {
  it('change only where the change names them', async () => {
    const { clientOf } = await servePortico();
    const client = clientOf('PTY-1');
    expect(await client.changePreferences({ sms: true })).toMatchObject({
      value: { value: { ...preferences, sms: true } },
    });
    expect(await client.getPreferences()).toMatchObject({ value: { value: { ...preferences, sms: true } } });
  });

  it('preferences are read and written again after a concurrent change', async () => {
    const { notifications } = fakePorts();
    let isFirst = true;
    const read = notifications.preferences;
    const contended = await servePortico({
      ports: {
        notifications: {
          replacePreferences: notifications.replacePreferences,
          preferences: (member) =>
            read(member).andTee(async () => {
              if (isFirst) await notifications.replacePreferences(member, { ...preferences, email: false });
              isFirst = false;
            }),
        },
      },
    });
    expect(await contended.clientOf('PTY-1').changePreferences({ sms: true })).toMatchObject({
      value: { value: { ...preferences, email: false, sms: true } },
    });
  });

  it('fail preferences-not-set when they were never set and the change does not name all six', async () => {
    const { clientOf } = await servePortico();
    const client = clientOf('PTY-3');
    expect(await client.changePreferences({ sms: true })).toMatchObject({ error: { code: 'preferences-not-set' } });
    expect(await client.changePreferences(preferences)).toMatchObject({ value: { value: preferences } });
  });

  it('preferences are not overwritten when they cannot be read', async () => {
    const { url, requests } = await serveOther((_, response) =>
      response.setHeader('Content-Type', 'application/json').end('{"email":"yes"}'),
    );
    expect(await porticoClient({ url }).changePreferences({ sms: true })).toMatchObject({
      error: { kind: 'upstream', service: 'notifications', reason: 'malformed' },
    });
    expect(requests).toEqual(['GET /me/preferences']);
  });
});

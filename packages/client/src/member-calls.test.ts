import { routesOf, routeTable } from '@portico/adapters-koa';
import { type Claims, type Consent, type Json, type ListQuery, noContent, type Signal, toJson } from '@portico/core';
import { aMember, fakePorts, somePreferences as preferences } from '@portico/core/testing';
import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { porticoClient, type PorticoClient } from './index.ts';
import { serveOther, servePortico } from './portico.test.support.ts';

/** Digits beyond a double, a key twice, blanks, an escape that need not be one, and what is outside of ASCII. */
const text = '{ "b":12345678901234567890.10, "a":1e400,\r\n"b":"\\u0041 ä 🦷" }';
const body: Json = { text, value: JSON.parse(text) as unknown };

it('has every use case of a member, those of a search, and a download', async () => {
  const { use, clientOf } = await servePortico();
  const { authenticate, requestToken, runPreferencesJourney, ...ofMembers } = use;
  expect(Object.keys(clientOf('PTY-1')).toSorted()).toEqual(
    [...Object.keys(ofMembers), 'search', 'listLegs', 'getDocumentBlob'].toSorted(),
  );
});

/** What a call is given, but for its signal. */
type InputOf<Call extends (...input: never) => unknown> =
  Required<Parameters<Call>> extends [...infer Input, Signal] ? Input : never;

/** Each call, and what the server is asked for it (contract, sections 2 and 5). */
const calls: {
  readonly [Name in keyof PorticoClient]: readonly [input: InputOf<PorticoClient[Name]>, heard: string];
} = {
  getCoverage: [[], 'GET /me/coverage'],
  getAccumulators: [[], 'GET /me/accumulators'],
  listClaims: [[[['limit', '1']]], 'GET /me/claims?limit=1'],
  getClaim: [['CLM:1'], 'GET /me/claims/CLM%3A1'],
  submitClaim: [[body, 'K-1'], `POST /me/claims application/json ${text}`],
  listDocuments: [[[['page', '2']]], 'GET /me/documents?page=2'],
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
  search: [[preferences], `POST /api/search application/json ${JSON.stringify(preferences)}`],
  listLegs: [[], 'GET /api/legs'],
};

it.each(Object.entries(calls))('%s asks at its own route', async (name, [input, expected]) => {
  const asked: string[] = [];
  const { url } = await serveOther(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers } = request;
    asked.push([method, url, headers['content-type'], ...chunks, headers['if-match']].join(' ').trim());
    response.end();
  });
  await callOf(porticoClient({ url }), name)(...input);
  expect(asked).toEqual([expected]);
});

it.each([...routesOf(routeTable.member), ...routesOf(routeTable.search)])(
  'requests $method $path in the call named $operation.operationId',
  ({ method, path, operation: { operationId } }) => {
    expect(Object.keys(calls)).toContain(operationId);
    const [, request] = calls[operationId as keyof PorticoClient];
    const route = path.replace('{locator}', String.raw`[^/?\s]+`);
    expect(request).toMatch(new RegExp(String.raw`^${method} ${route}(?:[?\s]|$)`));
  },
);

it.each([
  ...Object.entries(calls).map(([name, [input]]) => [name, input] as const),
  // Six preferences are written without a look at those before.
  ['changePreferences', [{ sms: true }]] as const,
])('%s does not ask, nor for the token, when its caller has given up already', async (name, input) => {
  const { url, heard } = await serveOther((_, response) => response.end());
  let tokens = 0;
  const client = porticoClient({ url, token: () => `a.b.${tokens++}` });
  expect(await callOf(client, name)(...input, AbortSignal.abort())).toEqual(err({ kind: 'given-up' }));
  expect([heard, tokens]).toEqual([[], 0]);
});

const callOf = (client: PorticoClient, name: string) =>
  client[name as keyof PorticoClient] as (...input: readonly unknown[]) => PromiseLike<unknown>;

describe('a JSON body', () => {
  it('comes as the downstream wrote it, to the byte', async () => {
    const { clientOf } = await servePortico({
      ports: { eligibility: { coverage: () => okAsync(body) } },
    });
    expect(await clientOf('PTY-1').getCoverage()).toEqual(ok(body));
  });

  it('goes as the caller wrote it, to the byte', async () => {
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
    ['is no JSON', Buffer.from('{"plan":'), 'application/json'],
    ['begins with a byte order mark', Buffer.from('\ufeff{}'), 'application/json'],
    ['is not in UTF-8', Buffer.from('{"plan":"\xe4"}', 'latin1'), 'application/json'],
    ['has another media type', Buffer.from('{}'), 'text/plain'],
    ['has no media type', Buffer.from('{}'), undefined],
  ])('is none that a Portico sends when it %s', async (_, bytes, mediaType) => {
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
  it('is asked for with every parameter as it was given, in order', async () => {
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

  it('is asked for with a query as it is written in a URL', async () => {
    const written = 'cursor=a+b%20c&status=paid';
    const requests: string[] = [];
    const { url } = await serveOther(({ url: asked = '' }, response) => {
      requests.push(asked);
      response.setHeader('Content-Type', 'application/json').end('[]');
    });
    await porticoClient({ url }).listClaims(written);
    expect(requests).toEqual([`/me/claims?${written}`]);
  });

  it('is refused a parameter that lists do not relay, as by the use case', async () => {
    const { clientOf, use } = await servePortico();
    const query = [['partyLocator', 'PTY-2']] as const;
    const refused = await use.listClaims(aMember('PTY-1'), query);
    expect(refused).toMatchObject({ error: { kind: 'invalid' } });
    expect(await clientOf('PTY-1').listClaims(query)).toEqual(refused);
  });
});

describe('a locator', () => {
  it.each(['a/b', 'a%2Fb', '%2e%2e', '...', 'CLM-1?x=1', 'CLM-1#x', ' ', 'ä', '\ud800', 'CLM..1'])(
    'that cannot be one never becomes another path: %j',
    async (locator) => {
      const { clientOf, use } = await servePortico();
      const refused = await use.getClaim(aMember('PTY-1'), locator);
      expect(refused).toMatchObject({ error: { kind: 'invalid' } });
      expect(await clientOf('PTY-1').getClaim(locator)).toEqual(refused);
    },
  );

  it.each(['', '.', '..'])('that would be a step in the path is not sent: %j', async (locator) => {
    const { url, heard } = await serveOther((_, response) => response.end());
    const client = porticoClient({ url });
    for (const refused of [await client.getClaim(locator), await client.getDocument(locator)])
      expect(refused).toMatchObject({ error: { kind: 'invalid', errors: [{ path: '/locator' }] } });
    expect(heard).toEqual([]);
  });
});

describe('a claim', () => {
  it('is filed under the locator that the claims system names', async () => {
    const { clientOf } = await servePortico();
    expect(await clientOf('PTY-1').submitClaim(toJson({ type: 'dental' }))).toMatchObject({
      value: { outcome: 'created', locator: 'CLM-NEW-1', claim: { value: { type: 'dental', status: 'received' } } },
    });
  });

  it('may be taken in, to be filed later and without a locator', async () => {
    const claim = toJson({ queued: true });
    const { clientOf } = await servePortico({
      ports: { claims: { submit: () => okAsync({ outcome: 'accepted', claim }) } },
    });
    expect(await clientOf('PTY-1').submitClaim(body)).toEqual(ok({ outcome: 'accepted', claim }));
  });

  it.each(['a blank', 'line\nbreak', 'ä', '🦷', ''])(
    'is refused under an idempotency key that is none: %j',
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
    ['a merge patch when nothing else is said', undefined, 'application/merge-patch+json'],
    ['what the caller says', 'application/json', 'application/json'],
  ] as const)('is patched as %s', async (_, given, received) => {
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
    await clientOf('PTY-1').patchProfile(toJson({ city: 'Springfield' }), given);
    expect(mediaTypes).toEqual([received]);
  });
});

describe('preferences', () => {
  it('are changed where they are named and left where they are not', async () => {
    const { clientOf } = await servePortico();
    const client = clientOf('PTY-1');
    expect(await client.changePreferences({ sms: true })).toMatchObject({
      value: { value: { ...preferences, sms: true } },
    });
    expect(await client.getPreferences()).toMatchObject({ value: { value: { ...preferences, sms: true } } });
  });

  it('that others change in between are read and written again', async () => {
    const { notifications } = fakePorts();
    let isFirst = true;
    const read = notifications.preferences;
    const busy = await servePortico({
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
    expect(await busy.clientOf('PTY-1').changePreferences({ sms: true })).toMatchObject({
      value: { value: { ...preferences, email: false, sms: true } },
    });
  });

  it('that were never set are not ours to choose, unless all six are named', async () => {
    const { clientOf } = await servePortico();
    const client = clientOf('PTY-3');
    expect(await client.changePreferences({ sms: true })).toMatchObject({ error: { code: 'preferences-not-set' } });
    expect(await client.changePreferences(preferences)).toMatchObject({ value: { value: preferences } });
  });

  it('that cannot be read are not written over', async () => {
    const { url, heard } = await serveOther((_, response) =>
      response.setHeader('Content-Type', 'application/json').end('{"email":"yes"}'),
    );
    expect(await porticoClient({ url }).changePreferences({ sms: true })).toMatchObject({
      error: { kind: 'upstream', service: 'notifications', reason: 'malformed' },
    });
    expect(heard).toEqual(['GET /me/preferences']);
  });
});

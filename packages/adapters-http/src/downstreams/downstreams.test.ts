import { type ClaimLocator, type DocumentLocator, type Failure } from '@portico/core';
import { aMember, somePreferences as preferences } from '@portico/core/testing';
import { err, type ResultAsync } from 'neverthrow';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { httpClaims } from './claims.ts';
import { httpConsent } from './consent.ts';
import { httpDocuments } from './documents.ts';
import { httpEligibility } from './eligibility.ts';
import { httpNotifications } from './notifications.ts';
import { httpPolicy } from './policy.ts';
import { valueOf } from '../http/local-servers.test.support.ts';

const url = 'http://service.test/base/';
const member = aMember('auth0|a@b:c', 'aaaa.bbbb.cccc');
const encoded = 'auth0%7Ca%40b%3Ac';
const text = '{"b":12345678901234567890,"a":"Zoë \\u00e9"}';
const body = { text, value: JSON.parse(text) as unknown };
const query = [
  ['status', 'open'],
  ['status', 'paid'],
  ['cursor', 'a b&c'],
] as const;
const relayed = '?status=open&status=paid&cursor=a%20b%26c';

type Call = () => ResultAsync<unknown, Failure>;
interface ExpectedRequest {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

const get = (path: string): ExpectedRequest => ({ method: 'GET', path });
const sendBody = (method: string, path: string, sent = text, type = 'application/json'): ExpectedRequest => ({
  method,
  path,
  body: sent,
  type,
});

const claim = 'CLM:1' as ClaimLocator;
const document = 'DOC:1' as DocumentLocator;

const operations: readonly (readonly [string, Call, ExpectedRequest])[] = [
  ['coverage', () => httpEligibility({ url }).coverage(member), get(`/members/${encoded}/coverage`)],
  ['accumulators', () => httpEligibility({ url }).accumulators(member), get(`/members/${encoded}/accumulators`)],
  ['claims', () => httpClaims({ url }).list(member, query), get(`/members/${encoded}/claims${relayed}`)],
  ['one claim', () => httpClaims({ url }).get(member, claim), get(`/members/${encoded}/claims/CLM%3A1`)],
  [
    'a claim submission',
    () => httpClaims({ url }).submit(member, body),
    sendBody('POST', `/members/${encoded}/claims`),
  ],
  ['documents', () => httpDocuments({ url }).list(member, query), get(`/members/${encoded}/documents${relayed}`)],
  [
    'one document',
    () => httpDocuments({ url }).get(member, document, {}),
    get(`/members/${encoded}/documents/DOC%3A1`),
  ],
  ['party details', () => httpPolicy({ url }).profile(member), get(`/parties/${encoded}`)],
  [
    'a profile change as JSON',
    () => httpPolicy({ url }).patchProfile(member, { ...body, mediaType: 'application/json' }),
    sendBody('PATCH', `/parties/${encoded}`),
  ],
  [
    'a profile change as a merge patch',
    () => httpPolicy({ url }).patchProfile(member, { ...body, mediaType: 'application/merge-patch+json' }),
    sendBody('PATCH', `/parties/${encoded}`, text, 'application/merge-patch+json'),
  ],
  ['preferences', () => httpNotifications({ url }).preferences(member), get(`/preferences/${encoded}`)],
  ["the member's own preferences", () => httpNotifications({ url }).ownPreferences(member), get('/preferences')],
  [
    'a preferences update',
    () => httpNotifications({ url }).replacePreferences(member, preferences),
    sendBody('PUT', `/preferences/${encoded}`, JSON.stringify(preferences)),
  ],
  ['notifications', () => httpNotifications({ url }).list(member, query), get(`/notifications/list${relayed}`)],
  ['the notification log', () => httpNotifications({ url }).log(member, query), get(`/log/list${relayed}`)],
  ['consent', () => httpConsent({ url }).get(member), get(`/consent/${encoded}`)],
  ['a consent update', () => httpConsent({ url }).replace(member, body), sendBody('PUT', `/consent/${encoded}`)],
];

beforeEach(() => nock.disableNetConnect());

afterEach(() => {
  expect(nock.isDone(), 'every expected request was sent').toBe(true);
  nock.cleanAll();
  nock.enableNetConnect();
});

/** Responds to one request with this method and path, and returns the request and the result of the call. */
const exchange = async ({ method, path }: ExpectedRequest, call: Call, status = 200) => {
  const received: { request?: Request; body?: string } = {};
  nock('http://service.test')
    .intercept(`/base${path}`, method)
    .reply(async (request: Request) => {
      received.request = request;
      received.body = await request.text();
      return [status, '{}', { 'content-type': path.endsWith('DOC%3A1') ? 'application/pdf' : 'application/json' }];
    });
  const result = await call();
  return { ...received, result };
};

describe('a downstream request', () => {
  it.each(operations)("%s carries the member's token", async (_, call, expected) => {
    const { request, body: sent } = await exchange(expected, call);
    expect({
      method: request?.method,
      url: request?.url,
      authorization: request?.headers.get('authorization'),
      type: request?.headers.get('content-type'),
      body: sent,
    }).toEqual({
      method: expected.method,
      url: `http://service.test/base${expected.path}`,
      authorization: 'Bearer aaaa.bbbb.cccc',
      type: expected.type ?? null,
      body: expected.body ?? '',
    });
  });

  it.each(operations)('%s accepts the media type of its response', async (what, call, expected) => {
    const { request } = await exchange(expected, call);
    expect(request?.headers.get('accept')).toBe(what === 'one document' ? 'application/pdf' : 'application/json');
    expect(request?.headers.get('accept-encoding')).toBe('identity');
  });

  it.each(operations)('%s fails not-found on 404', async (_, call, expected) => {
    const { result } = await exchange(expected, call, 404);
    expect(result.isErr() && result.error.kind).toBe('not-found');
  });

  it.each(operations)('%s fails with only the service, a reason and the status on 403', async (_, call, expected) => {
    const { result } = await exchange(expected, call, 403);
    expect(result.isErr() && result.error).toEqual({
      kind: 'upstream',
      service: expect.stringMatching(/^(?:eligibility|claims|documents|policy|notifications|consent)$/) as string,
      reason: 'status',
      status: 403,
    });
  });
});

it('every operation supports a custom path', async () => {
  const paths = {
    claims: { list: '/c', submit: '/c/new', get: '/c/{locator}' },
    policy: { profile: '/who?party={partyLocator}', patchProfile: '/who/{partyLocator}/change' },
    notifications: { preferences: '/p', ownPreferences: '/p/own', replacePreferences: '/p/set', list: '/n', log: '/l' },
  };
  const cases: readonly (readonly [ExpectedRequest, Call])[] = [
    [get('/c'), () => httpClaims({ url, paths: paths.claims }).list(member, [])],
    [get('/c/CLM%3A1'), () => httpClaims({ url, paths: paths.claims }).get(member, claim)],
    [sendBody('POST', '/c/new'), () => httpClaims({ url, paths: paths.claims }).submit(member, body)],
    [get(`/who?party=${encoded}`), () => httpPolicy({ url, paths: paths.policy }).profile(member)],
    [
      sendBody('PATCH', `/who/${encoded}/change`),
      () => httpPolicy({ url, paths: paths.policy }).patchProfile(member, { ...body, mediaType: 'application/json' }),
    ],
    [get('/p'), () => httpNotifications({ url, paths: paths.notifications }).preferences(member)],
    [get('/p/own'), () => httpNotifications({ url, paths: paths.notifications }).ownPreferences(member)],
    [
      sendBody('PUT', '/p/set'),
      () => httpNotifications({ url, paths: paths.notifications }).replacePreferences(member, preferences),
    ],
    [get('/n'), () => httpNotifications({ url, paths: paths.notifications }).list(member, [])],
    [get('/l'), () => httpNotifications({ url, paths: paths.notifications }).log(member, [])],
    [get('/e'), () => httpEligibility({ url, paths: { coverage: '/e' } }).coverage(member)],
    [get('/d/DOC%3A1'), () => httpDocuments({ url, paths: { get: '/d/{locator}' } }).get(member, document, {})],
    [sendBody('PUT', '/k'), () => httpConsent({ url, paths: { replace: '/k' } }).replace(member, body)],
  ];
  for (const [expected, call] of cases) {
    const { result } = await exchange(expected, call);
    expect(result.isOk(), `${expected.method} ${expected.path}`).toBe(true);
  }
});

describe.each([
  ['preferences', `/preferences/${encoded}`, () => httpNotifications({ url }).preferences(member)],
  ['consent', `/consent/${encoded}`, () => httpConsent({ url }).get(member)],
  ['a profile', `/parties/${encoded}`, () => httpPolicy({ url }).profile(member)],
] as const)('%s', (_, path, call) => {
  it('have the strong entity tag of the service', async () => {
    nock('http://service.test')
      .get(`/base${path}`)
      .reply(200, text, { 'content-type': 'application/json', etag: '"v,1"' });
    expect(await valueOf(call())).toMatchObject({ text, etag: '"v,1"' });
  });

  it.each(['W/"1"', '1', '"a" "b"', ''])('have no etag when the entity tag is weak or invalid: %s', async (etag) => {
    nock('http://service.test').get(`/base${path}`).reply(200, text, { 'content-type': 'application/json', etag });
    expect(await valueOf(call())).not.toHaveProperty('etag');
  });
});

describe.each([
  [
    'preferences',
    'PUT',
    `/preferences/${encoded}`,
    (ifMatch?: string) => httpNotifications({ url }).replacePreferences(member, preferences, ifMatch),
  ],
  ['consent', 'PUT', `/consent/${encoded}`, (ifMatch?: string) => httpConsent({ url }).replace(member, body, ifMatch)],
  [
    'policy',
    'PATCH',
    `/parties/${encoded}`,
    (ifMatch?: string) => httpPolicy({ url }).patchProfile(member, { ...body, mediaType: 'application/json' }, ifMatch),
  ],
] as const)('a write to %s', (what, method, path, write) => {
  const service = what === 'preferences' ? 'notifications' : what;

  it('sends If-Match when it has a condition', async () => {
    const { request } = await exchange({ method, path }, () => write('"1", W/"2"'));
    expect(request?.headers.get('if-match')).toBe('"1", W/"2"');
  });

  it('sends no If-Match without a condition', async () => {
    const { request } = await exchange({ method, path }, () => write());
    expect(request?.headers.get('if-match')).toBeNull();
  });

  it('fails precondition-failed when its condition is false', async () => {
    const { result } = await exchange({ method, path }, () => write('"1"'), 412);
    expect(result).toEqual(err({ kind: 'precondition-failed', service }));
  });

  it('fails upstream on a 412 without a condition', async () => {
    const { result } = await exchange({ method, path }, () => write(), 412);
    expect(result).toEqual(err({ kind: 'upstream', service, reason: 'status', status: 412 }));
  });
});

import { type ClaimLocator, type DocumentLocator, type Failure, toJson } from '@portico/core';
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

type Ask = () => ResultAsync<unknown, Failure>;
interface Wire {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

const get = (path: string): Wire => ({ method: 'GET', path });
const send = (method: string, path: string, sent = text, type = 'application/json'): Wire => ({
  method,
  path,
  body: sent,
  type,
});

const claim = 'CLM:1' as ClaimLocator;
const document = 'DOC:1' as DocumentLocator;

const questions: readonly (readonly [string, Ask, Wire])[] = [
  ['coverage', () => httpEligibility({ url }).coverage(member), get(`/members/${encoded}/coverage`)],
  ['accumulators', () => httpEligibility({ url }).accumulators(member), get(`/members/${encoded}/accumulators`)],
  ['claims', () => httpClaims({ url }).list(member, query), get(`/members/${encoded}/claims${relayed}`)],
  ['one claim', () => httpClaims({ url }).get(member, claim), get(`/members/${encoded}/claims/CLM%3A1`)],
  ['a claim to be filed', () => httpClaims({ url }).submit(member, body), send('POST', `/members/${encoded}/claims`)],
  ['documents', () => httpDocuments({ url }).list(member, query), get(`/members/${encoded}/documents${relayed}`)],
  [
    'one document',
    () => httpDocuments({ url }).get(member, document, {}),
    get(`/members/${encoded}/documents/DOC%3A1`),
  ],
  ['party details', () => httpPolicy({ url }).profile(member), get(`/parties/${encoded}`)],
  [
    'a change of party details',
    () => httpPolicy({ url }).patchProfile(member, { ...body, mediaType: 'application/json' }),
    send('PATCH', `/parties/${encoded}`),
  ],
  [
    'a merge patch of party details',
    () => httpPolicy({ url }).patchProfile(member, { ...body, mediaType: 'application/merge-patch+json' }),
    send('PATCH', `/parties/${encoded}`, text, 'application/merge-patch+json'),
  ],
  ['preferences', () => httpNotifications({ url }).preferences(member), get(`/preferences/${encoded}`)],
  ["the member's own preferences", () => httpNotifications({ url }).ownPreferences(member), get('/preferences')],
  [
    'preferences to be kept',
    () => httpNotifications({ url }).replacePreferences(member, preferences),
    send('PUT', `/preferences/${encoded}`, JSON.stringify(preferences)),
  ],
  ['notifications', () => httpNotifications({ url }).list(member, query), get(`/notifications/list${relayed}`)],
  ['the notification log', () => httpNotifications({ url }).log(member, query), get(`/log/list${relayed}`)],
  ['consent', () => httpConsent({ url }).get(member), get(`/consent/${encoded}`)],
  ['consent to be kept', () => httpConsent({ url }).replace(member, body), send('PUT', `/consent/${encoded}`)],
];

beforeEach(() => nock.disableNetConnect());

afterEach(() => {
  expect(nock.isDone(), 'everything expected was on the wire').toBe(true);
  nock.cleanAll();
});

/** Answers one question of this method at this path, and gives it as it was on the wire. */
const hear = async ({ method, path }: Wire, ask: Ask, status = 200) => {
  const heard: { request?: Request; body?: string } = {};
  nock('http://service.test')
    .intercept(`/base${path}`, method)
    .reply(async (request: Request) => {
      heard.request = request;
      heard.body = await request.text();
      return [status, '{}', { 'content-type': path.endsWith('DOC%3A1') ? 'application/pdf' : 'application/json' }];
    });
  const answer = await ask();
  return { ...heard, answer };
};

describe('the question for', () => {
  it.each(questions)("%s is asked in the member's own name", async (_, ask, wire) => {
    const { request, body: sent } = await hear(wire, ask);
    expect({
      method: request?.method,
      url: request?.url,
      authorization: request?.headers.get('authorization'),
      type: request?.headers.get('content-type'),
      body: sent,
    }).toEqual({
      method: wire.method,
      url: `http://service.test/base${wire.path}`,
      authorization: 'Bearer aaaa.bbbb.cccc',
      type: wire.type ?? null,
      body: wire.body ?? '',
    });
  });

  it.each(questions)('%s names the kind of answer it can use', async (what, ask, wire) => {
    const { request } = await hear(wire, ask);
    expect(request?.headers.get('accept')).toBe(what === 'one document' ? 'application/pdf' : 'application/json');
    expect(request?.headers.get('accept-encoding')).toBe('identity');
  });

  it.each(questions)('%s may find nothing', async (_, ask, wire) => {
    const { answer } = await hear(wire, ask, 404);
    expect(answer.isErr() && answer.error.kind).toBe('not-found');
  });

  it.each(questions)('%s may fail, and the failure names the service alone', async (_, ask, wire) => {
    const { answer } = await hear(wire, ask, 403);
    expect(answer.isErr() && answer.error).toEqual({
      kind: 'upstream',
      service: expect.stringMatching(/^(?:eligibility|claims|documents|policy|notifications|consent)$/) as string,
      reason: 'status',
    });
  });
});

it('lets every path be another', async () => {
  const paths = {
    claims: { list: '/c', submit: '/c/new', get: '/c/{locator}' },
    policy: { profile: '/who?party={partyLocator}', patchProfile: '/who/{partyLocator}/change' },
    notifications: { preferences: '/p', ownPreferences: '/p/own', replacePreferences: '/p/set', list: '/n', log: '/l' },
  };
  const asked: readonly (readonly [Wire, Ask])[] = [
    [get('/c'), () => httpClaims({ url, paths: paths.claims }).list(member, [])],
    [get('/c/CLM%3A1'), () => httpClaims({ url, paths: paths.claims }).get(member, claim)],
    [send('POST', '/c/new'), () => httpClaims({ url, paths: paths.claims }).submit(member, body)],
    [get(`/who?party=${encoded}`), () => httpPolicy({ url, paths: paths.policy }).profile(member)],
    [
      send('PATCH', `/who/${encoded}/change`),
      () => httpPolicy({ url, paths: paths.policy }).patchProfile(member, { ...body, mediaType: 'application/json' }),
    ],
    [get('/p'), () => httpNotifications({ url, paths: paths.notifications }).preferences(member)],
    [get('/p/own'), () => httpNotifications({ url, paths: paths.notifications }).ownPreferences(member)],
    [
      send('PUT', '/p/set'),
      () => httpNotifications({ url, paths: paths.notifications }).replacePreferences(member, preferences),
    ],
    [get('/n'), () => httpNotifications({ url, paths: paths.notifications }).list(member, [])],
    [get('/l'), () => httpNotifications({ url, paths: paths.notifications }).log(member, [])],
    [get('/e'), () => httpEligibility({ url, paths: { coverage: '/e' } }).coverage(member)],
    [get('/d/DOC%3A1'), () => httpDocuments({ url, paths: { get: '/d/{locator}' } }).get(member, document, {})],
    [send('PUT', '/k'), () => httpConsent({ url, paths: { replace: '/k' } }).replace(member, body)],
  ];
  for (const [wire, ask] of asked) {
    const { answer } = await hear(wire, ask);
    expect(answer.isOk(), `${wire.method} ${wire.path}`).toBe(true);
  }
});

it('passes an answer on byte for byte', async () => {
  nock('http://service.test')
    .get(`/base/members/${encoded}/coverage`)
    .reply(200, text, { 'content-type': 'application/json' });
  expect(await valueOf(httpEligibility({ url }).coverage(member))).toMatchObject(body);
});

it('keeps an answer without content empty', async () => {
  nock('http://service.test').put(`/base/consent/${encoded}`).reply(204);
  expect(await valueOf(httpConsent({ url }).replace(member, toJson({ a: 1 })))).toMatchObject({
    text: '',
    value: undefined,
  });
});

describe.each([
  ['preferences', `/preferences/${encoded}`, () => httpNotifications({ url }).preferences(member)],
  ['consent', `/consent/${encoded}`, () => httpConsent({ url }).get(member)],
  ['a profile', `/parties/${encoded}`, () => httpPolicy({ url }).profile(member)],
] as const)('%s', (_, path, ask) => {
  it('come with the strong entity tag that the service gives them', async () => {
    nock('http://service.test')
      .get(`/base${path}`)
      .reply(200, text, { 'content-type': 'application/json', etag: '"v,1"' });
    expect(await valueOf(ask())).toMatchObject({ text, etag: '"v,1"' });
  });

  it.each(['W/"1"', '1', '"a" "b"', ''])('come without an entity tag that cannot guard a write: %s', async (etag) => {
    nock('http://service.test').get(`/base${path}`).reply(200, text, { 'content-type': 'application/json', etag });
    expect(await valueOf(ask())).not.toHaveProperty('etag');
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

  it('carries its condition', async () => {
    const { request } = await hear({ method, path }, () => write('"1", W/"2"'));
    expect(request?.headers.get('if-match')).toBe('"1", W/"2"');
  });

  it('carries no condition when there is none', async () => {
    const { request } = await hear({ method, path }, () => write());
    expect(request?.headers.get('if-match')).toBeNull();
  });

  it('fails in its own way when its condition does not hold', async () => {
    const { answer } = await hear({ method, path }, () => write('"1"'), 412);
    expect(answer).toEqual(err({ kind: 'precondition-failed', service }));
  });

  it('fails as the service when a 412 comes without a condition', async () => {
    const { answer } = await hear({ method, path }, () => write(), 412);
    expect(answer).toEqual(err({ kind: 'upstream', service, reason: 'status' }));
  });
});

it('tells preferences that were never set from a service that fails', async () => {
  nock('http://service.test')
    .get(`/base/preferences/${encoded}`)
    .reply(404)
    .get(`/base/preferences/${encoded}`)
    .reply(500);
  const notifications = httpNotifications({ url });
  expect(await notifications.preferences(member)).toEqual(
    err({ kind: 'not-found', service: 'notifications', code: 'not-found' }),
  );
  expect(await notifications.preferences(member)).toEqual(
    err({ kind: 'upstream', service: 'notifications', reason: 'status' }),
  );
});

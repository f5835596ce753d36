import { type Failure, upstreamStatus } from '@portico/core';
import { aMember } from '@portico/core/testing';
import { err, type ResultAsync } from 'neverthrow';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downstream } from './downstream.ts';
import { valueOf } from '../http/local-servers.test.support.ts';

const json = { 'content-type': 'application/json' };

beforeEach(() => nock.disableNetConnect());

afterEach(() => {
  expect(nock.pendingMocks(), 'requests that were not sent').toEqual([]);
  nock.cleanAll();
  nock.enableNetConnect();
});

/** Responds to any request to `host`, and returns its URL. */
const requestedUrl = async (host: string, send: () => ResultAsync<unknown, Failure>) => {
  let url = '';
  nock(host)
    .get(/.*/)
    .reply((request: Request) => {
      url = request.url;
      return [200, '{}', json];
    });
  await send();
  return url;
};

describe('the base URL', () => {
  it.each([
    ['http://claims.test', 'http://claims.test/members/PTY-1/claims'],
    ['http://claims.test/', 'http://claims.test/members/PTY-1/claims'],
    ['http://claims.test:8081', 'http://claims.test:8081/members/PTY-1/claims'],
    ['https://claims.test/api/v2', 'https://claims.test/api/v2/members/PTY-1/claims'],
    ['https://claims.test/api/v2/', 'https://claims.test/api/v2/members/PTY-1/claims'],
    ['https://claims.test/api//', 'https://claims.test/api/members/PTY-1/claims'],
    ['https://claims.test/@portal', 'https://claims.test/@portal/members/PTY-1/claims'],
    ['HTTP://CLAIMS.TEST', 'http://claims.test/members/PTY-1/claims'],
    [' http://claims.test ', 'http://claims.test/members/PTY-1/claims'],
  ])('keeps its path: "%s"', async (url, expected) => {
    const claims = downstream('claims', { url });
    expect(await requestedUrl(new URL(url).origin, () => claims.get('list', aMember()))).toBe(expected);
  });

  it.each([
    'ftp://claims.test',
    'file:///etc/hosts',
    'file:///https://claims.test/',
    'http://claims.test/?tenant=1',
    'http://claims.test/?',
    'http://claims.test/#top',
    'http://claims.test/#',
    'http://user:secret@claims.test',
  ])('rejects %s', (url) => {
    expect(() => downstream('claims', { url })).toThrow(
      new TypeError('A downstream URL must be an http or https URL without user info, query or fragment.'),
    );
  });

  it.each(['', 'claims.test', '/claims'])('rejects "%s", which is not a URL', (url) => {
    expect(() => downstream('claims', { url })).toThrow(TypeError);
  });
});

const listUrl = (query: Parameters<ReturnType<typeof downstream>['get']>[2], paths?: { readonly list: string }) => {
  const claims = downstream('claims', { url: 'http://claims.test', ...(paths && { paths }) });
  return requestedUrl('http://claims.test', () => claims.get('list', aMember(), query));
};

describe('the query of a list', () => {
  const list = 'http://claims.test/members/PTY-1/claims';

  it('keeps the order of its parameters and repeated names', async () => {
    const query = [
      ['status', 'open'],
      ['sort', '-filed'],
      ['status', 'paid'],
    ] as const;
    expect(await listUrl({ query })).toBe(`${list}?status=open&sort=-filed&status=paid`);
  });

  it('the query of a list is encoded, so that a value cannot become a parameter', async () => {
    expect(await listUrl({ query: [['cursor', 'a&status=paid#x?y=1+2 é/%']] })).toBe(
      `${list}?cursor=a%26status%3Dpaid%23x%3Fy%3D1%2B2%20%C3%A9%2F%25`,
    );
  });

  it('the query of a list is sent byte for byte as the client wrote it', async () => {
    expect(await listUrl({ query: [['cursor', 'a b c,,', 'a%20b+c,%2c']] })).toBe(`${list}?cursor=a%20b+c,%2c`);
  });

  it('the query of a list may be empty', async () => {
    expect(await listUrl({ query: [['status', '']] })).toBe(`${list}?status=`);
    expect(await listUrl({ query: [] })).toBe(list);
  });

  it('follows the query string of a custom path', async () => {
    expect(await listUrl({ query: [['limit', '5']] }, { list: '/claims?party={partyLocator}' })).toBe(
      'http://claims.test/claims?party=PTY-1&limit=5',
    );
  });
});

it("a downstream request carries the member's token, and identifies the member only in the path and the token", async () => {
  let headers: Record<string, string> = {};
  nock('http://claims.test')
    .get('/members/auth0%7Ca%40b%3Ac/claims')
    .reply((request: Request) => {
      headers = Object.fromEntries(request.headers);
      return [200, '{}', json];
    });
  await downstream('claims', { url: 'http://claims.test' }).get('list', aMember('auth0|a@b:c', 'aaaa.bbbb.cccc'));
  const { authorization, accept } = headers;
  expect({ authorization, accept }).toEqual({ authorization: 'Bearer aaaa.bbbb.cccc', accept: 'application/json' });
  expect(JSON.stringify({ ...headers, host: '' })).not.toContain('a@b');
  expect(headers).not.toHaveProperty('cookie');
});

it.each([
  [{ get: '/claim' }, 'must contain {locator}'],
  [{ list: '/claims/{locator}' }, 'must not contain {locator}'],
  [
    { get: '/claims/{partyLocator}{locator}' },
    'must have a character that values cannot contain, such as "/", between its placeholders',
  ],
  [
    { submit: '//elsewhere.example/{partyLocator}' },
    'must be a path that starts with "/" and has no placeholders other than {partyLocator} and {locator}',
  ],
])('a downstream rejects the custom path %o', (paths, problem) => {
  expect(() => downstream('claims', { url: 'http://claims.test', paths })).toThrow(
    new TypeError(`A downstream path ${problem}.`),
  );
});

it('an operation without a custom path uses its default path', async () => {
  const claims = downstream('claims', { url: 'http://claims.test', paths: { list: undefined } });
  expect(await requestedUrl('http://claims.test', () => claims.get('list', aMember()))).toBe(
    'http://claims.test/members/PTY-1/claims',
  );
});

const get = (status: number) => {
  const body = status === 304 ? undefined : '{"canary":true}';
  nock('http://claims.test').get('/members/PTY-1/claims').reply(status, body, json);
  return downstream('claims', { url: 'http://claims.test' }).get('list', aMember());
};

describe('the status of a downstream response', () => {
  it.each([300, 302, 304, 400, 401, 403, 405, 409, 410, 418, 422, 429, 500, 501, 502, 503, 504])(
    'is an upstream failure for %i',
    async (status) => {
      expect(await get(status)).toEqual(err(upstreamStatus('claims', status)));
    },
  );

  it.each([200, 201, 202, 203, 299])('the status of a downstream response is a success for %i', async (status) => {
    expect(await valueOf(get(status))).toMatchObject({ text: '{"canary":true}', value: { canary: true } });
  });
});

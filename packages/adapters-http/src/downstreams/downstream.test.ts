import { type Failure, notFound, upstream } from '@portico/core';
import { aMember } from '@portico/core/testing';
import { err, type ResultAsync } from 'neverthrow';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downstream } from './downstream.ts';
import { valueOf } from '../http/local-servers.test.support.ts';

const json = { 'content-type': 'application/json' };

beforeEach(() => nock.disableNetConnect());

afterEach(() => {
  expect(nock.pendingMocks(), 'what was expected on the wire').toEqual([]);
  nock.cleanAll();
});

/** Answers whatever comes for `host`, and gives the address that was asked for. */
const addressAsked = async (host: string, ask: () => ResultAsync<unknown, Failure>) => {
  let address = '';
  nock(host)
    .get(/.*/)
    .reply((request: Request) => {
      address = request.url;
      return [200, '{}', json];
    });
  await ask();
  return address;
};

describe('the base address', () => {
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
  ])('"%s" is kept', async (url, address) => {
    const claims = downstream('claims', { url });
    expect(await addressAsked(new URL(url).origin, () => claims.get('list', aMember()))).toBe(address);
  });

  it.each([
    'ftp://claims.test',
    'file:///etc/hosts',
    'http://claims.test/?tenant=1',
    'http://claims.test/?',
    'http://claims.test/#top',
    'http://claims.test/#',
    'http://user:secret@claims.test',
  ])('may not be %s', (url) => {
    expect(() => downstream('claims', { url })).toThrow(
      new TypeError('A downstream address is an http or https URL without user, query and fragment.'),
    );
  });

  it.each(['', 'claims.test', '/claims'])('may not be "%s", which is no address', (url) => {
    expect(() => downstream('claims', { url })).toThrow(TypeError);
  });
});

const asked = (query: Parameters<ReturnType<typeof downstream>['get']>[2], paths?: { readonly list: string }) => {
  const claims = downstream('claims', { url: 'http://claims.test', ...(paths && { paths }) });
  return addressAsked('http://claims.test', () => claims.get('list', aMember(), query));
};

describe('what the member asks of a list', () => {
  const list = 'http://claims.test/members/PTY-1/claims';

  it('is relayed in its order, repeated names too', async () => {
    const query = [
      ['status', 'open'],
      ['sort', '-filed'],
      ['status', 'paid'],
    ] as const;
    expect(await asked({ query })).toBe(`${list}?status=open&sort=-filed&status=paid`);
  });

  it('is encoded, so that a value cannot become a parameter', async () => {
    expect(await asked({ query: [['cursor', 'a&status=paid#x?y=1+2 é/%']] })).toBe(
      `${list}?cursor=a%26status%3Dpaid%23x%3Fy%3D1%2B2%20%C3%A9%2F%25`,
    );
  });

  it('is sent byte for byte as the client wrote it', async () => {
    expect(await asked({ query: [['cursor', 'a b c,,', 'a%20b+c,%2c']] })).toBe(`${list}?cursor=a%20b+c,%2c`);
  });

  it('may be empty', async () => {
    expect(await asked({ query: [['status', '']] })).toBe(`${list}?status=`);
    expect(await asked({ query: [] })).toBe(list);
  });

  it('follows the query string of a custom path', async () => {
    expect(await asked({ query: [['limit', '5']] }, { list: '/claims?party={partyLocator}' })).toBe(
      'http://claims.test/claims?party=PTY-1&limit=5',
    );
  });
});

it("sends the member's own token, and nothing that names the member beside the path", async () => {
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

it('refuses a custom path that cannot serve its operation', () => {
  expect(() => downstream('claims', { url: 'http://claims.test', paths: { get: '/claim' } })).toThrow(
    new TypeError('A downstream path must hold {locator}.'),
  );
});

it('keeps the usual path where the settings leave one out', async () => {
  const claims = downstream('claims', { url: 'http://claims.test', paths: { list: undefined } });
  expect(await addressAsked('http://claims.test', () => claims.get('list', aMember()))).toBe(
    'http://claims.test/members/PTY-1/claims',
  );
});

const get = (status: number) => {
  const body = status === 304 ? undefined : '{"canary":true}';
  nock('http://claims.test').get('/members/PTY-1/claims').reply(status, body, json);
  return downstream('claims', { url: 'http://claims.test' }).get('list', aMember());
};

describe('a downstream that answers', () => {
  it('404 has no such thing', async () => {
    expect(await get(404)).toEqual(err(notFound('claims')));
  });

  it.each([300, 302, 304, 400, 401, 403, 405, 409, 410, 418, 422, 429, 500, 501, 502, 503, 504])(
    '%i has failed, whoever is to blame',
    async (status) => {
      expect(await get(status)).toEqual(err(upstream('claims', 'status')));
    },
  );

  it.each([200, 201, 202, 203])('%i has answered', async (status) => {
    expect(await valueOf(get(status))).toMatchObject({ text: '{"canary":true}', value: { canary: true } });
  });
});

import { upstream, upstreamStatus } from '@portico/core';
import { fakeClock } from '@portico/core/testing';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { httpClient } from '../http/client.ts';
import { httpServer } from '../http/local-servers.test.support.ts';
import { discover, knownTokenUrl } from './discovery.ts';
import { httpIdentity } from './identity.ts';

const malformed = err(upstream('identity', 'malformed'));

/** Discovers the token endpoint of an issuer whose document is this, through a fetch that records the URLs. */
const discovered = async (issuer: string, document: unknown, status = 200) => {
  const urls: string[] = [];
  const fetch = (request: unknown) => {
    urls.push((request as Request).url);
    return Promise.resolve(Response.json(document, { status }));
  };
  const client = httpClient('identity', { clock: fakeClock(), fetch });
  return { result: await discover(issuer, 'token_endpoint', client), urls };
};

const endpointOf = async (issuer: string, tokenEndpoint: unknown) =>
  (await discovered(issuer, { issuer, token_endpoint: tokenEndpoint })).result;

describe('the discovery document', () => {
  it.each(['https://id.test', 'https://id.test/', 'https://id.test//', 'https://id.test/tenant/'])(
    'the discovery document of %s is at its well-known path',
    async (issuer) => {
      const { urls } = await discovered(issuer, { issuer, token_endpoint: 'https://id.test/token' });
      expect(urls).toEqual([`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`]);
    },
  );

  it.each([
    [200, ok('https://id.test/token')],
    [299, ok('https://id.test/token')],
    [300, err(upstreamStatus('identity', 300))],
    [404, err(upstreamStatus('identity', 404))],
  ])('may have any status of success: %i', async (status, expected) => {
    const issuer = 'https://id.test';
    const document = { issuer, token_endpoint: 'https://id.test/token' };
    expect((await discovered(issuer, document, status)).result).toEqual(expected);
  });

  it.each(['https://id.test', 'HTTPS://id.test'])(
    'the discovery document of %s must not refer to plain http',
    async (issuer) => {
      for (const url of ['https://login.test/token', 'HTTPS://login.test/token'])
        expect(await endpointOf(issuer, url)).toEqual(ok(url));
      for (const url of [
        'http://login.test/token',
        'HTTP://login.test/token',
        'http://login.test/https://token',
        'ftp://login.test',
        '/token',
      ])
        expect(await endpointOf(issuer, url)).toEqual(malformed);
    },
  );

  it.each(['http://id.test', 'http://id.test/https:'])(
    'the discovery document of %s may refer to http and https only',
    async (issuer) => {
      for (const url of ['http://id.test/token', 'https://login.test/token'])
        expect(await endpointOf(issuer, url)).toEqual(ok(url));
      for (const url of [
        'ftp://id.test/http://token',
        'file:///https://token',
        'token',
        7,
        ['http://id.test/token'],
        undefined,
      ])
        expect(await endpointOf(issuer, url)).toEqual(malformed);
    },
  );

  it.each([[null], [{}], [{ issuer: 'https://id.test/', token_endpoint: 'https://id.test/token' }], [[]], ['text']])(
    'must be of exactly the issuer: %j',
    async (document) => {
      expect((await discovered('https://id.test', document)).result).toEqual(malformed);
    },
  );
});

describe('the deadline of a request for keys', () => {
  it.each([
    ['the whole deadline when the URL of the keys is known', true, 700],
    ['half of the deadline when it is discovered', false, 350],
  ])('is %s', async (_, isKnown, ms) => {
    const clock = fakeClock();
    const server = await httpServer(() => {});
    const identity = httpIdentity({
      issuer: server.url,
      audience: ['portico'],
      clock,
      timeoutMs: 700,
      ...(isKnown && { jwksUrl: `${server.url}/keys` }),
    });
    const warm = identity.warm();
    await server.until(() => server.requests.length === 1);
    clock.advance(ms - 1);
    expect(clock.scheduled).toBe(1);
    clock.advance(1);
    expect(await warm).toEqual(err(upstream('identity', 'timeout')));
  });
});

describe('the token endpoint of an issuer', () => {
  it.each([
    ['https://id.test/realms/portal', 'https://id.test/realms/portal/protocol/openid-connect/token'],
    ['https://id.test/auth/realms/portal/', 'https://id.test/auth/realms/portal/protocol/openid-connect/token'],
    ['https://id.test/realms/portal?x', undefined],
    ['https://id.test/realms/', undefined],
    ['https://id.test/realms/portal/more', undefined],
    ['https://id.test', undefined],
  ])('the token endpoint of %s is known without discovery: %s', (issuer, url) => {
    expect(knownTokenUrl({ issuer })).toBe(url);
    expect(knownTokenUrl({ issuer, tokenUrl: 'https://id.test/own' })).toBe('https://id.test/own');
  });
});

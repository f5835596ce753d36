import { describe, expect, it } from 'vitest';
import { ownPage, portal, signedIn } from '../portal.test.support.ts';

const unsafe = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

describe('a request with the cookie of a session', () => {
  it.each(unsafe)('is refused with %s, unless a page of the same origin sent it', async (method) => {
    const { send, received, events } = await signedIn();
    const refused = [
      {},
      { 'x-portico-csrf': '0' },
      { 'x-portico-csrf': '1, 1' },
      { 'sec-fetch-site': 'same-origin' },
      ...['cross-site', 'same-site', 'none', ''].map((site) => ({ 'x-portico-csrf': '1', 'sec-fetch-site': site })),
    ];
    for (const headers of refused) {
      const { status, json, headers: sent } = await send('/me/claims', { method, headers });
      expect([status, json['code'], sent.get('content-type')]).toEqual([403, 'cross-site', 'application/problem+json']);
      expect(json['requestId']).toBe(sent.get('x-request-id'));
      expect([sent.get('cache-control'), sent.get('vary')]).toEqual(['private, no-store', 'Authorization']);
    }
    expect(received).toEqual([]);
    expect(events.filter(({ name }) => name === 'cross-site').length).toBe(refused.length);
    for (const headers of [ownPage, { 'x-portico-csrf': '1' }])
      expect((await send('/me/claims', { method, headers })).status).toBe(200);
  });

  it.each(['GET', 'HEAD'])('is served with %s, which changes nothing', async (method) => {
    const { send } = await signedIn();
    expect((await send('/me/claims', { method, headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(200);
  });

  it('bypasses the session when it has an Authorization header', async () => {
    const { send, cookies, received, events } = await signedIn();
    const response = await send('/me/claims', { method: 'POST', headers: { authorization: 'Bearer own' } });
    expect(response.json).toEqual({
      authorization: 'Bearer own',
      cookie: `__Host-portico=${cookies.get('__Host-portico')}`,
    });
    expect((await send('/me/claims', { headers: { authorization: '' } })).json['authorization']).toBe('');
    expect(received.length).toBe(2);
    expect(events.map(({ name }) => name)).toEqual(['sign-in']);
  });
});

describe('POST /session/logout', () => {
  it('is refused from another site, and the session remains', async () => {
    const { send } = await signedIn();
    for (const headers of [{}, { ...ownPage, 'sec-fetch-site': 'cross-site' }])
      expect((await send('/session/logout', { method: 'POST', headers })).status).toBe(403);
    expect((await send('/session')).json['authenticated']).toBe(true);
  });
});

describe('a path', () => {
  it.each([
    ['GET', '/session/other', 404, 'no-such-route'],
    ['GET', '/session/', 404, 'no-such-route'],
    ['POST', '/session/backchannel-logout', 404, 'no-such-route'],
    ['POST', '/session', 405, 'method-not-allowed'],
    ['GET', '/session/logout', 405, 'method-not-allowed'],
    ['HEAD', '/session/callback', 405, undefined],
    ['POST', '/session/login', 405, 'method-not-allowed'],
  ])('a path of the session that is not served is refused: %s %s', async (method, path, status, code) => {
    const { browser } = await portal();
    const response = await browser().send(path, { method, headers: ownPage });
    expect([response.status, response.json['code']]).toEqual([status, code]);
    expect(response.headers.has('allow')).toBe(status === 405);
  });

  it.each(['/meadow', '/sessions', '/ME/claims', '/other'])(
    'a path of another program is passed on untouched: %s',
    async (path) => {
      const { send, cookies } = await signedIn();
      const { json } = await send(path);
      expect(json).toEqual({ cookie: `__Host-portico=${cookies.get('__Host-portico')}` });
    },
  );

  it('a path of any kind receives the access token when the settings name /', async () => {
    const { send, provider } = await signedIn({ paths: ['/'] });
    for (const path of ['/', '/other'])
      expect((await send(path)).json).toEqual({ authorization: `Bearer ${provider.issued[0]}` });
    expect((await send('/session')).json['authenticated']).toBe(true);
    await expect(portal({ paths: ['me'] })).rejects.toThrow('each path must begin with a slash');
  });

  it('can be named in the settings', async () => {
    const { send, cookies, provider } = await signedIn({ paths: ['/me', '/api/own'] });
    cookies.set('theme', 'dark');
    expect((await send('/api/own/data?a=b')).json).toEqual({
      authorization: `Bearer ${provider.issued[0]}`,
      cookie: 'theme=dark',
    });
  });
});

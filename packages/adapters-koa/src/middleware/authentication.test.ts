import { problemOf, unauthenticated } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { problemIn, servePortal } from '../server/portal.test.support.ts';

const sending = async (headersOf: (token: string) => Readonly<Record<string, string | undefined>>, query = '') => {
  const portal = await servePortal();
  const path = `/me/coverage${query.replace('TOKEN', portal.token)}`;
  const response = await portal.request('GET', path, { headers: headersOf(portal.token) });
  return { response, calls: portal.calls, token: portal.token };
};

describe('valid bearer token', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('accepts a token after the scheme "%s"', async (scheme) => {
    const { response } = await sending((token) => ({ authorization: `${scheme} ${token}` }));
    expect([response.status, response.json]).toEqual([200, { plan: 'gold' }]);
  });

  it('does not repeat the token in the response', async () => {
    const { response, token } = await sending((token) => ({ authorization: `Bearer ${token}x` }));
    expect(response.status).toBe(401);
    expect(JSON.stringify([response.headers, response.text])).not.toContain(token);
  });
});

describe('missing bearer token', () => {
  it.each([
    ['in a query parameter', () => ({ authorization: undefined }), '?access_token=TOKEN&token=TOKEN'],
    ['in a cookie', (token: string) => ({ authorization: undefined, cookie: `access_token=${token}; token=${token}` })],
    ['in another header', (token: string) => ({ authorization: undefined, 'x-access-token': token })],
    [
      'in Proxy-Authorization',
      (token: string) => ({ authorization: undefined, 'proxy-authorization': `Bearer ${token}` }),
    ],
    ['with another scheme', (token: string) => ({ authorization: `Basic ${token}` })],
    ['without a scheme', (token: string) => ({ authorization: token })],
    ['without a space after the scheme', (token: string) => ({ authorization: `Bearer${token}` })],
    ['with only a scheme', () => ({ authorization: 'Bearer' })],
    ['with only a scheme and a space', () => ({ authorization: 'Bearer ' })],
  ])('returns 401 for a token that is missing or elsewhere: %s', async (_, headersOf, query = '') => {
    const { response, calls } = await sending(headersOf, query);
    expect(problemIn(response)).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(response.headers['www-authenticate']).toBe('Bearer realm="portico"');
    expect(calls).toEqual([]);
  });
});

describe('invalid bearer token', () => {
  it.each([
    ['followed by another word', (token: string) => `Bearer ${token} x`],
    ['padded', (token: string) => `Bearer ${token}=`],
    ['twice', (token: string) => `Bearer ${token}, Bearer ${token}`],
    ['quoted', (token: string) => `Bearer "${token}"`],
    ['with the scheme twice', (token: string) => `Bearer Bearer ${token}`],
    ['with two segments', () => 'Bearer aaaa.bbbb'],
    ['unknown', () => 'Bearer aaaa.bbbb.cccc'],
    ['over 8 KiB', () => `Bearer aaaa.bbbb.${'A'.repeat(8183)}`],
  ])('returns 401 with error="invalid_token" for an invalid token: %s', async (_, authorization) => {
    const { response, calls } = await sending((token) => ({ authorization: authorization(token) }));
    expect(problemIn(response)).toEqual({
      type: 'urn:portico:problem:unauthenticated',
      title: 'A valid access token is required',
      status: 401,
      detail: problemOf(unauthenticated('invalid')).detail,
      code: 'unauthenticated',
    });
    expect(response.headers['www-authenticate']).toBe('Bearer realm="portico", error="invalid_token"');
    expect(calls).toEqual([]);
  });

  it('rejects two Authorization headers, because a proxy may have checked the other one', async () => {
    const portal = await servePortal();
    const other = portal.fakes.identity.issue({ sub: 'PTY-2' });
    for (const second of [portal.token, other, 'x'])
      for (const authorization of [
        [`Bearer ${portal.token}`, `Bearer ${second}`],
        [`Bearer ${second}`, `Bearer ${portal.token}`],
      ]) {
        const response = await portal.request('GET', '/me/coverage', { headers: { authorization } });
        expect([response.status, response.headers['www-authenticate']]).toEqual([
          401,
          'Bearer realm="portico", error="invalid_token"',
        ]);
      }
    expect(portal.calls).toEqual([]);
  });

  it('rejects a token without a valid locator', async () => {
    const portal = await servePortal();
    for (const claims of [{}, { sub: '../1' }, { sub: 'PTY-1', partyLocator: null }]) {
      const authorization = `Bearer ${portal.fakes.identity.issue(claims)}`;
      const response = await portal.request('GET', '/me/coverage', { headers: { authorization } });
      expect([response.status, response.headers['www-authenticate']]).toEqual([
        401,
        'Bearer realm="portico", error="invalid_token"',
      ]);
    }
    expect(portal.calls).toEqual([]);
  });
});

describe('token verification', () => {
  it('returns 502 if the identity provider has no keys', async () => {
    const portal = await servePortal();
    portal.fakes.identity.failWith({ kind: 'upstream', service: 'identity', reason: 'unreachable' });
    const response = await portal.request('GET', '/me/coverage');
    expect(problemIn(response)).toMatchObject({ status: 502, service: 'identity', reason: 'unreachable' });
    expect(response.headers).not.toHaveProperty('www-authenticate');
    expect(portal.calls).toEqual([]);
  });

  it('verifies the token before the body is read', async () => {
    const portal = await servePortal();
    const options = { body: 'not JSON', headers: { authorization: undefined, 'content-type': 'text/plain' } };
    expect((await portal.request('POST', '/me/claims', options)).status).toBe(401);
  });

  it('verifies the token once per request', async () => {
    const portal = await servePortal();
    let verified = 0;
    const { verify } = portal.fakes.identity;
    portal.fakes.identity.verify = (token) => {
      verified += 1;
      return verify(token);
    };
    await portal.request('GET', '/me/claims/CLM-1');
    expect(verified).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import { problemIn, servePortal } from '../server/portal.test.support.ts';

const asking = async (headersOf: (token: string) => Readonly<Record<string, string | undefined>>, query = '') => {
  const portal = await servePortal();
  const path = `/me/coverage${query.replace('TOKEN', portal.token)}`;
  const answer = await portal.ask('GET', path, { headers: headersOf(portal.token) });
  return { answer, asked: portal.asked, token: portal.token };
};

describe('a member is let in', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('with a token behind "%s"', async (scheme) => {
    const { answer } = await asking((token) => ({ authorization: `${scheme} ${token}` }));
    expect([answer.status, answer.json]).toEqual([200, { plan: 'gold' }]);
  });

  it('without the token being said again', async () => {
    const { answer, token } = await asking((token) => ({ authorization: `Bearer ${token}x` }));
    expect(answer.status).toBe(401);
    expect(JSON.stringify([answer.headers, answer.text])).not.toContain(token);
  });
});

describe('a token is missing', () => {
  it.each([
    ['in a query parameter', () => ({ authorization: undefined }), '?access_token=TOKEN&token=TOKEN'],
    ['in a cookie', (token: string) => ({ authorization: undefined, cookie: `access_token=${token}; token=${token}` })],
    ['in a header of another name', (token: string) => ({ authorization: undefined, 'x-access-token': token })],
    [
      'in the header for proxies',
      (token: string) => ({ authorization: undefined, 'proxy-authorization': `Bearer ${token}` }),
    ],
    ['behind another scheme', (token: string) => ({ authorization: `Basic ${token}` })],
    ['without a scheme', (token: string) => ({ authorization: token })],
    ['behind a scheme run together', (token: string) => ({ authorization: `Bearer${token}` })],
    ['when there is only a scheme', () => ({ authorization: 'Bearer' })],
    ['when there is only a scheme and a blank', () => ({ authorization: 'Bearer ' })],
  ])('%s', async (_, headersOf, query = '') => {
    const { answer, asked } = await asking(headersOf, query);
    expect(problemIn(answer)).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="portico"');
    expect(asked).toEqual([]);
  });
});

describe('a token is bad', () => {
  it.each([
    ['with something behind it', (token: string) => `Bearer ${token} x`],
    ['padded', (token: string) => `Bearer ${token}=`],
    ['twice', (token: string) => `Bearer ${token}, Bearer ${token}`],
    ['quoted', (token: string) => `Bearer "${token}"`],
    ['behind the scheme twice', (token: string) => `Bearer Bearer ${token}`],
    ['with two segments', () => 'Bearer aaaa.bbbb'],
    ['unknown', () => 'Bearer aaaa.bbbb.cccc'],
    ['over 8 KiB', () => `Bearer aaaa.bbbb.${'A'.repeat(8183)}`],
  ])('%s', async (_, authorization) => {
    const { answer, asked } = await asking((token) => ({ authorization: authorization(token) }));
    expect(problemIn(answer)).toEqual({
      type: 'urn:portico:problem:unauthenticated',
      title: 'A valid access token is needed',
      status: 401,
      detail: 'The access token is not valid.',
      code: 'unauthenticated',
    });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="portico", error="invalid_token"');
    expect(asked).toEqual([]);
  });

  it('when it comes beside another, good or bad: whoever stands in front may have looked at that one', async () => {
    const portal = await servePortal();
    const other = portal.fakes.identity.issue({ sub: 'PTY-2' });
    for (const second of [portal.token, other, 'x'])
      for (const authorization of [
        [`Bearer ${portal.token}`, `Bearer ${second}`],
        [`Bearer ${second}`, `Bearer ${portal.token}`],
      ]) {
        const answer = await portal.ask('GET', '/me/coverage', { headers: { authorization } });
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([
          401,
          'Bearer realm="portico", error="invalid_token"',
        ]);
      }
    expect(portal.asked).toEqual([]);
  });

  it('when it speaks for nobody', async () => {
    const portal = await servePortal();
    for (const claims of [{}, { sub: '../1' }, { sub: 'PTY-1', partyLocator: null }]) {
      const authorization = `Bearer ${portal.fakes.identity.issue(claims)}`;
      const answer = await portal.ask('GET', '/me/coverage', { headers: { authorization } });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        401,
        'Bearer realm="portico", error="invalid_token"',
      ]);
    }
    expect(portal.asked).toEqual([]);
  });
});

describe('the identity provider', () => {
  it('is to blame, not the token, when there are no keys', async () => {
    const portal = await servePortal();
    portal.fakes.identity.failWith({ kind: 'upstream', service: 'identity', reason: 'unreachable' });
    const answer = await portal.ask('GET', '/me/coverage');
    expect(problemIn(answer)).toMatchObject({ status: 502, service: 'identity', reason: 'unreachable' });
    expect(answer.headers).not.toHaveProperty('www-authenticate');
    expect(portal.asked).toEqual([]);
  });

  it('is asked before the body is read', async () => {
    const portal = await servePortal();
    const wish = { body: 'not JSON', headers: { authorization: undefined, 'content-type': 'text/plain' } };
    expect((await portal.ask('POST', '/me/claims', wish)).status).toBe(401);
  });

  it('is asked once per request', async () => {
    const portal = await servePortal();
    let verified = 0;
    const { verify } = portal.fakes.identity;
    portal.fakes.identity.verify = (token) => {
      verified += 1;
      return verify(token);
    };
    await portal.ask('GET', '/me/claims/CLM-1');
    expect(verified).toBe(1);
  });
});

import { proofAlgorithms, refusedToken } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { type PortalSettings, problemIn, routes, servePortal } from '../server/portal.test.support.ts';

const publicUrl = 'https://portal.example/api';
const thumbprint = 'k'.repeat(43);
const algorithms = `, algs="${proofAlgorithms.join(' ')}"`;
const bearer = 'Bearer realm="portico"';
const bound = 'DPoP realm="portico"';

type Mode = 'off' | 'accept' | 'require';

const serveDpop = async (dpop: Mode = 'accept', settings: PortalSettings = {}) => {
  const portal = await servePortal({
    rules: { dpop },
    ...(dpop !== 'off' && { dpop: { publicUrl, isRequired: dpop === 'require' } }),
    ...settings,
  });
  const token = portal.fakes.identity.issue({ sub: 'PTY-1', cnf: { jkt: thumbprint } });
  const prove = (method: string, path: string) =>
    portal.proofs.prove({ method, url: publicUrl + path, token, thumbprint });
  return { ...portal, plainToken: portal.token, token, prove };
};

type Portal = Awaited<ReturnType<typeof serveDpop>>;

const getting = (
  { request, token }: Portal,
  dpop: string | readonly string[] | undefined,
  { authorization = `DPoP ${token}`, path = '/me/coverage' } = {},
) => request('GET', path, { headers: { authorization, dpop } });

describe('a request with a DPoP-bound token', () => {
  it.each(routes)('%s %s is served with its proof, for the method and the public URL', async (method, path, ...row) => {
    const portal = await serveDpop();
    const [, , body] = row;
    const sent = (proof: string) =>
      portal.request(method, path, {
        ...(body !== undefined && { body }),
        headers: { authorization: `DPoP ${portal.token}`, dpop: proof },
      });
    const served = await sent(portal.prove(method, path));
    expect(served.status).toBeLessThan(300);
    const refused = await sent(portal.prove(method === 'GET' ? 'HEAD' : 'GET', path));
    expect(refused.status).toBe(401);
    expect(portal.calls).toHaveLength(1);
  });

  it('is served for HEAD with a proof for HEAD', async () => {
    const portal = await serveDpop();
    const headers = { authorization: `DPoP ${portal.token}`, dpop: portal.prove('HEAD', '/me/coverage') };
    expect((await portal.request('HEAD', '/me/coverage', { headers })).status).toBe(200);
  });

  it.each(['DPoP', 'dpop', 'DPOP', 'DPoP  '])('is served with the scheme "%s"', async (scheme) => {
    const portal = await serveDpop();
    const authorization = `${scheme} ${portal.token}`;
    expect((await getting(portal, portal.prove('GET', '/me/coverage'), { authorization })).status).toBe(200);
  });

  it('is served when its proof has no query but the request has one', async () => {
    const portal = await serveDpop();
    const response = await getting(portal, portal.prove('GET', '/me/claims'), { path: '/me/claims?status=paid' });
    expect(response.status).toBe(200);
  });

  it('is proved for the public URL, whatever the request claims about its host', async () => {
    const portal = await serveDpop();
    const url = 'http://other.example/me/coverage';
    const proof = portal.proofs.prove({ method: 'GET', url, token: portal.token, thumbprint });
    const response = await portal.request('GET', '/me/coverage', {
      headers: {
        authorization: `DPoP ${portal.token}`,
        dpop: proof,
        host: 'other.example',
        'x-forwarded-host': 'other.example',
        'x-forwarded-proto': 'http',
        forwarded: 'host=other.example;proto=http',
      },
    });
    expect(response.status).toBe(401);
  });
});

describe('a request whose proof is refused', () => {
  it.each<[string, (portal: Portal) => string | readonly string[] | undefined]>([
    ['missing', () => undefined],
    ['empty', () => ''],
    ['of another path', ({ prove }) => prove('GET', '/me/claims')],
    ['sent twice', ({ prove }) => [prove('GET', '/me/coverage'), prove('GET', '/me/coverage')]],
    ['sent beside another one', ({ prove }) => [prove('GET', '/me/coverage'), 'another']],
    ['two proofs in one header', ({ prove }) => `${prove('GET', '/me/coverage')}, ${prove('GET', '/me/coverage')}`],
  ])('gets 401 with error="invalid_dpop_proof": the proof is %s', async (_, proofOf) => {
    const portal = await serveDpop();
    const response = await getting(portal, proofOf(portal));
    expect(problemIn(response)).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(response.headers['www-authenticate']).toBe(`${bearer}, ${bound}, error="invalid_dpop_proof"${algorithms}`);
    expect(response.text).not.toContain('fake.');
    expect(portal.calls).toEqual([]);
  });

  it('gets 401 when the same proof was used before, also while the token is cached', async () => {
    const portal = await serveDpop();
    const proof = portal.prove('GET', '/me/coverage');
    expect((await getting(portal, proof)).status).toBe(200);
    expect((await getting(portal, proof)).status).toBe(401);
    expect((await getting(portal, undefined)).status).toBe(401);
  });

  it('reports the reason to the operator only', async () => {
    const reports: (string | undefined)[] = [];
    const portal = await serveDpop('accept', { onResponse: ({ problem }) => void reports.push(problem?.refusal) });
    await getting(portal, 'x');
    await getting(portal, undefined, { authorization: `Bearer ${portal.token}` });
    await expect.poll(() => reports, { interval: 1 }).toEqual(['proof', 'scheme']);
  });
});

describe('the scheme of a token', () => {
  it.each<[Mode, string]>([
    ['off', `${bearer}, error="invalid_token"`],
    ['accept', `${bearer}, error="invalid_token", ${bound}${algorithms}`],
    ['require', `${bound}, error="invalid_token"${algorithms}`],
  ])('is never Bearer for a DPoP-bound token, with or without its proof: %s', async (mode, challenge) => {
    const portal = await serveDpop(mode);
    const authorization = `Bearer ${portal.token}`;
    for (const proof of [undefined, portal.prove('GET', '/me/coverage')]) {
      const response = await getting(portal, proof, { authorization });
      expect([response.status, response.headers['www-authenticate']]).toEqual([401, challenge]);
    }
    expect(portal.calls).toEqual([]);
  });

  it('is Bearer for a plain token unless DPoP is required', async () => {
    for (const [mode, status] of [
      ['off', 200],
      ['accept', 200],
      ['require', 401],
    ] as const) {
      const portal = await serveDpop(mode);
      const response = await getting(portal, undefined, { authorization: `Bearer ${portal.plainToken}` });
      expect([mode, response.status]).toEqual([mode, status]);
    }
  });

  it('is not DPoP for a plain token', async () => {
    const portal = await serveDpop();
    const authorization = `DPoP ${portal.plainToken}`;
    const response = await getting(portal, portal.prove('GET', '/me/coverage'), { authorization });
    expect([response.status, response.headers['www-authenticate']]).toEqual([
      401,
      `${bearer}, ${bound}, error="invalid_token"${algorithms}`,
    ]);
  });

  it('the scheme of a token is not accepted if it is DPoP and DPoP is off', async () => {
    const portal = await serveDpop('off');
    const response = await getting(portal, portal.prove('GET', '/me/coverage'));
    expect([response.status, response.headers['www-authenticate']]).toEqual([401, bearer]);
  });

  it.each<[Mode, string]>([
    ['off', bearer],
    ['accept', `${bearer}, ${bound}${algorithms}`],
    ['require', bound + algorithms],
  ])('is named in the challenge of a request without a token: %s', async (mode, challenge) => {
    const response = await (
      await serveDpop(mode)
    ).request('GET', '/me/coverage', {
      headers: { authorization: undefined },
    });
    expect([response.status, response.headers['www-authenticate']]).toEqual([401, challenge]);
  });
});

it('the challenge is that of DPoP when a service refuses the token that was accepted', async () => {
  const portal = await serveDpop('require');
  portal.fakes.eligibility.failWith(refusedToken('exchange'));
  const response = await getting(portal, portal.prove('GET', '/me/coverage'));
  expect([response.status, response.headers['www-authenticate']]).toEqual([
    401,
    `${bound}, error="invalid_token"${algorithms}`,
  ]);
});

describe('a token without the required scope', () => {
  const scopes = { read: 'me:read', write: 'me:write' };

  it.each(routes)('gets 403 for %s %s, and is served with the scope', async (method, path, ...row) => {
    const [, , body] = row;
    const portal = await servePortal({ rules: { scopes } });
    const needed = method === 'GET' ? 'me:read' : 'me:write';
    const other = method === 'GET' ? 'me:write' : 'me:read';
    const requestWith = (scope: string) =>
      portal.request(method, path, {
        ...(body !== undefined && { body }),
        headers: { authorization: `Bearer ${portal.fakes.identity.issue({ sub: 'PTY-1', scope })}` },
      });
    const refused = await requestWith(`openid ${other}`);
    expect(problemIn(refused)).toMatchObject({
      type: 'urn:portico:problem:insufficient-scope',
      status: 403,
      code: 'insufficient-scope',
      detail: `The access token does not have the required scope: ${needed}.`,
    });
    expect(refused.headers['www-authenticate']).toBe(`${bearer}, error="insufficient_scope", scope="${needed}"`);
    expect(portal.calls).toEqual([]);
    expect((await requestWith(needed)).status).toBeLessThan(300);
  });

  it('gets 403 for HEAD without the scope to read', async () => {
    const portal = await servePortal({ rules: { scopes } });
    const requestWith = (scope: string) =>
      portal.request('HEAD', '/me/coverage', {
        headers: { authorization: `Bearer ${portal.fakes.identity.issue({ sub: 'PTY-1', scope })}` },
      });
    expect((await requestWith('me:write')).status).toBe(403);
    expect((await requestWith('me:read')).status).toBe(200);
  });

  it('gets the challenge of the scheme DPoP when it is DPoP-bound', async () => {
    const portal = await serveDpop('accept', { rules: { dpop: 'accept', scopes } });
    const response = await getting(portal, portal.prove('GET', '/me/coverage'));
    expect([response.status, response.headers['www-authenticate']]).toEqual([
      403,
      `${bearer}, ${bound}, error="insufficient_scope", scope="me:read"${algorithms}`,
    ]);
  });
});

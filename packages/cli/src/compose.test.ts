import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serverToken } from '@portico/adapters-koa/inversify';
import { portTokens, useCasesToken } from '@portico/core/inversify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compose } from './compose.ts';
import { bearer, identityProvider, memberEnvironment, sendJson, webServer } from './outside-world.test.support.ts';
import { settingsFile, settingsOf } from './settings/settings-file.test.support.ts';

const test = { onTestFinished };

/** A portico in this process, in front of one server that plays all services and repeats the path it was asked for. */
const composed = async (file: object = {}, env: Readonly<Record<string, string>> = {}) => {
  const identity = await identityProvider(test);
  const outside = await webServer(test, (response, { url }) => sendJson(response, { asked: url }));
  const { settings } = settingsOf({
    flags: { '--config': settingsFile(file) },
    env: { ...memberEnvironment(identity.issuer, outside.url), ...env },
  });
  const server = compose(settings).get(serverToken);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    identity,
    outside,
    ask: async (path: string, { token = identity.token(), body }: { token?: string; body?: string } = {}) => {
      const response = await fetch(`${url}${path}`, {
        headers: { ...bearer(token).headers, 'content-type': 'application/json' },
        ...(body !== undefined && { method: 'POST', body }),
      });
      return [response.status, await response.json()];
    },
  };
};

describe('with both the services and the identity provider set', () => {
  it.each([
    ['/me/coverage', '/eligibility/members/PTY-1/coverage'],
    ['/me/claims', '/claims/members/PTY-1/claims'],
    ['/me/documents', '/documents/members/PTY-1/documents'],
    ['/me/profile', '/policy/parties/PTY-1'],
    ['/me/preferences', '/notifications/preferences/PTY-1'],
    ['/me/consent', '/consent/consent/PTY-1'],
  ])('asks the right service for %s', async (route, asked) => {
    const { ask } = await composed();

    expect(await ask(route)).toEqual([200, { asked }]);
  });

  it('asks for the paths that are set', async () => {
    const { ask } = await composed({ downstreams: { claims: { paths: { list: '/v2/{partyLocator}' } } } });

    expect(await ask('/me/claims')).toEqual([200, { asked: '/claims/v2/PTY-1' }]);
    expect(await ask('/me/claims/C-1')).toEqual([200, { asked: '/claims/members/PTY-1/claims/C-1' }]);
  });

  it('finds the locator in the claim that is set', async () => {
    const { ask, identity } = await composed({}, { LOCATOR_CLAIM: 'member_no' });

    expect(await ask('/me/profile', { token: identity.token({ member_no: 'PTY-9' }) })).toEqual([
      200,
      { asked: '/policy/parties/PTY-9' },
    ]);
    expect(await ask('/me/profile')).toMatchObject([401, { code: 'unauthenticated' }]);
  });

  it('takes tokens for the audiences that are set', async () => {
    const { ask, identity } = await composed({}, { IDENTITY_AUDIENCE: 'app,web' });

    expect((await ask('/me/profile', { token: identity.token({ aud: 'web' }) }))[0]).toBe(200);
    expect((await ask('/me/profile'))[0]).toBe(401);
  });

  it('takes tokens for no longer than is set', async () => {
    const { ask } = await composed({ identity: { maxLifetimeSeconds: 60 } });

    expect((await ask('/me/profile'))[0]).toBe(401);
  });

  it('takes only the signature algorithms that are set', async () => {
    const { ask } = await composed({ identity: { algorithms: ['RS256'] } });

    expect((await ask('/me/profile'))[0]).toBe(401);
  });

  it('discovers the keys, or asks where they are set to be', async () => {
    const discovering = await composed();
    await discovering.ask('/me/profile');
    expect(discovering.identity.heard).toEqual(['GET /.well-known/openid-configuration', 'GET /keys']);

    const { issuer, token, jwksUrl, heard } = await identityProvider(test);
    const told = await composed({}, { IDENTITY_ISSUER: issuer, IDENTITY_JWKS_URL: jwksUrl });
    expect((await told.ask('/me/profile', { token: token() }))[0]).toBe(200);
    expect(heard).toEqual(['GET /keys']);
  });

  it('takes no larger body than is set', async () => {
    const { ask } = await composed({ limits: { maxRequestBytes: 10 } });

    expect(await ask('/me/claims', { body: '{"amount": 1000}' })).toMatchObject([413, { code: 'too-large' }]);
  });

  it('takes no larger answer than is set, from any service', async () => {
    const { ask } = await composed({ limits: { maxResponseBytes: 10 } });

    for (const [route, service] of [
      ['/me/coverage', 'eligibility'],
      ['/me/claims', 'claims'],
      ['/me/documents', 'documents'],
      ['/me/profile', 'policy'],
      ['/me/preferences', 'notifications'],
      ['/me/consent', 'consent'],
    ] as const)
      expect(await ask(route)).toMatchObject([502, { service, reason: 'too-large' }]);
  });

  it('waits no longer for a service than is set', async () => {
    const silent = await webServer(test, () => {});
    const { ask } = await composed({ downstreams: { claims: { timeoutMs: 1 } } }, { CLAIMS_URL: silent.url });

    expect(await ask('/me/claims')).toMatchObject([502, { service: 'claims', reason: 'timeout' }]);
    expect((await ask('/me/profile'))[0]).toBe(200);
  });
});

describe('with nothing set', () => {
  it('answers no route, and has no port to ask', async () => {
    const container = compose(settingsOf({}).settings);

    expect(container.get(serverToken).listening).toBe(false);
    expect([portTokens.identity, portTokens.claims, useCasesToken].map((token) => container.isBound(token))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

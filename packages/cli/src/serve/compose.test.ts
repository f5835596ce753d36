import { serverToken } from '@portico/adapters-koa/inversify';
import { parseSignatureHeader } from '@portico/adapters-http';
import { portTokens, searchPortTokens, searchUseCasesToken, useCasesToken } from '@portico/core/inversify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signInProvider } from '../settings/sections/identity-schema.ts';
import { compose, composeIdentity } from './compose.ts';
import {
  bearer,
  becknNetwork,
  identityProvider,
  legAt,
  memberEnvironment,
  searchFor,
  sendJson,
  webServer,
} from '../program/outside-world.test.support.ts';
import { listening } from './running-server.test.support.ts';
import { settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';

const test = { onTestFinished };

/** Starts a server in this process with the search API only. */
const searchServer = async (search: object, limits: object = {}) => {
  const { settings } = settingsOf({ flags: { '--config': settingsFile({ search, limits }) } });
  const container = compose(settings);
  return { container, url: await listening(test, container) };
};

/** Starts a server in this process. One upstream server plays all services and returns the requested path. */
const memberServer = async (file: object = {}, env: Readonly<Record<string, string>> = {}) => {
  const identity = await identityProvider(test);
  const upstream = await webServer(test, (response, { url }) => sendJson(response, { path: url }));
  const { settings } = settingsOf({
    flags: { '--config': settingsFile(file) },
    env: { ...memberEnvironment(identity.issuer, upstream.url), ...env },
  });
  const url = await listening(test, compose(settings));
  return {
    url,
    identity,
    get: async (path: string, { token = identity.token() }: { token?: string } = {}) => {
      const response = await fetch(`${url}${path}`, bearer(token));
      return [response.status, await response.json()];
    },
  };
};

describe('the member API', () => {
  it('uses the configured paths of a service', async () => {
    const { get } = await memberServer({ downstreams: { claims: { paths: { list: '/v2/{partyLocator}' } } } });

    expect(await get('/me/claims')).toEqual([200, { path: '/claims/v2/PTY-1' }]);
    expect(await get('/me/claims/C-1')).toEqual([200, { path: '/claims/members/PTY-1/claims/C-1' }]);
  });

  it('reads the locator from the configured claim', async () => {
    const { get, identity } = await memberServer({}, { LOCATOR_CLAIM: 'member_no' });

    expect(await get('/me/profile', { token: identity.token({ member_no: 'PTY-9' }) })).toEqual([
      200,
      { path: '/policy/parties/PTY-9' },
    ]);
    expect(await get('/me/profile')).toMatchObject([401, { code: 'unauthenticated' }]);
  });

  it('accepts tokens only for the configured audiences', async () => {
    const { get, identity } = await memberServer({}, { IDENTITY_AUDIENCE: 'app,web' });

    expect((await get('/me/profile', { token: identity.token({ aud: 'web' }) }))[0]).toBe(200);
    expect((await get('/me/profile'))[0]).toBe(401);
  });

  it('rejects tokens above the configured lifetime', async () => {
    const { get } = await memberServer({ identity: { maxLifetimeSeconds: 60 } });

    expect((await get('/me/profile'))[0]).toBe(401);
  });

  it('accepts only the configured signature algorithms', async () => {
    const { get } = await memberServer({ identity: { algorithms: ['RS256'] } });

    expect((await get('/me/profile'))[0]).toBe(401);
  });

  it('discovers the keys, or fetches them from the configured URL', async () => {
    const discovering = await memberServer();
    await discovering.get('/me/profile');
    expect(discovering.identity.received).toEqual(['GET /.well-known/openid-configuration', 'GET /keys']);

    const { issuer, token, jwksUrl, received } = await identityProvider(test);
    const configured = await memberServer({}, { IDENTITY_ISSUER: issuer, IDENTITY_JWKS_URL: jwksUrl });
    expect((await configured.get('/me/profile', { token: token() }))[0]).toBe(200);
    expect(received).toEqual(['GET /keys']);
  });

  it('observes the keys of each identity provider on its own', async () => {
    const providers = [await identityProvider(test), await identityProvider(test)];
    const identity = providers.map(({ issuer, jwksUrl }) => ({ issuer, jwksUrl }));
    const { settings } = settingsOf({ values: { identity, downstreams: { claims: { url: 'http://127.0.0.1:9' } } } });
    const loads: number[] = [];
    const keySetObserver = () => {
      const index = loads.push(0) - 1;
      return { keysLoaded: () => void loads[index]!++ };
    };
    await compose(settings, { keySetObserver }).get(portTokens.identity).warm?.();
    await expect.poll(() => loads, { interval: 1 }).toEqual([1, 1]);
  });

  it('rejects responses of any service above the configured size', async () => {
    const { get } = await memberServer({ limits: { maxResponseBytes: 10 } });

    for (const [route, service] of [
      ['/me/coverage', 'eligibility'],
      ['/me/claims', 'claims'],
      ['/me/documents', 'documents'],
      ['/me/profile', 'policy'],
      ['/me/preferences', 'notifications'],
      ['/me/consent', 'consent'],
    ] as const)
      expect(await get(route)).toMatchObject([502, { service, reason: 'too-large' }]);
  });

  it('applies the configured timeout of a service', async () => {
    const silent = await webServer(test, () => {});
    const { get } = await memberServer(
      { downstreams: { claims: { timeoutMs: 1 } } },
      { CLAIMS_URL: silent.url, DOWNSTREAM_TIMEOUT_MS: '' },
    );

    expect(await get('/me/claims')).toMatchObject([502, { service: 'claims', reason: 'timeout' }]);
    expect((await get('/me/profile'))[0]).toBe(200);
  });
});

/** Starts an identity provider with a token endpoint and discovery. */
const tokenIssuer = async () => {
  const server = await webServer(test, (response, { url }) =>
    sendJson(
      response,
      url?.endsWith('/openid-configuration')
        ? { issuer: server.url, token_endpoint: `${server.url}/found` }
        : { access_token: 'a.b.c', token_type: 'Bearer', expires_in: 300 },
    ),
  );
  return server;
};

/** Composes the identity provider alone, from these environment variables. */
const identityOf = (env: Readonly<Record<string, string>>) =>
  composeIdentity(signInProvider(settingsOf({ env, onlyIdentity: true }).settings)!, 'environment');

describe('the identity provider alone', () => {
  const request = { grant: 'password', clientId: 'portico-cli', username: 'member-1', password: 'right' } as const;
  const issued = { value: { token: 'a.b.c', expiresInSeconds: 300 } };

  it('requests a token from the configured token endpoint', async () => {
    const { url, received } = await tokenIssuer();
    const identity = identityOf({ IDENTITY_ISSUER: 'https://identity.example', IDENTITY_TOKEN_URL: `${url}/set` });

    expect(await identity.requestToken(request)).toMatchObject(issued);
    expect(received).toEqual(['POST /set']);
  });

  it('discovers the token endpoint when none is configured', async () => {
    const { url, received } = await tokenIssuer();

    expect(await identityOf({ IDENTITY_ISSUER: url }).requestToken(request)).toMatchObject(issued);
    expect(received).toEqual(['GET /.well-known/openid-configuration', 'POST /found']);
  });

  it('verifies tokens as the member API does', async () => {
    const { issuer, jwksUrl, token, received } = await identityProvider(test);
    const identity = identityOf({ IDENTITY_ISSUER: issuer, IDENTITY_JWKS_URL: jwksUrl, IDENTITY_AUDIENCE: 'app' });

    expect(await identity.verify(token({ aud: 'app' }))).toMatchObject({ value: { sub: 'PTY-1' } });
    expect(await identity.verify(token())).toMatchObject({ error: { kind: 'unauthenticated' } });
    expect(received).toEqual(['GET /keys']);
  });

  it('requests a token in the composed member API too', async () => {
    const { url, received } = await tokenIssuer();
    const env = { ...memberEnvironment('https://identity.example', url), IDENTITY_TOKEN_URL: `${url}/set` };
    const { requestToken } = compose(settingsOf({ env }).settings).get(useCasesToken);

    expect(await requestToken(request)).toMatchObject(issued);
    expect(received).toEqual(['POST /set']);
  });
});

describe('empty settings', () => {
  it('binds no ports, use cases and server for empty settings', () => {
    const container = compose(settingsOf({}).settings);

    expect(
      [portTokens.identity, portTokens.claims, useCasesToken, searchUseCasesToken, serverToken].map((token) =>
        container.isBound(token),
      ),
    ).toEqual([false, false, false, false, false]);
  });
});

describe('the search API', () => {
  it('searches all legs, and lists them in their order', async () => {
    const publicBase = Promise.withResolvers<string>();
    const moa = await becknNetwork(test, publicBase.promise, 'From moa');
    const mh = await becknNetwork(test, publicBase.promise, 'From mh');
    const { url } = await searchServer({
      legs: {
        moa: legAt(moa.url),
        mh: legAt(mh.url, { gatewayPath: '/bap/caller/search/', bapUri: 'https://bap.example/on_search' }),
      },
    });
    publicBase.resolve(`${url}/on_search`);

    expect(await (await searchFor(url)).json()).toMatchObject({
      moa: { message: { catalog: { providers: [{ descriptor: { name: 'From moa' } }] } } },
      mh: { message: { catalog: { providers: [{ descriptor: { name: 'From mh' } }] } } },
    });
    expect([moa.received, mh.received]).toEqual([['POST /search'], ['POST /bap/caller/search/']]);
    expect([moa, mh].map(({ requests }) => requests[0]?.context['bap_uri'])).toEqual([
      'https://bap.example',
      'https://bap.example/on_search',
    ]);
    expect(await (await fetch(`${url}/api/legs`)).json()).toMatchObject({
      legs: [
        { id: 'moa', gateway_url: moa.url },
        { id: 'mh', gateway_path: '/bap/caller/search/' },
      ],
    });
  });

  it('the search API has no member routes when only legs are configured', async () => {
    const { container, url } = await searchServer({ legs: { moa: legAt('http://127.0.0.1:9') } });

    expect((await fetch(`${url}/me/coverage`)).status).toBe(404);
    expect([portTokens.identity, useCasesToken].map((token) => container.isBound(token))).toEqual([false, false]);
  });

  it('serves both APIs when both are configured', async () => {
    const network = await becknNetwork(test, undefined);
    const { url, get } = await memberServer({ search: { timeoutMs: 1, legs: { moa: legAt(network.url) } } });

    expect(await get('/me/coverage')).toEqual([200, { path: '/eligibility/members/PTY-1/coverage' }]);
    expect((await searchFor(url)).status).toBe(200);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('applies the configured timeout for callbacks', async () => {
    const network = await becknNetwork(test, undefined);
    const { url } = await searchServer({ timeoutMs: 300, legs: { moa: legAt(network.url) } });

    expect(await (await searchFor(url)).json()).toMatchObject({
      moa: null,
      errors: { moa: { kind: 'timeout', detail: expect.stringContaining('300 ms') } },
    });
  });

  it('applies the configured timeout for acknowledgements', async () => {
    const silent = await webServer(test, () => {});
    const { url } = await searchServer({ ackTimeoutMs: 1, legs: { moa: legAt(silent.url) } });

    expect(await (await searchFor(url)).json()).toMatchObject({
      errors: { moa: { kind: 'bap_unreachable', detail: expect.stringContaining('time') } },
    });
  });

  it('responds with 503 above the configured number of pending legs', async () => {
    const { url } = await searchServer({
      maxPending: 1,
      legs: { a: legAt('http://127.0.0.1:9'), b: legAt('http://127.0.0.1:9') },
    });

    expect((await searchFor(url)).status).toBe(503);
  });

  it('accepts only the configured personas', async () => {
    const { url } = await searchServer({ personas: ['agent'], legs: { moa: legAt('http://127.0.0.1:9') } });

    expect(await (await searchFor(url)).json()).toMatchObject({
      status: 400,
      errors: [{ path: '/persona', message: expect.stringContaining('agent') }],
    });
  });

  it('applies the size limit of callbacks to acknowledgements with a catalog', async () => {
    const network = await webServer(test, (response) => sendJson(response, { message: { catalog: {} } }));
    const { url } = await searchServer({ legs: { moa: legAt(network.url) } }, { maxCallbackBytes: 10 });

    expect(await (await searchFor(url)).json()).toMatchObject({
      errors: { moa: { detail: expect.stringContaining('too large') } },
    });
  });

  it('signs the requests of legs with a key, and adds the configured context', async () => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise);
    const privateKey = Buffer.alloc(32, 7).toString('base64');
    const { url, container } = await searchServer({
      legs: {
        plain: legAt(network.url),
        signed: legAt(network.url, {
          signing: { subscriberId: 'signer.example', uniqueKeyId: 'k7', privateKey },
          extraContext: { country: 'IND', action: 'no other action' },
        }),
      },
    });
    publicBase.resolve(`${url}/on_search`);
    expect(await (await searchFor(url)).json()).not.toHaveProperty('errors');

    const [plain, signed] = network.requests.toSorted(
      (one, other) => Number(one.authorization !== undefined) - Number(other.authorization !== undefined),
    );
    expect([plain?.authorization, plain?.context['country']]).toEqual([undefined, undefined]);
    expect(parseSignatureHeader(signed?.authorization ?? '')).toMatchObject({
      subscriberId: 'signer.example',
      uniqueKeyId: 'k7',
    });
    expect(signed?.context).toMatchObject({ country: 'IND', action: 'search' });
    expect(await (await fetch(`${url}/api/legs`)).text()).not.toContain(privateKey);
    expect(container.isBound(searchPortTokens.verifier)).toBe(false);
  });

  const signing = {
    subscriberId: 'bap.example',
    uniqueKeyId: 'k7',
    privateKey: Buffer.alloc(32, 7).toString('base64'),
  };

  it.each([
    ['shared', (url: string) => [{ registryUrl: url }, {}], [['POST /beckn/lookup', undefined]]],
    [
      'own, with the key of the leg',
      (url: string) => [{}, { signing, registry: { url, profile: 'ondc' } }],
      [['POST /beckn/v2.0/lookup', 'bap.example']],
    ],
  ])('rejects callbacks that the configured registry cannot verify: %s', async (_, settingsFor, lookups) => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise);
    const received: unknown[] = [];
    const registry = await webServer(test, (response, { method, url, headers }) => {
      received.push([`${method} ${url}`, parseSignatureHeader(headers.authorization ?? '')?.subscriberId]);
      sendJson(response, []);
    });
    const [shared, own] = settingsFor(`${registry.url}/beckn`);
    const { url } = await searchServer({
      ...shared,
      legs: { moa: legAt(network.url, { verifyCallbacks: true, ...own }) },
    });
    publicBase.resolve(`${url}/on_search`);
    const result = searchFor(url);
    result.catch(() => {}); // The search ends with the server, because its leg never settles.
    await expect.poll(() => network.responses.length, { interval: 1 }).toBe(1);
    expect(await network.responses[0]).toMatchObject([401, { message: { ack: { status: 'NACK' } } }]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ pending: 1, callbacks: { rejected: 1 } });

    const now = Math.floor(Date.now() / 1000);
    const authorization =
      `Signature keyId="bpp.example|k1|ed25519",algorithm="ed25519",created="${now}",expires="${now + 60}",` +
      `headers="(created) (expires) digest",signature="${Buffer.alloc(64).toString('base64')}"`;
    const context = { ...network.requests[0]?.context, action: 'on_search', bpp_id: 'bpp.example' };
    const body = JSON.stringify({ context, message: {} });
    expect((await fetch(`${url}/on_search`, { method: 'POST', body, headers: { authorization } })).status).toBe(401);
    expect(received).toEqual(lookups);
  });
});

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { koaModule, serverToken } from '@portico/adapters-koa/inversify';
import { parseSignatureHeader } from '@portico/adapters-http';
import { portTokens, searchPortTokens, searchUseCasesToken, useCasesToken } from '@portico/core/inversify';
import { describe, expect, it, onTestFinished } from 'vitest';
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
import { settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';

const test = { onTestFinished };

/** Serves what was composed on a free port, until the test ends. */
const listening = async (container: ReturnType<typeof compose>): Promise<string> => {
  container.load(koaModule());
  const server = container.get(serverToken);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** A portico in this process that only searches. */
const searching = async (search: object, limits: object = {}) => {
  const { settings } = settingsOf({ flags: { '--config': settingsFile({ search, limits }) } });
  const container = compose(settings);
  return { container, url: await listening(container) };
};

/** A portico in this process, in front of one server that plays all services and repeats the path it was asked for. */
const composed = async (file: object = {}, env: Readonly<Record<string, string>> = {}) => {
  const identity = await identityProvider(test);
  const outside = await webServer(test, (response, { url }) => sendJson(response, { asked: url }));
  const { settings } = settingsOf({
    flags: { '--config': settingsFile(file) },
    env: { ...memberEnvironment(identity.issuer, outside.url), ...env },
  });
  const url = await listening(compose(settings));
  return {
    url,
    identity,
    outside,
    ask: async (path: string, { token = identity.token() }: { token?: string } = {}) => {
      const response = await fetch(`${url}${path}`, bearer(token));
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

/** An identity provider that issues one token, and says so when it is asked. */
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

/** The identity provider as it is set, with no service behind the member routes. */
const identityOf = (env: Readonly<Record<string, string>>) =>
  composeIdentity(settingsOf({ env, onlyIdentity: true }).settings.identity!);

describe('the identity provider alone', () => {
  const request = { grant: 'password', clientId: 'portico-cli', username: 'member-1', password: 'right' } as const;
  const issued = { value: { token: 'a.b.c', expiresInSeconds: 300 } };

  it('is asked for a token where it is set to be', async () => {
    const { url, heard } = await tokenIssuer();
    const identity = identityOf({ IDENTITY_ISSUER: 'https://identity.example', IDENTITY_TOKEN_URL: `${url}/set` });

    expect(await identity.requestToken(request)).toMatchObject(issued);
    expect(heard).toEqual(['POST /set']);
  });

  it('is asked for a token where it says itself, when nothing is set', async () => {
    const { url, heard } = await tokenIssuer();

    expect(await identityOf({ IDENTITY_ISSUER: url }).requestToken(request)).toMatchObject(issued);
    expect(heard).toEqual(['GET /.well-known/openid-configuration', 'POST /found']);
  });

  it('verifies tokens as the portal does', async () => {
    const { issuer, jwksUrl, token, heard } = await identityProvider(test);
    const identity = identityOf({ IDENTITY_ISSUER: issuer, IDENTITY_JWKS_URL: jwksUrl, IDENTITY_AUDIENCE: 'app' });

    expect(await identity.verify(token({ aud: 'app' }))).toMatchObject({ value: { sub: 'PTY-1' } });
    expect(await identity.verify(token())).toMatchObject({ error: { kind: 'unauthenticated' } });
    expect(heard).toEqual(['GET /keys']);
  });

  it('is the same to the whole portal', async () => {
    const { url, heard } = await tokenIssuer();
    const env = { ...memberEnvironment('https://identity.example', url), IDENTITY_TOKEN_URL: `${url}/set` };
    const { requestToken } = compose(settingsOf({ env }).settings).get(useCasesToken);

    expect(await requestToken(request)).toMatchObject(issued);
    expect(heard).toEqual(['POST /set']);
  });
});

describe('with nothing set', () => {
  it('has nobody to ask, and nothing to drive it', () => {
    const container = compose(settingsOf({}).settings);

    expect(
      [portTokens.identity, portTokens.claims, useCasesToken, searchUseCasesToken, serverToken].map((token) =>
        container.isBound(token),
      ),
    ).toEqual([false, false, false, false, false]);
  });
});

describe('with legs set', () => {
  it('searches on every one of them, and shows them in their order', async () => {
    const publicBase = Promise.withResolvers<string>();
    const moa = await becknNetwork(test, publicBase.promise, 'From moa');
    const mh = await becknNetwork(test, publicBase.promise, 'From mh');
    const { url } = await searching({
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
    expect([moa.heard, mh.heard]).toEqual([['POST /search'], ['POST /bap/caller/search/']]);
    expect([moa, mh].map(({ asked }) => asked[0]?.context['bap_uri'])).toEqual([
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

  it('has no member route, and no service to ask', async () => {
    const { container, url } = await searching({ legs: { moa: legAt('http://127.0.0.1:9') } });

    expect((await fetch(`${url}/me/coverage`)).status).toBe(404);
    expect([portTokens.identity, useCasesToken].map((token) => container.isBound(token))).toEqual([false, false]);
  });

  it('serves the member beside it when both halves are set', async () => {
    const network = await becknNetwork(test, undefined);
    const { url, ask } = await composed({ search: { timeoutMs: 1, legs: { moa: legAt(network.url) } } });

    expect(await ask('/me/coverage')).toEqual([200, { asked: '/eligibility/members/PTY-1/coverage' }]);
    expect((await searchFor(url)).status).toBe(200);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('waits for callbacks no longer than is set', async () => {
    const network = await becknNetwork(test, undefined);
    const { url } = await searching({ timeoutMs: 300, legs: { moa: legAt(network.url) } });

    expect(await (await searchFor(url)).json()).toMatchObject({
      moa: null,
      errors: { moa: { kind: 'timeout', detail: 'no callback within 300 ms' } },
    });
  });

  it('waits for an acknowledgement no longer than is set', async () => {
    const silent = await webServer(test, () => {});
    const { url } = await searching({ ackTimeoutMs: 1, legs: { moa: legAt(silent.url) } });

    expect(await (await searchFor(url)).json()).toMatchObject({
      errors: { moa: { kind: 'bap_unreachable', detail: 'the network did not acknowledge in time' } },
    });
  });

  it('has no more legs pending than is set', async () => {
    const { url } = await searching({
      maxPending: 1,
      legs: { a: legAt('http://127.0.0.1:9'), b: legAt('http://127.0.0.1:9') },
    });

    expect((await searchFor(url)).status).toBe(503);
  });

  it('searches for the personas that are set', async () => {
    const { url } = await searching({ personas: ['agent'], legs: { moa: legAt('http://127.0.0.1:9') } });

    expect(await (await searchFor(url)).json()).toMatchObject({
      status: 400,
      errors: [{ path: '/persona', message: 'must be one of agent' }],
    });
  });

  it('takes no larger catalog in an acknowledgement than a callback may be', async () => {
    const network = await webServer(test, (response) => sendJson(response, { message: { catalog: {} } }));
    const { url } = await searching({ legs: { moa: legAt(network.url) } }, { maxCallbackBytes: 10 });

    expect(await (await searchFor(url)).json()).toMatchObject({
      errors: { moa: { detail: 'the network acknowledged with too large an answer' } },
    });
  });

  it('signs on the legs that have a key, and sends what their networks want', async () => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise);
    const privateKey = Buffer.alloc(32, 7).toString('base64');
    const { url, container } = await searching({
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

    const [plain, signed] = network.asked.toSorted(
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

  it('takes callbacks only as the registry that is set vouches for them', async () => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise);
    const registry = await webServer(test, (response) => sendJson(response, []));
    const { url } = await searching({
      registryUrl: `${registry.url}/beckn`,
      legs: { moa: legAt(network.url, { verifyCallbacks: true }) },
    });
    publicBase.resolve(`${url}/on_search`);
    const answer = searchFor(url);
    answer.catch(() => {}); // It ends with the server: nobody gives the leg what it waits for.
    await expect.poll(() => network.answers.length, { interval: 1 }).toBe(1);
    expect(await network.answers[0]).toMatchObject([401, { message: { ack: { status: 'NACK' } } }]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ pending: 1, callbacks: { rejected: 1 } });

    const now = Math.floor(Date.now() / 1000);
    const authorization =
      `Signature keyId="bpp.example|k1|ed25519",algorithm="ed25519",created="${now}",expires="${now + 60}",` +
      `headers="(created) (expires) digest",signature="${Buffer.alloc(64).toString('base64')}"`;
    const context = { ...network.asked[0]?.context, action: 'on_search', bpp_id: 'bpp.example' };
    const body = JSON.stringify({ context, message: {} });
    expect((await fetch(`${url}/on_search`, { method: 'POST', body, headers: { authorization } })).status).toBe(401);
    expect(registry.heard).toEqual(['POST /beckn/lookup']);
  });
});

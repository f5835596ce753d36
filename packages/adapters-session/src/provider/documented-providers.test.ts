import { randomUUID } from 'node:crypto';
import { type FakeClock, fakeClock, fakeSessionStore } from '@portico/core/testing';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { ownPage, portal } from '../portal.test.support.ts';
import {
  clientId,
  type DocumentedProvider,
  documentedProviders,
  publicUrl,
} from './documented-providers.test.support.ts';
import { testProvider } from './provider.test.support.ts';

const providers = Object.entries<DocumentedProvider>(documentedProviders);
const { Keycloak, Auth0, Entra, Okta, Cognito } = documentedProviders;

const keys = generateKeyPair('RS256', { extractable: true });

interface Changes {
  readonly accessToken?: () => string;
}

/** The provider: only its documented URLs respond. */
const running = (provider: DocumentedProvider, clock: FakeClock, changes: Changes = {}) => {
  const { discovery, idToken, tokens, refresh, refusal, settings } = provider;
  const revoked: (string | null)[] = [];
  const accessTokens: string[] = [];
  const sign = async (claims: Readonly<Record<string, unknown>>, typ?: string) => {
    const now = Math.floor(clock.now() / 1000);
    return new SignJWT({ iss: discovery.issuer, aud: clientId, iat: now, exp: now + 3600, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one', ...(typ !== undefined && { typ }) })
      .sign((await keys).privateKey);
  };
  let nonce: string | null = null;
  let current = '';
  let isRefusing = false;
  const token = async (form: URLSearchParams): Promise<Response> => {
    const isRefresh = form.get('grant_type') === 'refresh_token';
    if (isRefresh && (isRefusing || form.get('refresh_token') !== current))
      return Response.json(refusal.body, { status: refusal.status });
    accessTokens.push(changes.accessToken?.() ?? `access-${accessTokens.length}`);
    const issuesRefreshToken = !isRefresh || refresh.refreshToken;
    if (issuesRefreshToken) current = randomUUID();
    return Response.json({
      ...tokens,
      access_token: accessTokens.at(-1),
      ...(issuesRefreshToken && { refresh_token: current }),
      ...((!isRefresh || refresh.idToken) && {
        id_token: await sign({ ...idToken, ...(!isRefresh && { nonce }) }),
      }),
    });
  };
  const responses: Readonly<Record<string, (form: URLSearchParams) => Response | Promise<Response>>> = {
    [`${settings.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`]: () => Response.json(discovery),
    [discovery.jwks_uri]: async () => {
      const key = await exportJWK((await keys).publicKey);
      return Response.json({ keys: [{ ...key, kid: 'one', use: 'sig' }] });
    },
    [discovery.token_endpoint]: token,
    [discovery.revocation_endpoint ?? '']: (form) => {
      revoked.push(form.get('token'));
      return new Response('');
    },
  };
  return {
    revoked,
    accessTokens,
    sign,
    refreshToken: () => current,
    refuse: () => {
      isRefusing = true;
    },
    fetch: async (input: string | URL | Request, options: RequestInit = {}) => {
      const respond = responses[input instanceof Request ? input.url : String(input)];
      return respond ? respond((options.body as URLSearchParams | null) ?? new URLSearchParams()) : notFound();
    },
    /** What the sign-in page of the provider does. Returns the path of the callback. */
    authorize: (location: URL): string => {
      const query = location.searchParams;
      nonce = query.get('nonce');
      const iss = discovery['authorization_response_iss_parameter_supported'] ? { iss: discovery.issuer } : {};
      const parameters = new URLSearchParams({ code: 'code', state: query.get('state') ?? '', ...iss });
      return `/session/callback?${parameters.toString()}`;
    },
  };
};

const notFound = (): Response => new Response('', { status: 404 });

/** A portal with the settings of the provider's how-to, and a browser. */
const setUp = async (provider: DocumentedProvider, changes?: Changes) => {
  const clock = fakeClock();
  const own = running(provider, clock, changes);
  const store = fakeSessionStore(clock);
  const { fetch } = own;
  const one = await portal({
    clock,
    store,
    ...provider.settings,
    publicUrl,
    provider: { ...testProvider(clock), fetch },
  });
  const browser = one.browser();
  const signIn = async () => {
    const started = await browser.send('/session/login?return_to=/claims');
    const location = new URL(started.headers.get('location') ?? '');
    const ended = await browser.send(own.authorize(location));
    return { location, returnedTo: ended.headers.get('location') };
  };
  const bearer = async () => (await browser.send('/me/coverage')).json['authorization'];
  return { ...one, own, store, browser, signIn, bearer };
};

describe.each(providers)('a session with %s', (_, provider) => {
  it('begins with a sign-in at the documented endpoint, and has the name of the member', async () => {
    const { signIn, bearer, browser, own } = await setUp(provider);
    const { location, returnedTo } = await signIn();
    expect([location.origin + location.pathname, returnedTo]).toEqual([
      provider.discovery.authorization_endpoint,
      `${publicUrl}/claims`,
    ]);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      scope: provider.settings.scope ?? 'openid profile',
      ...provider.settings.authorizeParameters,
    });
    expect(await bearer()).toBe(`Bearer ${own.accessTokens[0]}`);
    expect((await browser.send('/session')).json).toMatchObject({ authenticated: true, name: 'Mia Example' });
  });

  it('is refreshed twice with what each refresh returned', async () => {
    const { signIn, bearer, own, clock } = await setUp({
      ...provider,
      tokens: { ...provider.tokens, expires_in: 300 },
    });
    await signIn();
    for (const count of [1, 2]) {
      clock.advance(290_000);
      expect(await bearer()).toBe(`Bearer access-${count}`);
    }
    expect(own.accessTokens.length).toBe(3);
  });

  it('ends when the provider refuses the refresh token in its documented way', async () => {
    const { signIn, bearer, browser, own, clock, store } = await setUp({
      ...provider,
      tokens: { ...provider.tokens, expires_in: 300 },
    });
    await signIn();
    own.refuse();
    clock.advance(290_000);
    expect(await bearer()).toBeUndefined();
    expect((await browser.send('/session')).json).toEqual({ authenticated: false });
    expect(store.sessions).toEqual([]);
  });

  it('is ended by a logout, which leads to the documented page', async () => {
    const { signIn, browser, own } = await setUp(provider);
    await signIn();
    const { json } = await browser.send('/session/logout', { method: 'POST', headers: ownPage });
    expect(json).toEqual({ logout_url: provider.logoutUrl });
    expect(own.revoked).toEqual(provider.discovery.revocation_endpoint === undefined ? [] : [own.refreshToken()]);
    expect((await browser.send('/session')).json).toEqual({ authenticated: false });
  });
});

describe.each([
  ['Keycloak', Keycloak],
  ['Auth0', Auth0],
] as const)('a back-channel logout of %s', (_, provider) => {
  it('ends the session of the sign-in that it names', async () => {
    const { signIn, own, url, bearer, store } = await setUp(provider);
    await signIn();
    const logOut = async (sid: unknown) => {
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const { sub } = provider.idToken;
      const exp = Math.floor(Date.UTC(2026, 0, 1) / 1000) + 120;
      const token = await own.sign({ sub, sid, jti: randomUUID(), exp, events }, 'logout+jwt');
      const body = new URLSearchParams({ logout_token: token });
      return (await fetch(`${url}/session/backchannel-logout`, { method: 'POST', body })).status;
    };
    expect([await logOut('of another sign-in'), store.sessions.length]).toEqual([200, 1]);
    expect([await logOut(provider.idToken.sid), store.sessions.length]).toEqual([200, 0]);
    expect(await bearer()).toBeUndefined();
  });
});

describe('a sign-in', () => {
  const elsewhere = (issuer: string, discovery: object = {}) => ({
    ...Entra,
    settings: { ...Entra.settings, issuer },
    discovery: { ...Entra.discovery, ...discovery },
  });
  const common = 'https://login.microsoftonline.com/common/v2.0';
  const domain = new URL(Cognito.discovery.token_endpoint).origin;
  const template = { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' };

  it.each<[string, DocumentedProvider]>([
    ['common as tenant of Entra', elsewhere(common, template)],
    ['the domain of the Entra tenant', elsewhere('https://login.microsoftonline.com/example.onmicrosoft.com/v2.0')],
    ['version 1 of Entra', elsewhere(Entra.settings.issuer.replace('/v2.0', ''))],
    ['the Okta organization', { ...Okta, settings: { ...Okta.settings, issuer: 'https://example.okta.com' } }],
    ['the sign-in domain of Cognito', { ...Cognito, settings: { ...Cognito.settings, issuer: domain } }],
  ])('does not begin with a wrong issuer: %s', async (_, provider) => {
    const { browser, events } = await setUp(provider);
    const started = await browser.send('/session/login');
    expect(started.headers.get('location')).toBe(`${publicUrl}/?session_error=failed`);
    expect(events).toMatchObject([{ name: 'sign-in-failed', reason: 'failed' }]);
  });

  it('succeeds although the issuer of Auth0 is written without its slash', async () => {
    const { signIn } = await setUp({
      ...Auth0,
      settings: { ...Auth0.settings, issuer: Auth0.settings.issuer.slice(0, -1) },
    });
    expect((await signIn()).returnedTo).toBe(`${publicUrl}/claims`);
  });

  it('keeps the opaque token that Auth0 issues without an audience, so that the member API refuses it', async () => {
    const { signIn, bearer } = await setUp(Auth0, { accessToken: () => 'an.opaque-token' });
    await signIn();
    expect(await bearer()).toBe('Bearer an.opaque-token');
  });
});

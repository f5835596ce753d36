import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { formBrowser } from './form-browser.ts';
import { type IdentityProvider, startIdentityProvider } from './identity.ts';

const memberA = {
  username: 'member-a',
  password: 'monsoon & <mango>',
  partyLocator: 'PTY-1001',
  name: 'Sample Member A',
  email: 'member-a@example.org',
};
const memberB = {
  username: 'member-b',
  password: 'pw',
  partyLocator: 'PTY-1002',
  name: 'Sample Member B',
  email: 'member-b@example.org',
};
const redirectUri = 'http://127.0.0.1:8080/';

let identity: IdentityProvider;
const output: unknown[] = [];

beforeAll(async () => {
  for (const voice of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, voice).mockImplementation((...words) => void output.push(words));
  }
  identity = await startIdentityProvider({ users: [memberA, memberB] });
});
afterAll(async () => {
  await identity.close();
  vi.restoreAllMocks();
});

describe('discovery', () => {
  it('lists endpoints with the paths of a Keycloak realm', async () => {
    const document = await json(fetch(`${identity.issuer}/.well-known/openid-configuration`));

    const at = `http://127.0.0.1:${identity.port}/realms/portico`;
    expect(document).toMatchObject({
      issuer: at,
      authorization_endpoint: `${at}/protocol/openid-connect/auth`,
      token_endpoint: `${at}/protocol/openid-connect/token`,
      jwks_uri: `${at}/protocol/openid-connect/certs`,
      userinfo_endpoint: `${at}/protocol/openid-connect/userinfo`,
      end_session_endpoint: `${at}/protocol/openid-connect/logout`,
      revocation_endpoint: `${at}/protocol/openid-connect/revoke`,
      code_challenge_methods_supported: ['S256'],
    });
    expect([identity.issuer, identity.tokenUrl, identity.jwksUrl]).toEqual([
      at,
      document['token_endpoint'],
      document['jwks_uri'],
    ]);
  });

  it('serves nothing outside the realm', async () => {
    expect((await fetch(`http://127.0.0.1:${identity.port}/.well-known/openid-configuration`)).status).toBe(404);
  });

  it('publishes no private part of the key', async () => {
    const { keys } = await json<{ keys: object[] }>(fetch(identity.jwksUrl));
    expect(keys.map((key) => Object.keys(key).toSorted())).toEqual([['alg', 'e', 'kid', 'kty', 'n', 'use']]);
  });
});

describe('the password grant', () => {
  it('returns an access token that identifies the member', async () => {
    const response = await json<Tokens>(signIn(memberA));
    expect(response).toMatchObject({ token_type: 'Bearer', expires_in: 900 });

    const { payload, protectedHeader } = await verified(response.access_token);
    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) });
    expect(payload).toMatchObject({
      iss: identity.issuer,
      aud: 'portico',
      sub: 'member-a',
      partyLocator: 'PTY-1001',
      client_id: 'portico-cli',
    });
    expect(payload.exp! - payload.iat!).toBe(900);
  });

  it('accepts a confidential client, by header or form', async () => {
    const secret = { client_id: 'portico-smoke', client_secret: 'smoke-secret' };
    const body = { grant_type: 'password', username: 'member-b', password: 'pw' };
    for (const response of [token({ ...body, ...secret }), token(body, basic('portico-smoke', 'smoke-secret'))]) {
      expect(decodeJwt((await json<Tokens>(response)).access_token)).toMatchObject({ sub: 'member-b' });
    }
  });

  it.each([
    ['a wrong password', { ...memberA, password: 'nope' }],
    ['an unknown user', { ...memberA, username: 'no-such-user' }],
  ])('refuses %s with invalid_grant', async (_case, user) => {
    const response = await signIn(user);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_grant' });
  });

  it('refuses a missing password with invalid_request', async () => {
    const response = await token({ grant_type: 'password', client_id: 'portico-cli', username: 'member-a' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  });
});

describe('the client credentials grant', () => {
  it("returns a token with the first member's locator to the smoke client", async () => {
    const response = await json<Tokens>(
      token({ grant_type: 'client_credentials' }, basic('portico-smoke', 'smoke-secret')),
    );
    const { payload, protectedHeader } = await verified(response.access_token);
    expect(protectedHeader.typ).toBe('at+jwt');
    expect(payload).toMatchObject({ aud: 'portico', sub: 'portico-smoke', partyLocator: 'PTY-1001' });
    expect(payload.exp! - payload.iat!).toBe(900);
  });

  it('returns a token without a locator to the server client', async () => {
    const response = await json<Tokens>(
      token({ grant_type: 'client_credentials' }, basic('portico-server', 'server-secret')),
    );
    const { payload } = await verified(response.access_token);
    expect(payload).toMatchObject({ sub: 'portico-server' });
    expect(payload).not.toHaveProperty('partyLocator');
  });

  it('refuses a wrong secret', async () => {
    const response = await token({ grant_type: 'client_credentials' }, basic('portico-smoke', 'guess'));
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: 'invalid_client' });
  });
});

const exchange = (subjectToken: string, audience = 'claims', client = basic('portico-server', 'server-secret')) =>
  token(
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: subjectToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience,
    },
    client,
  );
const memberToken = async () => (await json<Tokens>(signIn(memberB))).access_token;

describe('the token exchange', () => {
  it('issues a token of the same member for one service', async () => {
    const response = await json(exchange(await memberToken()));
    expect(response).toMatchObject({
      token_type: 'Bearer',
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      expires_in: 900,
    });
    const keys = createRemoteJWKSet(new URL(identity.jwksUrl));
    const { payload } = await jwtVerify(String(response['access_token']), keys, { audience: 'claims' });
    expect(payload).toMatchObject({ sub: 'member-b', partyLocator: 'PTY-1002', client_id: 'portico-server' });
  });

  it.each([
    ['a forged token', async () => `${(await memberToken()).slice(0, -6)}AAAAAA`, 'claims', 'invalid_grant'],
    ['an unknown service', memberToken, 'payroll', 'invalid_target'],
    ['no token', async () => '', 'claims', 'invalid_request'],
  ])('refuses %s', async (_case, subject, audience, error) => {
    const response = await exchange(await subject(), audience);
    expect([response.status, await response.json()]).toMatchObject([400, { error }]);
  });

  it('refuses a token that was exchanged before: it is for another audience', async () => {
    const { access_token: exchanged } = await json<Tokens>(exchange(await memberToken()));
    expect(await (await exchange(exchanged)).json()).toMatchObject({ error: 'invalid_grant' });
  });

  it('refuses other clients', async () => {
    const response = await exchange(await memberToken(), 'claims', basic('portico-smoke', 'smoke-secret'));
    expect(await response.json()).toMatchObject({
      error: 'invalid_request',
      error_description: 'requested grant type is not allowed for this client',
    });
  });
});

const refreshFrom = (origin: string) =>
  token({ grant_type: 'refresh_token', client_id: 'portico-web', refresh_token: 'x' }, { origin });

describe('a browser', () => {
  it('signs in on the page, exchanges the code for tokens, refreshes them and signs out', async () => {
    const { visit, request, signIn, signOut } = browser();
    const { url, verifier } = authorization();
    const form = await visit(url);
    expect(form.text).toContain('<label for="password">');
    expect((await request(form.url)).headers.get('content-security-policy')).toContain("default-src 'none'");

    const refused = await signIn(form.url, { username: '"><script>', password: 'x' });
    expect(refused.status).toBe(401);
    expect(refused.text).toContain('role="alert"');
    expect(refused.text).not.toContain('<script');

    const back = new URL((await signIn(form.url, memberA)).url);
    expect(back.href.startsWith(redirectUri)).toBe(true);
    expect(back.searchParams.get('state')).toBe('s1');

    const tokens = await json<Tokens>(
      token({
        grant_type: 'authorization_code',
        client_id: 'portico-web',
        redirect_uri: redirectUri,
        code: back.searchParams.get('code')!,
        code_verifier: verifier,
      }),
    );
    const { payload, protectedHeader } = await verified(tokens.access_token);
    expect(protectedHeader.typ).toBe('at+jwt');
    expect(payload).toMatchObject({ sub: 'member-a', partyLocator: 'PTY-1001', scope: 'openid profile email' });
    const member = { sub: 'member-a', name: 'Sample Member A', email: 'member-a@example.org' };
    expect(decodeJwt(tokens.id_token!)).toMatchObject({ ...member, aud: 'portico-web', nonce: 'n1' });
    expect(await json(userinfo(tokens.access_token))).toMatchObject(member);

    const refreshed = await json<Tokens>(
      token({ grant_type: 'refresh_token', client_id: 'portico-web', refresh_token: tokens.refresh_token! }),
    );
    expect((await verified(refreshed.access_token)).payload).toMatchObject({ partyLocator: 'PTY-1001' });

    const known = await visit(authorization().url);
    expect(new URL(known.url).searchParams.has('code')).toBe(true);

    const logout = new URL(`${identity.issuer}/protocol/openid-connect/logout`);
    logout.searchParams.set('id_token_hint', refreshed.id_token!);
    logout.searchParams.set('post_logout_redirect_uri', redirectUri);
    expect((await signOut(logout.href)).url).toBe(redirectUri);
    expect((await visit(authorization().url)).url).toContain('/sign-in/');
  });

  it('grants consent automatically when the client requests it', async () => {
    const { url } = await browser().signIn(authorization({ prompt: 'consent' }).url, memberA);
    expect(new URL(url).searchParams.has('code')).toBe(true);
  });

  it('must prove that it started the sign-in (PKCE)', async () => {
    const { url } = authorization({ code_challenge: undefined, code_challenge_method: undefined });
    expect(new URL((await browser().visit(url)).url).searchParams.get('error')).toBe('invalid_request');
  });

  it('gets an error page, not a stack trace, without a sign-in in progress', async () => {
    const response = await fetch(`${identity.issuer}/sign-in/unknown`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Start again');
  });

  it('a browser may call the provider only from the origins of the pages', async () => {
    const { access_token } = await json<Tokens>(signIn(memberA));
    const allowed = async (origin: string) =>
      (await userinfo(access_token, { origin })).headers.get('access-control-allow-origin');
    expect(await allowed('http://localhost:8080')).toBe('http://localhost:8080');
    expect(await allowed('http://evil.example')).toBeNull();

    expect(await (await refreshFrom('http://127.0.0.1:8080')).json()).toMatchObject({ error: 'invalid_grant' });
    const foreign = await refreshFrom('http://evil.example');
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    expect(await foreign.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('gets nothing from userinfo with a token of another issuer', async () => {
    const other = await startIdentityProvider({ users: [memberA] });
    const { access_token: foreign } = await json<Tokens>(signIn(memberA, other.tokenUrl));
    await other.close();
    for (const token of [foreign, 'not.a.token']) expect((await userinfo(token)).status).toBe(401);
  });
});

describe('outages and key rotation', () => {
  it('signs with a new key after rotation and removes the old one', async () => {
    const before = (await json<Tokens>(signIn(memberA))).access_token;
    await identity.rotateKeys();
    const after = (await json<Tokens>(signIn(memberA))).access_token;

    const [oldKid, newKid] = [before, after].map((jwt) => decodeProtectedHeader(jwt).kid);
    expect(newKid).not.toBe(oldKid);
    const { keys } = await json<{ keys: { kid: string }[] }>(fetch(identity.jwksUrl));
    expect(keys.map(({ kid }) => kid)).toEqual([newKid]);
    await expect(verified(before)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    expect((await verified(after)).payload.sub).toBe('member-a');
  });

  it('refuses connections while stopped, and restarts with the same issuer and key', async () => {
    const before = (await json<Tokens>(signIn(memberA))).access_token;
    await identity.stop();
    const [refusal] = await once(connect(identity.port, '127.0.0.1'), 'error');
    expect(refusal).toMatchObject({ code: 'ECONNREFUSED' });
    await identity.start();

    expect((await verified(before)).payload.iss).toBe(identity.issuer);
    expect((await signIn(memberA)).status).toBe(200);
  });

  it('drops open connections when it stops', async () => {
    const other = await startIdentityProvider({ users: [memberB] });
    const unfinished = fetch(other.tokenUrl, { method: 'POST', body: new ReadableStream(), duplex: 'half' });
    const cut = expect(unfinished).rejects.toThrow('fetch failed');
    await json(fetch(other.jwksUrl));
    await other.close();
    await cut;
    await other.close();
  });

  it('an identity provider is independent of another one in the same process', async () => {
    const other = await startIdentityProvider({ users: [memberB] });
    const { access_token } = await json<Tokens>(signIn(memberB, other.tokenUrl));
    await expect(verified(access_token)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    expect((await signIn(memberA, other.tokenUrl)).status).toBe(400);
    await other.close();
  });

  it('writes nothing to the console', () => expect(output).toEqual([]));
});

interface Tokens {
  readonly access_token: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
}

const json = async <T = Record<string, unknown>>(pending: Promise<Response>): Promise<T> => {
  const response = await pending;
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as T;
};

const verified = (jwt: string) =>
  jwtVerify(jwt, createRemoteJWKSet(new URL(identity.jwksUrl)), { issuer: identity.issuer, audience: 'portico' });

const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });

const token = (form: Record<string, string>, headers = {}, url = identity.tokenUrl) =>
  fetch(url, { method: 'POST', headers, body: new URLSearchParams(form) });

describe('sign-in by device code (RFC 8628)', () => {
  it('issues a token after the member confirmed the code in a browser', async () => {
    const metadata = await json(fetch(`${identity.issuer}/.well-known/openid-configuration`));
    const code = await json(
      fetch(String(metadata['device_authorization_endpoint']), {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'portico-cli', scope: 'openid' }),
      }),
    );
    const poll = () =>
      token({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: 'portico-cli',
        device_code: String(code['device_code']),
      });
    expect(await (await poll()).json()).toMatchObject({ error: 'authorization_pending' });

    const { visit, signIn } = browser();
    const page = await visit(String(code['verification_uri_complete']));
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const submit = (more = {}) => {
      const body = new URLSearchParams({ xsrf, user_code: String(code['user_code']), ...more });
      return visit(page.url, { method: 'POST', body });
    };
    expect((await submit()).text).toContain('Does your terminal show');
    const signInForm = await submit({ confirm: 'yes' });
    expect((await signIn(signInForm.url, memberA)).text).toContain('You are signed in.');

    const { access_token: accessToken } = await json(poll());
    expect(decodeJwt(String(accessToken))).toMatchObject({ sub: 'member-a', partyLocator: 'PTY-1001', aud: 'portico' });
  });
});

const signIn = ({ username, password }: { username: string; password: string }, url = identity.tokenUrl) =>
  token({ grant_type: 'password', client_id: 'portico-cli', username, password }, {}, url);

const userinfo = (accessToken: string, headers = {}) =>
  fetch(`${identity.issuer}/protocol/openid-connect/userinfo`, {
    headers: { ...headers, authorization: `Bearer ${accessToken}` },
  });

const authorization = (overrides: Record<string, string | undefined> = {}) => {
  const verifier = randomUUID() + randomUUID();
  const query = {
    client_id: 'portico-web',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state: 's1',
    nonce: 'n1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...overrides,
  };
  const url = new URL(`${identity.issuer}/protocol/openid-connect/auth`);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  return { url: url.href, verifier };
};

/** Follows redirects within the provider; a URL outside of it gets an empty response. */
const browser = () =>
  formBrowser(async (url, init) => (url.startsWith(identity.issuer) ? fetch(url, init) : new Response()));

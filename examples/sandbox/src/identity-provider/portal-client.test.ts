import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { type IdentityProvider, type IdentityProviderOptions, startIdentityProvider } from './identity.ts';
import { formBrowser } from './form-browser.ts';

const member = {
  username: 'member-a',
  password: 'a <b>',
  partyLocator: 'PTY-1001',
  name: 'Sample Member A',
  email: 'member-a@example.org',
};
const secret = { client_id: 'portico-portal', client_secret: 'portal-secret' };

/** A portal that does not exist: its browser stops at the callback, which has the code. */
const startPortal = async (options: Partial<IdentityProviderOptions> = {}) => {
  const portal = 'http://portal.localhost:1/';
  const identity = await startIdentityProvider({ users: [member], redirectUris: [portal], ...options });
  onTestFinished(() => identity.close());
  const browser = formBrowser(async (url, init) => (url.startsWith(portal) ? new Response(url) : fetch(url, init)));
  return { identity, browser, callback: `${portal}session/callback` };
};

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly expires_in: number;
}

const tokenRequest = (identity: IdentityProvider, form: Readonly<Record<string, string>>) =>
  fetch(identity.tokenUrl, { method: 'POST', body: new URLSearchParams(form) });

const signIn = async (
  { identity, browser, callback }: Awaited<ReturnType<typeof startPortal>>,
  client: { readonly client_id: string } & Readonly<Record<string, string>> = secret,
): Promise<Tokens> => {
  const verifier = randomUUID() + randomUUID();
  const query = new URLSearchParams({
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: callback,
    scope: 'openid profile email',
    state: 's1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const page = await browser.signIn(`${identity.issuer}/protocol/openid-connect/auth?${query.toString()}`, member);
  const code = new URL(page.url).searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier, ...client };
  return (await tokenRequest(identity, form)).json() as Promise<Tokens>;
};

it('the identity provider signs a member in at the callback of the portal', async () => {
  const portal = await startPortal({ accessTokenSeconds: 7 });
  const tokens = await signIn(portal);
  expect(tokens.expires_in).toBe(7);
  expect(decodeJwt(tokens.access_token)).toMatchObject({ partyLocator: 'PTY-1001', client_id: 'portico-portal' });
  expect(decodeJwt(tokens.id_token)).toMatchObject({ sub: 'member-a', sid: expect.any(String) });
  expect(portal.identity.issued('authorization_code')).toBe(1);
  expect([...portal.identity.tokens].toSorted()).toEqual(
    [tokens.access_token, tokens.refresh_token, tokens.id_token].toSorted(),
  );
});

it('the identity provider signs a member in for a client that authenticates with a key', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const portal = await startPortal({ portalKey: { ...(await exportJWK(publicKey)), alg: 'ES256' } });
  const clientAssertion = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer('portico-portal-jwt')
    .setSubject('portico-portal-jwt')
    .setAudience(portal.identity.issuer)
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(privateKey);
  const tokens = await signIn(portal, {
    client_id: 'portico-portal-jwt',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: clientAssertion,
  });
  expect(decodeJwt(tokens.access_token)).toMatchObject({ client_id: 'portico-portal-jwt' });
});

it('each refresh issues a new refresh token, and the grant ends when an old one is used again', async () => {
  const portal = await startPortal();
  const first = await signIn(portal);
  const refresh = (token: string) =>
    tokenRequest(portal.identity, { grant_type: 'refresh_token', refresh_token: token, ...secret });
  const second = (await (await refresh(first.refresh_token)).json()) as Tokens;
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(portal.identity.issued('refresh_token')).toBe(1);

  expect((await refresh(first.refresh_token)).status).toBe(400);
  expect(await (await refresh(second.refresh_token)).json()).toMatchObject({ error: 'invalid_grant' });
});

it('the identity provider sends a logout token to the portal when the member signs out', async () => {
  const received = Promise.withResolvers<string>();
  const server = createServer(async (request, response) => {
    received.resolve(await text(request));
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const portal = await startPortal({ backchannelLogoutUrl: `http://127.0.0.1:${port}/logged-out` });
  const { sid } = decodeJwt((await signIn(portal)).id_token);
  await portal.browser.signOut(
    `${portal.identity.issuer}/protocol/openid-connect/logout?client_id=${secret.client_id}&post_logout_redirect_uri=http://portal.localhost:1/`,
  );
  expect(decodeJwt(new URLSearchParams(await received.promise).get('logout_token') ?? '')).toMatchObject({
    aud: 'portico-portal',
    sid,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  });
});

it('the sign-in page shows the sample accounts, escaped', async () => {
  const { identity, browser, callback } = await startPortal();
  const query = new URLSearchParams({
    client_id: 'portico-portal',
    response_type: 'code',
    redirect_uri: callback,
    scope: 'openid',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  });
  const page = await browser.visit(`${identity.issuer}/protocol/openid-connect/auth?${query.toString()}`);
  expect(page.text).toContain('<code>member-a</code> / <code>a &#60;b&#62;</code>');
});

import type { ServerSettings } from '@portico/adapters-koa';
import type { SessionSettings } from '@portico/adapters-session';
import { dpopTokens, sessionStoreToken } from '@portico/core/inversify';
import { fakeReplayGuard, fakeSessionStore } from '@portico/core/testing';
import { ContainerModule } from 'inversify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fileWith } from '../program/binary.test.support.ts';
import { identityProvider, sendJson, serviceEnvironment, webServer } from '../program/outside-world.test.support.ts';
import { dirname } from 'node:path';
import { serving } from './running-server.test.support.ts';

type Middleware = NonNullable<ServerSettings['middleware']>[number];

const test = { onTestFinished };

const loads = vi.hoisted(() => ({ count: 0, settings: [] as SessionSettings[] }));
vi.mock('@portico/adapters-session', async (importOriginal) => {
  loads.count++;
  const adapter = await importOriginal<typeof import('@portico/adapters-session')>();
  const sessions: typeof adapter.sessions = (settings) => {
    loads.settings.push(settings);
    return adapter.sessions(settings);
  };
  return { ...adapter, sessions };
});

const key = 'ab'.repeat(32);

/** A server with the settings of sessions, or without them. */
const served = async (session: object | undefined, others: object = {}, options?: Parameters<typeof serving>[3]) => {
  const { issuer } = await identityProvider(test);
  const env = serviceEnvironment(issuer);
  const values = {
    identity: { issuer, client: { id: 'portal', secret: 'canary-secret' }, timeoutMs: 4321 },
    listen: { port: 0, publicUrl: 'http://127.0.0.1:8080' },
    ...(session && { session }),
    ...others,
  };
  return serving(test, env, values, options);
};

const cookiesOf = ({ headers }: Response) => headers.getSetCookie().map((line) => line.split(';', 1)[0]!);

/** A provider whose clock is ahead, and the server of a portal with this tolerance. Its sessions are in a store. */
const portalOf = async (aheadSeconds: number, clockToleranceSeconds: number) => {
  const { jwksUrl, token } = await identityProvider(test);
  let nonce: string | null = null;
  const signed = (claims: object) => {
    const iat = Math.floor(Date.now() / 1000) + aheadSeconds;
    return token({ iss: issuer, aud: 'portal', iat, nbf: iat, exp: iat + 300, ...claims });
  };
  const metadata = () => ({
    issuer,
    jwks_uri: jwksUrl,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    id_token_signing_alg_values_supported: ['ES256'],
  });
  const { url: issuer } = await webServer(test, (response, { url }) =>
    sendJson(
      response,
      url === '/token' ? { access_token: 'a', token_type: 'Bearer', id_token: signed({ nonce }) } : metadata(),
    ),
  );
  const store = new ContainerModule(({ rebind }) => {
    rebind(sessionStoreToken).toConstantValue(fakeSessionStore());
    rebind(dpopTokens.replays).toConstantValue(fakeReplayGuard());
  });
  const identity = { issuer, client: { id: 'portal', secret: 'canary-secret' }, clockToleranceSeconds };
  const redis = { url: 'redis://127.0.0.1:1' };
  const { url } = await served({ keys: [key], store: 'redis' }, { identity, redis }, { modules: [store] });
  return {
    signIn: async () => {
      const started = await fetch(`${url}/session/login`, { redirect: 'manual' });
      const { searchParams: query } = new URL(started.headers.get('location')!);
      nonce = query.get('nonce');
      const callback = `${url}/session/callback?code=a&state=${query.get('state')}`;
      const headers = { cookie: cookiesOf(started).join('; ') };
      const signedIn = await fetch(callback, { redirect: 'manual', headers });
      const cookie = cookiesOf(signedIn).find((pair) => pair.startsWith('portico-session=')) ?? '';
      return { location: signedIn.headers.get('location'), cookie };
    },
    isSignedIn: async (cookie: string) => {
      const state: unknown = await (await fetch(`${url}/session`, { headers: { cookie } })).json();
      return (state as { readonly authenticated: boolean }).authenticated;
    },
    logOut: (claims: object) => {
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const body = new URLSearchParams({ logout_token: signed({ jti: 'one', events, ...claims }) });
      return fetch(`${url}/session/backchannel-logout`, { method: 'POST', body });
    },
  };
};

describe('a server with the settings of sessions', () => {
  it('loads the adapter and serves its routes only then', async () => {
    const without = await served(undefined);
    expect((await fetch(`${without.url}/session`)).status).toBe(404);
    expect(loads.count).toBe(0);

    const { url } = await served({ keys: [key] });
    expect(await (await fetch(`${url}/session`)).json()).toEqual({ authenticated: false });
    expect(loads.count).toBe(1);
  });

  it('serves no sessions without the role member', async () => {
    const { url } = await served({ keys: [key] }, { roles: ['search', 'callbacks'] });
    expect((await fetch(`${url}/session`)).status).toBe(404);
  });

  it('starts sign-in at the provider through the configured proxy', async () => {
    const { url } = await served({ keys: [key] }, { proxy: 'http://127.0.0.1:9' });
    const response = await fetch(`${url}/session/login`, { redirect: 'manual' });
    expect(response.headers.get('location')).toBe('http://127.0.0.1:8080/?session_error=unavailable');
  });

  it('has the lifetimes of the settings, and the time limit of the identity provider', async () => {
    const settings = { idleSeconds: 61, absoluteSeconds: 62, scope: 'openid email' };
    await served({ keys: [key], ...settings });
    expect(loads.settings.at(-1)).toMatchObject({ ...settings, timeoutMs: 4321 });
  });

  it('accepts ID and logout tokens of a provider whose clock is ahead within identity.clockToleranceSeconds', async () => {
    const { signIn, isSignedIn, logOut } = await portalOf(20, 60);
    const { location, cookie } = await signIn();
    expect(location).toBe('http://127.0.0.1:8080/');
    expect(await isSignedIn(cookie)).toBe(true);
    expect((await logOut({ sub: 'PTY-1' })).status).toBe(200);
    expect(await isSignedIn(cookie)).toBe(false);
  });

  it('responds before other middleware, which gets only the requests of other paths', async () => {
    const paths: string[] = [];
    const record: Middleware = (ctx, next) => {
      paths.push(ctx.path);
      return next();
    };
    const { url } = await served({ keys: [key] }, {}, { middleware: [record] });
    for (const path of ['/session', '/me/coverage', '/other']) await fetch(url + path);
    expect(paths).toEqual(['/me/coverage', '/other']);
  });

  it('limits the requests of a client address to its routes', async () => {
    const { url } = await served({ keys: [key] }, { limits: { addressRequests: { requests: 1, seconds: 60 } } });
    const statuses = [await fetch(`${url}/session`), await fetch(`${url}/session/login`)].map(({ status }) => status);
    expect(statuses).toEqual([200, 429]);
  });

  it('informs the pages, which then connect only to this server', async () => {
    const page = fileWith(test, '<!doctype html><title>Portico</title>', { name: 'index.html' });
    const pages = { directory: dirname(page) };
    const found = await Promise.all(
      [undefined, { keys: [key] }].map(async (session) => {
        const response = await fetch(`${(await served(session, { pages })).url}/config.json`);
        const { session: isOn } = (await response.json()) as { readonly session?: boolean };
        const [policy = ''] = /connect-src [^;]*/.exec(response.headers.get('content-security-policy') ?? '') ?? [];
        return [isOn, policy.replace(/http:\S+/, 'provider')];
      }),
    );
    expect(found).toEqual([
      [undefined, "connect-src 'self' provider"],
      [true, "connect-src 'self'"],
    ]);
  });

  it('logs why a session could not be used, as for any other request', async () => {
    const { url, lines, close } = await served(
      { keys: [key], store: 'redis' },
      { redis: { url: 'redis://127.0.0.1:1' } },
    );
    const cookie = { cookie: `portico-session=${'a'.repeat(43)}` };
    const response = await fetch(`${url}/me/claims`, { headers: cookie });
    const { code, service, reason } = (await response.json()) as Readonly<Record<string, unknown>>;
    await close();
    const logged = lines.map((line) => JSON.parse(line) as { readonly message: string; readonly status?: number });

    expect([response.status, code, service, reason]).toEqual([502, 'upstream-failure', 'sessions', 'unreachable']);
    expect(logged.find(({ message }) => message === 'request')).toMatchObject({ status: 502, code, service, reason });
    expect(lines.join()).toContain('Redis is unreachable; browser sessions cannot be read');
    expect(lines.join()).not.toContain('aaaaaaaa');
  });

  it('logs the routes of sessions without a query, and why a sign-in failed, but no secret', async () => {
    const { url, lines, close } = await served({ keys: [key] });
    await fetch(`${url}/session/callback?code=canary-code&state=canary-state`, { redirect: 'manual' });
    await fetch(`${url}/session/other?canary-query`);
    await close();
    const logged = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const routes = logged.flatMap(({ message, route }) => (message === 'request' ? [route] : []));
    expect(routes).toEqual(['/session/callback', 'none']);
    expect(logged).toContainEqual(expect.objectContaining({ message: 'a sign-in failed', reason: 'expired' }));
    for (const secret of ['canary-', key]) expect(lines.join()).not.toContain(secret);
  });
});

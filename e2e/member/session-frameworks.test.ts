import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createPortico, memberListener, memberRoutes } from '@portico/adapters-koa';
import { type SessionHandler, sessions } from '@portico/adapters-session';
import { createUseCases } from '@portico/core';
import { type FakePorts, fakePorts } from '@portico/core/testing';
import express from 'express';
import fastify from 'fastify';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import Koa from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';

/** Starts the app of a framework with sessions in front of the member routes. */
type Framework = (handle: SessionHandler, fakes: FakePorts) => Server | Promise<Server>;

const onError = (error: unknown) => {
  throw error;
};

const inPortico: Framework = (handle, fakes) =>
  createPortico(createUseCases(fakes), { middleware: [(ctx, next) => handle(ctx.req, ctx.res, next)] });

const inKoa: Framework = (handle, fakes) => {
  const app = new Koa();
  app.use((ctx, next) => handle(ctx.req, ctx.res, next));
  app.use(memberRoutes(createUseCases(fakes)));
  app.use((ctx) => void (ctx.body = 'own'));
  return createServer((request, response) => void app.callback()(request, response));
};

const inExpress: Framework = (handle, fakes) => {
  const app = express();
  app.use((request, response, next) => handle(request, response, next));
  app.use(memberListener(createUseCases(fakes), { onError }));
  app.use(express.urlencoded());
  app.use((_, response) => void response.send('own'));
  return createServer(app);
};

const inFastify: Framework = async (handle, fakes) => {
  const app = fastify({ forceCloseConnections: true });
  const portico = memberListener(createUseCases(fakes), { onError });
  app.addHook('onRequest', async (request, reply) => {
    await handle(request.raw, reply.raw, () => {});
    if (reply.raw.writableEnded) void reply.hijack();
  });
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/me/*', (request, reply) => {
      void reply.hijack();
      portico(request.raw, reply.raw);
    });
  });
  app.get('/', () => 'own');
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server;
};

const issuer = 'https://id.example';

/** A provider that issues access tokens of `PTY-1`. `nonce` returns the nonce of the last authorization request. */
const providerOf = async (fakes: FakePorts, nonce: () => string | null): Promise<typeof fetch> => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const tokens = async () => ({
    access_token: fakes.identity.issue({ sub: 'PTY-1' }),
    token_type: 'Bearer',
    expires_in: 300,
    id_token: await new SignJWT({ nonce: nonce() })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(issuer)
      .setAudience('portal')
      .setSubject('user-1')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey),
  });
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    id_token_signing_alg_values_supported: ['ES256'],
  };
  return async (url) => {
    if (url === metadata.token_endpoint) return Response.json(await tokens());
    return Response.json(url === metadata.jwks_uri ? { keys: [await exportJWK(publicKey)] } : metadata);
  };
};

/** Serves an app, and returns a function that sends requests with the cookies of one browser. */
const serving = async (framework: Framework) => {
  const fakes = fakePorts();
  let location: URL | undefined;
  const handle = sessions({
    issuer,
    client: { id: 'portal', secret: 'secret' },
    publicUrl: 'https://portal.example',
    keys: [new Uint8Array(32).fill(1)],
    fetch: await providerOf(fakes, () => location?.searchParams.get('nonce') ?? null),
  });
  const server = await framework(handle, fakes);
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cookies = new Map<string, string>();
  const send = async (path: string, options: RequestInit = {}) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { ...(options.headers as Record<string, string> | undefined), cookie };
    const response = await fetch(url + path, { redirect: 'manual', ...options, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const signIn = async () => {
    const started = await send('/session/login?return_to=/claims');
    location = new URL(started.headers.get('location')!);
    return send(`/session/callback?code=a&state=${location.searchParams.get('state')}`);
  };
  return { send, signIn, fakes };
};

describe.each([
  ['createServer', inPortico],
  ['an own Koa app', inKoa],
  ['Express', inExpress],
  ['Fastify', inFastify],
])('sessions in %s', (_, framework) => {
  it('sign in, read and write as the member, and sign out', async () => {
    const { send, signIn, fakes } = await serving(framework);
    expect((await send('/me/coverage')).status).toBe(401);
    const signedIn = await signIn();
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, 'https://portal.example/claims']);
    expect(await (await send('/me/coverage')).text()).toBe('{"plan":"gold"}');
    const json = { 'content-type': 'application/json' };
    const body = '{"provider":"Dr. A","amount":"1.00"}';
    expect((await send('/me/claims', { method: 'POST', body, headers: json })).status).toBe(403);
    const headers = { ...json, 'x-portico-csrf': '1' };
    expect((await send('/me/claims', { method: 'POST', body, headers })).status).toBe(201);
    expect(fakes.calls).toEqual(['eligibility.coverage PTY-1', 'claims.submit PTY-1']);
    const signedOut = await send('/session/logout', { method: 'POST', headers });
    expect([signedOut.status, await signedOut.json()]).toEqual([200, { logout_url: 'https://portal.example/' }]);
    expect((await send('/me/coverage')).status).toBe(401);
  });

  it('refuse a cookie that is not valid, and clear it', async () => {
    const { send } = await serving(framework);
    const response = await send('/me/coverage', { headers: {} });
    expect(response.headers.getSetCookie()).toEqual([]);
    const { status, headers } = await fetch(response.url, { headers: { cookie: '__Host-portico=garbage' } });
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer/)]);
    expect(headers.getSetCookie()).toEqual(['__Host-portico=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0']);
    expect(headers.get('cache-control')).toMatch(/no-store/);
  });
});

it('problems of sessions have the request id of the server', async () => {
  const { send } = await serving(inPortico);
  const response = await send('/session/other', { headers: { 'x-request-id': '0123456789abcdef' } });
  expect(response.headers.get('x-request-id')).toBe('0123456789abcdef');
  expect(await response.json()).toMatchObject({ code: 'no-such-route', requestId: '0123456789abcdef' });
});

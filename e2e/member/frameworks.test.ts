import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HttpBindings, serve as serveHono } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { memberListener, type MemberListener, MountError } from '@portico/adapters-koa';
import { createUseCases } from '@portico/core';
import { fakePorts, somePdf } from '@portico/core/testing';
import express from 'express';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Context, Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';

/** Starts the app of a framework and returns its server, listening on a free port of 127.0.0.1. */
type Framework = (portico: MemberListener) => Server | Promise<Server>;

const inExpress =
  (mount: (app: express.Express, portico: MemberListener) => void): Framework =>
  (portico) => {
    const app = express();
    mount(app, portico);
    app.use('/other', (_, response) => void response.send('own'));
    return createServer(app).listen(0, '127.0.0.1');
  };

const inFastify =
  (mount: (app: FastifyInstance, serve: (request: FastifyRequest, reply: FastifyReply) => void) => void): Framework =>
  async (portico) => {
    const app = fastify({ forceCloseConnections: true });
    app.get('/other', () => 'own');
    mount(app, (request, reply) => {
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      void reply.hijack();
      portico(request.raw, reply.raw);
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  };

/** Without parsers, so that the body is not read. */
const withoutParsers = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
};

type HonoContext = Context<{ Bindings: HttpBindings }>;

const inHono =
  (mount: (app: Hono<{ Bindings: HttpBindings }>, serve: (c: HonoContext) => Response) => void): Framework =>
  (portico) => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.get('/other', (c) => c.text('own'));
    mount(app, ({ env }) => {
      portico(env.incoming, env.outgoing);
      return RESPONSE_ALREADY_SENT;
    });
    return serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  };

/** Serves the member routes with fakes in a framework. */
const serving = async (framework: Framework) => {
  const fakes = fakePorts();
  const errors: unknown[] = [];
  const server = await framework(
    memberListener(createUseCases(fakes), { onError: (error) => void errors.push(error) }),
  );
  if (!server.listening) await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const authorization = `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}`;
  const json = { 'content-type': 'application/json' };
  return {
    errors,
    calls: fakes.calls,
    get: (path: string) => fetch(url + path, { headers: { authorization } }),
    post: (path: string, body: string) =>
      fetch(url + path, { method: 'POST', body, headers: { authorization, ...json } }),
  };
};

describe.each<readonly [string, Framework]>([
  [
    'Express',
    inExpress((app, portico) => {
      app.use(portico).use(express.json());
    }),
  ],
  [
    'Fastify',
    inFastify((app, serve) => {
      void app.register(async (scope) => {
        withoutParsers(scope);
        scope.all('/me', serve);
        scope.all('/me/*', serve);
      });
    }),
  ],
  [
    'Hono',
    inHono((app, serve) => {
      app.all('/me/*', serve);
    }),
  ],
])('memberListener in %s', (_, framework) => {
  it('serves the member routes, and leaves other routes to the framework', async () => {
    const { get, post, calls, errors } = await serving(framework);
    const coverage = await get('/me/coverage');
    expect([coverage.status, await coverage.text()]).toEqual([200, '{"plan":"gold"}']);
    const filed = await post('/me/claims', '{"type":"dental"}');
    expect([filed.status, filed.headers.get('location')]).toEqual([201, expect.stringMatching(/^\/me\/claims\//)]);
    const document = await get('/me/documents/DOC-1');
    expect(Buffer.from(await document.arrayBuffer())).toEqual(Buffer.from(somePdf));
    expect(await (await get('/me/nothing')).json()).toMatchObject({ status: 404, code: 'no-such-route' });
    expect(await (await get('/me?include=coverage')).json()).toMatchObject({
      parts: { coverage: { body: { plan: 'gold' } } },
    });
    expect(await (await post('/me/claims', '{')).json()).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(await (await get('/other')).text()).toBe('own');
    expect(calls).toEqual([
      'eligibility.coverage PTY-1',
      'claims.submit PTY-1',
      'documents.get PTY-1',
      'eligibility.coverage PTY-1',
    ]);
    expect(errors).toEqual([]);
  });
});

describe('memberListener below a prefix', () => {
  it.each<readonly [string, Framework, path: string]>([
    ['Express at /me', inExpress((app, portico) => void app.use('/me', portico)), '/me/coverage'],
    ['Express at /api', inExpress((app, portico) => void app.use('/api', portico)), '/api/me/coverage'],
    [
      'a router of Express',
      inExpress((app, portico) => void app.use('/api', express.Router().use(portico))),
      '/api/me/coverage',
    ],
    [
      'Fastify with a prefix',
      inFastify((app, serve) => void app.register(async (scope) => void scope.all('/me/*', serve), { prefix: '/api' })),
      '/api/me/coverage',
    ],
    [
      'Hono with a base path',
      inHono((app, serve) => void app.route('/api', new Hono<{ Bindings: HttpBindings }>().all('/me/*', serve))),
      '/api/me/coverage',
    ],
  ])('returns 500 with the reason: %s', async (_, framework, path) => {
    const { get, errors } = await serving(framework);
    const response = await get(path);
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { code: 'internal', detail: expect.stringContaining('Mount them without one') },
    ]);
    expect(errors).toEqual([expect.any(MountError)]);
  });
});

describe('memberListener with hooks of Fastify', () => {
  it('sends the headers of hooks before the handler, and runs onResponse but not onSend', async () => {
    const ran: string[] = [];
    const { get } = await serving(
      inFastify((app, serve) => {
        app.addHook(
          'onRequest',
          async (_request, reply) => void reply.header('x-tenant', '7').header('vary', 'Origin'),
        );
        app.addHook('onSend', async () => void ran.push('onSend'));
        app.addHook('onResponse', async () => void ran.push('onResponse'));
        app.all('/me/*', serve);
      }),
    );
    const { status, headers } = await get('/me/coverage');
    expect([status, headers.get('x-tenant'), headers.get('vary')]).toEqual([200, '7', 'Origin, Authorization']);
    await expect.poll(() => ran).toEqual(['onResponse']);
  });
});

const keepBytes = (request: object, _response: unknown, rawBody: Buffer) => void Object.assign(request, { rawBody });

describe('memberListener after a body parser', () => {
  it.each<readonly [string, Framework]>([
    ['Express', inExpress((app, portico) => void app.use(express.json()).use(portico))],
    ['Express, with text', inExpress((app, portico) => void app.use(express.text({ type: '*/*' })).use(portico))],
    ['Fastify', inFastify((app, serve) => void app.all('/me/*', serve))],
    [
      'Hono',
      inHono((app, serve) => {
        app.use(async (c, next) => {
          await c.req.json();
          await next();
        });
        app.all('/me/*', serve);
      }),
    ],
  ])('returns 500 with the reason: %s', async (_, framework) => {
    const { post, calls, errors } = await serving(framework);
    const response = await post('/me/claims', '{"type":"dental"}');
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { code: 'internal', detail: expect.stringContaining('Mount them before body parsers') },
    ]);
    expect(errors).toEqual([expect.any(MountError)]);
    expect(calls).toEqual([]);
  });

  it.each<readonly [string, Framework]>([
    [
      'express.json that keeps the bytes',
      inExpress((app, portico) => {
        app.use(express.json({ verify: keepBytes })).use(portico);
      }),
    ],
    ['express.raw', inExpress((app, portico) => void app.use(express.raw({ type: '*/*' })).use(portico))],
  ])('files the claim if the parser kept its bytes: %s', async (_, framework) => {
    const { post, calls, errors } = await serving(framework);
    expect((await post('/me/claims', '{"type":"dental"}')).status).toBe(201);
    expect([calls, errors]).toEqual([['claims.submit PTY-1'], []]);
  });
});

/** Koa, ky and jose in the most direct way. Arguments: JWKS URL and downstream URL. */
import { Router } from '@koa/router';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import Koa from 'koa';
import ky from 'ky';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

const [jwks = '', base = ''] = process.argv.slice(2);
const keys = createRemoteJWKSet(new URL(jwks));
const client = ky.create({ prefix: base, retry: 0 });
const app = new Koa();
const router = new Router();

router.use(async (ctx, next) => {
  try {
    const { payload } = await jwtVerify(ctx.get('Authorization').replace(/^Bearer /, ''), keys, {
      issuer: 'https://bench.example',
      audience: 'portico',
    });
    ctx.state['subject'] = payload.sub;
  } catch {
    ctx.throw(401);
  }
  await next();
});
const member = (state: Readonly<Record<string, unknown>>) => `members/${encodeURIComponent(String(state['subject']))}`;
for (const path of ['coverage', 'accumulators'])
  router.get(`/me/${path}`, async (ctx) => {
    ctx.body = await client.get(`${member(ctx.state)}/${path}`).json();
  });
router.get('/me/documents/:locator', async (ctx) => {
  const response = await client.get(`${member(ctx.state)}/documents/${ctx.params['locator']}`);
  ctx.set('Content-Type', 'application/pdf');
  ctx.set('Content-Length', response.headers.get('content-length') ?? '');
  ctx.body = Readable.fromWeb(response.body as ReadableStream);
});
app.use(router.routes());

const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});

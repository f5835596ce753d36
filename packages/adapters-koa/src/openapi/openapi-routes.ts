import { Router } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { entityTag, isCurrent } from '../response/entity-tag.ts';
import { mount } from '../routes/mount.ts';
import { openApiDocument, type OpenApiSettings } from './document.ts';
import { contentSecurityPolicy, page } from './page/page.ts';

/** `GET /openapi.json` and `GET /docs`, of the routes that are told. Mount it with `app.use(openApiRoutes({ serves: ['member', 'document'] }))`. */
export const openApiRoutes = (settings: OpenApiSettings = {}): Middleware => {
  const document = once(() => openApiDocument(settings));
  const json = once(() => kept(JSON.stringify(document())));
  const html = once(() => kept(page(document())));
  const router = new Router({ sensitive: true, strict: true })
    // `application/openapi+json` is in a draft only, and browsers save what they do not know.
    .get('/openapi.json', (ctx) => send(ctx, 'application/json; charset=utf-8', json()))
    .get('/docs', (ctx) => {
      ctx.set('Content-Security-Policy', contentSecurityPolicy);
      send(ctx, 'text/html; charset=utf-8', html());
    });
  return mount((path) => path === '/openapi.json' || path === '/docs', router);
};

interface Kept {
  readonly text: string;
  readonly etag: string;
}

/** Made when it is first asked for, and then for as long as the process lives. */
const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

const kept = (text: string): Kept => ({ text, etag: entityTag(text) });

const send = (ctx: Context, type: string, { text, etag }: Kept): void => {
  ctx.set({ 'Cache-Control': 'public, no-cache', ETag: etag });
  ctx.status = 200;
  if (isCurrent(ctx, etag)) {
    ctx.status = 304;
    return;
  }
  ctx.set('Content-Type', type);
  ctx.body = text;
};

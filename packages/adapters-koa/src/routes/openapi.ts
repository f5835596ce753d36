import type { Context } from 'koa';
import type { OpenApiDocument } from '../openapi/format.ts';
import { openApiOperations } from '../openapi/operations/openapi.openapi.ts';
import { contentSecurityPolicy, page } from '../openapi/page/page.ts';
import { entityTag, isCurrent } from '../response/entity-tag.ts';
import type { RouteGroup } from '../routing/route.ts';

/** `GET /openapi.json` and `GET /docs`, of a document that is made when it is first requested. */
export const openApiRouteGroup: RouteGroup<unknown, { readonly document: () => OpenApiDocument }> = {
  schemas: {},
  routes: [
    {
      method: 'GET',
      path: '/openapi.json',
      operation: openApiOperations.getOpenApi,
      handle: (_, { document }) => {
        const json = once(() => tagged(JSON.stringify(document())));
        // `application/openapi+json` is in a draft only, and browsers save what they do not know.
        return (ctx) => send(ctx, 'application/json; charset=utf-8', json());
      },
    },
    {
      method: 'GET',
      path: '/docs',
      operation: openApiOperations.getDocs,
      handle: (_, { document }) => {
        const html = once(() => tagged(page(document())));
        return (ctx) => {
          ctx.set('Content-Security-Policy', contentSecurityPolicy);
          send(ctx, 'text/html; charset=utf-8', html());
        };
      },
    },
  ],
};

interface Tagged {
  readonly text: string;
  readonly etag: string;
}

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

const tagged = (text: string): Tagged => ({ text, etag: entityTag(text) });

const send = (ctx: Context, type: string, { text, etag }: Tagged): void => {
  ctx.set({ 'Cache-Control': 'public, no-cache', ETag: etag });
  ctx.status = 200;
  if (isCurrent(ctx, etag)) {
    ctx.status = 304;
    return;
  }
  ctx.set('Content-Type', type);
  ctx.body = text;
};

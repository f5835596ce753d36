import type { Context } from 'koa';
import type { OpenApiDocument } from '../openapi/format.ts';
import { openApiOperations } from '../openapi/operations/openapi.openapi.ts';
import { contentSecurityPolicy, page } from '../openapi/page/page.ts';
import { entityTag, sendTagged } from '../response/entity-tag.ts';
import type { RouteGroup } from '../routing/route.ts';

/** `GET /openapi.json` and `GET /docs`. The document is created on the first request. */
export const openApiRouteGroup: RouteGroup<unknown, { readonly document: () => OpenApiDocument }> = {
  schemas: {},
  routes: [
    {
      method: 'GET',
      path: '/openapi.json',
      operation: openApiOperations.getOpenApi,
      // Not `application/openapi+json`: it is only a draft, and browsers download unknown types.
      handle: (_, { document }) => sender('application/json; charset=utf-8', () => JSON.stringify(document())),
    },
    {
      method: 'GET',
      path: '/docs',
      operation: openApiOperations.getDocs,
      handle: (_, { document }) => {
        const send = sender('text/html; charset=utf-8', () => page(document()));
        return (ctx) => {
          ctx.set('Content-Security-Policy', contentSecurityPolicy);
          send(ctx);
        };
      },
    },
  ],
};

/** Returns a function that creates the text at its first call, and sends it with its entity tag. */
const sender = (type: string, create: () => string) => {
  let text: string | undefined;
  let etag: string | undefined;
  return (ctx: Context): void => {
    text ??= create();
    etag ??= entityTag(text);
    ctx.set({ 'Cache-Control': 'public, no-cache', 'Content-Type': type });
    sendTagged(ctx, text, etag);
  };
};

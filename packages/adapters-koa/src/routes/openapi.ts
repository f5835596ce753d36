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
      handle: (_, { document }) => {
        const json = lazy(() => tagged(JSON.stringify(document())));
        // Not `application/openapi+json`: it is only a draft, and browsers download unknown types.
        return (ctx) => send(ctx, 'application/json; charset=utf-8', json());
      },
    },
    {
      method: 'GET',
      path: '/docs',
      operation: openApiOperations.getDocs,
      handle: (_, { document }) => {
        const html = lazy(() => tagged(page(document())));
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

const lazy = <Value extends object>(create: () => Value): (() => Value) => {
  let created: Value | undefined;
  return () => (created ??= create());
};

const tagged = (text: string): Tagged => ({ text, etag: entityTag(text) });

const send = (ctx: Context, type: string, { text, etag }: Tagged): void => {
  ctx.set({ 'Cache-Control': 'public, no-cache', 'Content-Type': type });
  sendTagged(ctx, text, etag);
};

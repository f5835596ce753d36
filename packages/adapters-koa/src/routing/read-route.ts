import type { UseCases } from '@portico/core';
import type { Operation } from '../openapi/format.ts';
import { relay } from '../response/reply.ts';
import type { MemberRoute, Read } from './route.ts';

/**
 * Creates the route of a read: `GET` of this path. It is also a part of `GET /me`. With `sendsEtag`, the response has the
 * entity tag that a write expects in `If-Match`.
 */
export const readRoute = (
  path: `/${string}`,
  operation: Operation,
  read: (use: UseCases) => Read,
  { sendsEtag = false }: { readonly sendsEtag?: boolean } = {},
): MemberRoute => ({
  method: 'GET',
  path,
  operation,
  read,
  handle: (use) => {
    const run = read(use);
    return async (ctx) => relay(ctx, await run(ctx.state.member, ctx.querystring), sendsEtag);
  },
});

import type { ServiceResponse, UseCases } from '@portico/core';
import { ok } from 'neverthrow';
import type { Operation } from '../openapi/format.ts';
import { relay } from '../response/reply.ts';
import type { MemberRoute, Read } from './route.ts';

/**
 * Creates the route of a read: `GET` of this path. It is also a part of `GET /me`. With `sendsEtag`, the response has the
 * entity tag that a write expects in `If-Match`. With `keepsStatus`, a service may return 201 or 202 (contract, section 8);
 * without it, every success is 200 (section 2).
 */
export const readRoute = (
  path: `/${string}`,
  operation: Operation,
  read: (use: UseCases) => Read,
  { sendsEtag = false, keepsStatus = false }: { readonly sendsEtag?: boolean; readonly keepsStatus?: boolean } = {},
): MemberRoute => {
  const readOf = (use: UseCases): Read => {
    const run = read(use);
    if (keepsStatus) return run;
    // Not `map`: neverthrow runs it in a generator, which took 3 µs of each request.
    return (member, query) => run(member, query).andThen((response) => ok(withoutStatus(response)));
  };
  return {
    method: 'GET',
    path,
    operation,
    read: readOf,
    handle: (use) => {
      const run = readOf(use);
      return async (ctx) => relay(ctx, await run(ctx.state.member, ctx.querystring), sendsEtag);
    },
  };
};

/** A copy only if it is needed: a copy of a large body must be decoded. */
const withoutStatus = (response: ServiceResponse): ServiceResponse => {
  const { status = 200 } = response;
  if (status === 200) return response;
  const { status: _, ...json } = response;
  return json;
};

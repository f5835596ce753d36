import type { UseCases } from '@portico/core';
import type { Middleware } from 'koa';
import { sendFailure } from './problem.ts';

/** Lets verified members in (RFC 6750, section 2.1: the Authorization header and nothing else) and puts them into `ctx.state.member`. */
export const authentication =
  ({ authenticate }: Pick<UseCases, 'authenticate'>): Middleware =>
  async (ctx, next) => {
    const verified = await authenticate(bearerToken(ctx.req.headers.authorization));
    ctx.state['authenticatedAt'] = performance.now();
    if (verified.isErr()) return sendFailure(ctx, verified.error);
    ctx.state['member'] = verified.value;
    return next();
  };

const bearerToken = (authorization = ''): string | undefined => {
  const scheme = /^Bearer +/i.exec(authorization)?.[0];
  return scheme && authorization.slice(scheme.length);
};

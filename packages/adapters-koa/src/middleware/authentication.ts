import type { IncomingMessage } from 'node:http';
import type { UseCases } from '@portico/core';
import type { Middleware } from 'koa';
import { sendFailure } from '../response/problem.ts';
import { noteAuthenticated } from './request-report.ts';

/** Lets verified members in (RFC 6750, section 2.1: the Authorization header and nothing else) and puts them into `ctx.state.member`. */
export const authentication =
  ({ authenticate }: Pick<UseCases, 'authenticate'>): Middleware =>
  async (ctx, next) => {
    const verified = await authenticate(bearerToken(ctx.req));
    noteAuthenticated(ctx);
    if (verified.isErr()) return sendFailure(ctx, verified.error);
    ctx.state['member'] = verified.value;
    return next();
  };

const bearerToken = ({ headers: { authorization = '' }, rawHeaders }: IncomingMessage): string | undefined => {
  const scheme = /^Bearer +/i.exec(authorization)?.[0];
  if (scheme === undefined) return undefined;
  return isGivenOnce(rawHeaders) ? authorization.slice(scheme.length) : twice;
};

/** Node keeps the first and drops the others: whoever stands in front may have looked at another one. No token is this. */
const twice = ' ';

const isGivenOnce = (rawHeaders: readonly string[]): boolean => {
  let given = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 13 && name.toLowerCase() === 'authorization') given++;
  }
  return given === 1;
};

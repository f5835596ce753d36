import type { IncomingMessage } from 'node:http';
import type { UseCases } from '@portico/core';
import type { Middleware } from 'koa';
import { countFields } from '../request/header-fields.ts';
import { sendFailure } from '../response/problem.ts';
import { recordAuthentication } from './request-report.ts';

/** Verifies the bearer token (RFC 6750, section 2.1: only the Authorization header) and sets `ctx.state.member`. */
export const authentication =
  ({ authenticate }: Pick<UseCases, 'authenticate'>): Middleware =>
  async (ctx, next) => {
    const verified = await authenticate(bearerToken(ctx.req));
    recordAuthentication(ctx);
    if (verified.isErr()) return sendFailure(ctx, verified.error);
    ctx.state['member'] = verified.value;
    return next();
  };

const bearerToken = (request: IncomingMessage): string | undefined => {
  const { authorization = '' } = request.headers;
  const scheme = /^Bearer +/i.exec(authorization)?.[0];
  if (scheme === undefined) return undefined;
  return countFields(request, 'authorization') === 1 ? authorization.slice(scheme.length) : invalidToken;
};

/**
 * Used if the header is sent more than once. Node keeps only the first value, but a proxy may have checked another one. A
 * space is never a valid token.
 */
const invalidToken = ' ';

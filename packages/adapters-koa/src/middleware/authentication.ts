import type { IncomingMessage } from 'node:http';
import type { UseCases } from '@portico/core';
import type { Middleware } from 'koa';
import { countFields } from '../request/header-fields.ts';
import type { Challenge, DpopSettings, Scheme } from '../response/challenge.ts';
import { sendFailure } from '../response/problem.ts';
import { recordAuthentication } from '../request/request-report.ts';

/**
 * Verifies the access token (only in the Authorization header: RFC 6750, section 2.1; with `dpop` also RFC 9449, section
 * 7.1) and sets `ctx.state.member`. GET and HEAD are read access, every other method is write access.
 */
export const authentication = ({ authenticate }: Pick<UseCases, 'authenticate'>, dpop?: DpopSettings): Middleware => {
  const publicUrl = dpop?.publicUrl.replace(/\/+$/, '') ?? '';
  const schemes = dpop ? /^(Bearer|DPoP) +/i : /^(Bearer) +/i;
  return async (ctx, next) => {
    const { method = '' } = ctx.req;
    const { token, scheme } = credentialsIn(ctx.req, schemes);
    const proof =
      scheme === 'DPoP' ? { proof: proofIn(ctx.req), method, url: publicUrl + ctx.request.path } : undefined;
    const verified = await authenticate(token, method === 'GET' || method === 'HEAD' ? 'read' : 'write', proof);
    recordAuthentication(ctx);
    if (dpop) ctx.state['challenge'] = { dpop, scheme } satisfies Challenge;
    if (verified.isErr()) return sendFailure(ctx, verified.error);
    ctx.state['member'] = verified.value;
    return next();
  };
};

interface Credentials {
  readonly scheme: Scheme;
  readonly token: string | undefined;
}

const credentialsIn = (request: IncomingMessage, schemes: RegExp): Credentials => {
  const { authorization = '' } = request.headers;
  const [prefix, name] = schemes.exec(authorization) ?? [];
  if (prefix === undefined) return { scheme: 'Bearer', token: undefined };
  return {
    scheme: name?.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer',
    token: countFields(request, 'authorization') === 1 ? authorization.slice(prefix.length) : invalidToken,
  };
};

/**
 * Used if the header is sent more than once. Node keeps only the first value, but a proxy may have checked another one. A
 * space is never a valid token.
 */
const invalidToken = ' ';

/** Exactly one proof is allowed (RFC 9449, section 4.3). Node joins several. */
const proofIn = (request: IncomingMessage): string => {
  const proof = request.headers['dpop'];
  return typeof proof === 'string' && countFields(request, 'dpop') === 1 ? proof : '';
};

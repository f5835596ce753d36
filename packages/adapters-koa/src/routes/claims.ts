import type { Context } from 'koa';
import { claimsOperations } from '../openapi/operations/claims.openapi.ts';
import { claimsSchemas } from '../openapi/schemas/claims.schemas.ts';
import { sendFailure } from '../response/problem.ts';
import { reply, sendJson } from '../response/reply.ts';
import { readRoute } from '../routing/read-route.ts';
import type { MemberRoutes } from '../routing/route.ts';

export const claimsRoutes: MemberRoutes = {
  service: 'claims',
  schemas: claimsSchemas,
  routes: [
    readRoute('/me/claims', claimsOperations.listClaims, ({ listClaims }) => listClaims),
    {
      method: 'POST',
      path: '/me/claims',
      operation: claimsOperations.submitClaim,
      body: ['application/json'],
      handle:
        ({ submitClaim }) =>
        async (ctx) => {
          const { member, body } = ctx.state;
          const submitted = await submitClaim(member, body, ctx.headers['idempotency-key'] as string | undefined);
          if (submitted.isErr()) return sendFailure(ctx, submitted.error);
          const { outcome, claim, locator } = submitted.value;
          if (locator !== undefined) ctx.set('Location', `${mountPath(ctx)}/me/claims/${locator}`);
          return sendJson(ctx, claim, outcome === 'accepted' ? 202 : 201);
        },
    },
    {
      method: 'GET',
      path: '/me/claims/{locator}',
      operation: claimsOperations.getClaim,
      handle:
        ({ getClaim }) =>
        async (ctx) =>
          reply(ctx, await getClaim(ctx.state.member, ctx.params['locator'] ?? '')),
    },
  ],
};

/**
 * The prefix that koa-mount removed from the path, so that `Location` leads back through it. It begins with one slash: two
 * begin the name of a host (RFC 3986, section 4.2), and browsers read a backslash as a slash.
 */
const mountPath = ({ originalUrl, url }: Pick<Context, 'originalUrl' | 'url'>): string => {
  const prefix = originalUrl.endsWith(url) ? originalUrl.slice(0, originalUrl.length - url.length) : '';
  const path = prefix.replace(/^[/\\]+/, '');
  return path && `/${path}`;
};

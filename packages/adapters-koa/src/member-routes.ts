import { Router, type RouterContext } from '@koa/router';
import type { Json, Member, ProfilePatch, UseCases } from '@portico/core';
import type { Middleware } from 'koa';
import compose from 'koa-compose';
import { authentication } from './authentication.ts';
import { edge } from './edge.ts';
import { sendProblem } from './problem.ts';
import { claimsRoutes } from './routes/claims.ts';
import { consentRoutes } from './routes/consent.ts';
import { documentsRoutes } from './routes/documents.ts';
import { eligibilityRoutes } from './routes/eligibility.ts';
import { notificationsRoutes } from './routes/notifications.ts';
import { policyRoutes } from './routes/policy.ts';

/** What a member route finds in `ctx.state`: `body` and `mediaType` only behind `jsonBody`. */
export interface MemberState {
  readonly member: Member;
  readonly body: Json;
  readonly mediaType: ProfilePatch['mediaType'];
}

export interface MemberRouteSettings {
  /** The largest request body taken. Default 256 KiB. */
  readonly maxRequestBytes?: number;
}

/**
 * Everything under `/me`, complete in itself: tokens, problem details, request ids and cache headers. Mount it in a
 * Koa app of your own with `app.use(memberRoutes(useCases))`; other paths pass it by.
 */
export const memberRoutes = (use: UseCases, { maxRequestBytes = 262_144 }: MemberRouteSettings = {}): Middleware => {
  const router = new Router<MemberState>({ sensitive: true, strict: true });
  router.use(authentication(use));
  for (const routes of [
    eligibilityRoutes(use),
    claimsRoutes(use, maxRequestBytes),
    documentsRoutes(use),
    policyRoutes(use, maxRequestBytes),
    notificationsRoutes(use, maxRequestBytes),
    consentRoutes(use, maxRequestBytes),
  ])
    router.use(routes.routes());
  const answer = compose([edge, keepPrivate, router.routes() as Middleware, unmatched]);
  return (ctx, next) => (ctx.path === '/me' || ctx.path.startsWith('/me/') ? answer(ctx, next) : next());
};

/** No cache on the way may keep or share what a member sees (RFC 9111, section 5.2.2). */
const keepPrivate: Middleware = (ctx, next) => {
  ctx.set('Cache-Control', 'private, no-store');
  ctx.vary('Authorization');
  return next();
};

/** The path is ours but the method is not (405 with `Allow`), or the path is nobody's. */
const unmatched: Middleware = (ctx) => {
  const { matched = [] } = ctx as unknown as RouterContext;
  const allowed = [...new Set(matched.flatMap(({ methods }) => methods))].toSorted().join(', ');
  if (allowed === '') return sendProblem(ctx, { code: 'no-such-route', detail: 'There is no such route.' });
  ctx.set('Allow', allowed);
  if (ctx.method !== 'OPTIONS')
    return sendProblem(ctx, { code: 'method-not-allowed', detail: `This route allows ${allowed}.` });
  ctx.status = 204;
  return undefined;
};

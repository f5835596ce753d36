import { Router } from '@koa/router';
import type { Json, Member, ProfilePatch, RateLimiter, UseCases } from '@portico/core';
import type { Context, Middleware } from 'koa';
import { authentication } from '../middleware/authentication.ts';
import { mount } from './mount.ts';
import { limitMembers, type OnRateLimited } from '../middleware/rate-limit.ts';
import { claimsRoutes } from './claims.ts';
import { consentRoutes } from './consent.ts';
import { documentsRoutes } from './documents.ts';
import { eligibilityRoutes } from './eligibility.ts';
import { notificationsRoutes } from './notifications.ts';
import { policyRoutes } from './policy.ts';

/** What a member route finds in `ctx.state`: `body` and `mediaType` only behind `jsonBody`. */
export interface MemberState {
  readonly member: Member;
  readonly body: Json;
  readonly mediaType: ProfilePatch['mediaType'];
}

export interface MemberRouteSettings {
  /** The largest request body taken. Default 256 KiB. */
  readonly maxRequestBytes?: number;
  /** How often a member may ask. Default: as often as it likes. */
  readonly memberLimiter?: RateLimiter;
  readonly onRateLimited?: OnRateLimited;
}

/**
 * Everything under `/me`, complete in itself: tokens, problem details, request ids and cache headers. Mount it in a
 * Koa app of your own with `app.use(memberRoutes(useCases))`; other paths pass it by.
 */
export const memberRoutes = (
  use: UseCases,
  { maxRequestBytes = 262_144, memberLimiter, onRateLimited }: MemberRouteSettings = {},
): Middleware => {
  const router = new Router<MemberState>({ sensitive: true, strict: true });
  router.use(authentication(use));
  if (memberLimiter) router.use(limitMembers(memberLimiter, onRateLimited));
  for (const routes of [
    eligibilityRoutes(use),
    claimsRoutes(use, maxRequestBytes),
    documentsRoutes(use),
    policyRoutes(use, maxRequestBytes),
    notificationsRoutes(use, maxRequestBytes),
    consentRoutes(use, maxRequestBytes),
  ])
    router.use(routes.routes());
  return mount((path) => path === '/me' || path.startsWith('/me/'), router, keepPrivate);
};

/** No cache on the way may keep or share what a member sees (RFC 9111, section 5.2.2). */
const keepPrivate = (ctx: Context): void => {
  ctx.res.setHeader('Cache-Control', 'private, no-store');
  if (ctx.res.hasHeader('Vary')) ctx.vary('Authorization');
  else ctx.res.setHeader('Vary', 'Authorization');
};

import type { Allowance, Member, RateLimiter } from '@portico/core';
import type { Context, Middleware } from 'koa';
import { clientAddress, networkOf } from '../request/client-address.ts';
import { type Problem, sendProblem } from '../response/problem.ts';
import { nack } from '../response/nack.ts';
import { preventCaching } from '../response/prevent-caching.ts';

/** Called for each request that exceeds the rate limit of its member or client address; neither is passed. */
export type OnRateLimited = (kind: 'member' | 'address') => void;

/** Returns 429 if a member exceeds the rate limit. Requires `authentication` before it. */
export const limitMembers =
  (limiter: RateLimiter, onRateLimited: OnRateLimited = () => {}): Middleware =>
  async (ctx, next) => {
    const allowance = await limiter.take((ctx.state['member'] as Member).locator);
    if (allowance.isAllowed) return next();
    onRateLimited('member');
    return refuse(ctx, allowance);
  };

/** The paths that the rate limit per client address counts, and those that it refuses with a NACK. */
export interface AddressLimitScope {
  readonly isLimited: (path: string) => boolean;
  readonly isRefusedByNack: (path: string) => boolean;
}

/** Returns 429 if a client address exceeds the rate limit. Runs before the token is verified. */
export const limitAddresses = (
  limiter: RateLimiter,
  { isLimited, isRefusedByNack }: AddressLimitScope,
  trustedProxies: readonly string[] = [],
  onRateLimited: OnRateLimited = () => {},
): Middleware => {
  const addressOf = clientAddress(trustedProxies);
  return async (ctx, next) => {
    if (!isLimited(ctx.path)) return next();
    const allowance = await limiter.take(networkOf(addressOf(ctx.req) ?? 'unknown'));
    if (allowance.isAllowed) return next();
    onRateLimited('address');
    return refuse(ctx, allowance, isRefusedByNack(ctx.path));
  };
};

/** The problem of a request beyond a rate limit. When to retry is in `Retry-After` only. */
export const rateLimited: Problem = { code: 'rate-limited', detail: 'Try again later.' };

/** Sends 429 (RFC 6585, section 4) with `Retry-After` (RFC 9110, section 10.2.3); it must not be cached. */
const refuse = (
  ctx: Context,
  { retryAfterSeconds }: Extract<Allowance, { isAllowed: false }>,
  isRefusedByNack = false,
): void => {
  preventCaching(ctx);
  ctx.set('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))));
  if (isRefusedByNack) return nack(ctx, 429, 'rate-limited', rateLimited.detail);
  return sendProblem(ctx, rateLimited);
};

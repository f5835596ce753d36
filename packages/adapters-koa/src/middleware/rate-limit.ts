import type { Allowance, Member, RateLimiter } from '@portico/core';
import type { Context, Middleware } from 'koa';
import { clientAddress, networkOf } from '../request/client-address.ts';
import { sendProblem } from '../response/problem.ts';
import { nack } from '../routes/on-search.ts';

/** Told of every request that was refused because its member, or its address, asks too often; not whose it was. */
export type OnRateLimited = (kind: 'member' | 'address') => void;

/** Answers 429 to a member who asks too often. Stands behind `authentication`. */
export const limitMembers =
  (limiter: RateLimiter, onRateLimited: OnRateLimited = () => {}): Middleware =>
  async (ctx, next) => {
    const allowance = await limiter.take((ctx.state['member'] as Member).locator);
    if (allowance.isAllowed) return next();
    onRateLimited('member');
    return refuse(ctx, allowance);
  };

/** Answers 429 to an address that asks too often for what costs something, before anything else is looked at. */
export const limitAddresses = (
  limiter: RateLimiter,
  trustedProxies: readonly string[] = [],
  onRateLimited: OnRateLimited = () => {},
): Middleware => {
  const addressOf = clientAddress(trustedProxies);
  return async (ctx, next) => {
    if (!isLimited(ctx.path)) return next();
    const allowance = await limiter.take(networkOf(addressOf(ctx.req) ?? 'unknown'));
    if (allowance.isAllowed) return next();
    onRateLimited('address');
    return refuse(ctx, allowance);
  };
};

const callbackPath = /^\/on_search\/?$/;

/** Not the pages, nor what probes ask. */
const isLimited = (path: string): boolean => /^\/(?:me(?:\/|$)|api\/search$)/.test(path) || callbackPath.test(path);

/** Too Many Requests (RFC 6585, section 4), which no cache may keep, and when to come back (RFC 9110, section 10.2.3). */
const refuse = (ctx: Context, { retryAfterSeconds }: Extract<Allowance, { isAllowed: false }>): void => {
  ctx.set({
    'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))),
    'Cache-Control': 'private, no-store',
  });
  const detail = 'Try again later.';
  if (callbackPath.test(ctx.path)) return nack(ctx, 429, 'rate-limited', detail);
  ctx.vary('Authorization');
  return sendProblem(ctx, { code: 'rate-limited', detail });
};

import type { Allowance, Member, RateLimiter } from '@portico/core';
import type { Context, Middleware } from 'koa';
import { clientAddress, networkOf } from '../request/client-address.ts';
import { sendProblem } from '../response/problem.ts';
import { nack } from '../response/nack.ts';

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

/** Which requests the limit per address counts, and which of them are refused with a NACK. */
export interface AddressLimitScope {
  readonly isLimited: (path: string) => boolean;
  readonly isRefusedByNack: (path: string) => boolean;
}

/** Answers 429 to an address that sends too many of the requests that cost something, before anything else is looked at. */
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

/** Too Many Requests (RFC 6585, section 4), which no cache may keep, and when to come back (RFC 9110, section 10.2.3). */
const refuse = (
  ctx: Context,
  { retryAfterSeconds }: Extract<Allowance, { isAllowed: false }>,
  isRefusedByNack = false,
): void => {
  ctx.set({
    'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))),
    'Cache-Control': 'private, no-store',
  });
  const detail = 'Try again later.';
  if (isRefusedByNack) return nack(ctx, 429, 'rate-limited', detail);
  ctx.vary('Authorization');
  return sendProblem(ctx, { code: 'rate-limited', detail });
};

import type { Balance } from '../api/resources.ts';

/** How much of a limit is used: `share` is from 0 to 1. `undefined` without a limit. */
export const barOf = (
  balance: Balance | null | undefined,
): { readonly limit: number; readonly used: number; readonly share: number } | undefined => {
  const { limit, used } = balance ?? {};
  if (typeof limit !== 'number' || limit < 0) return undefined;
  const spent = used ?? 0;
  return { limit, used: spent, share: limit === 0 ? 1 : Math.min(1, Math.max(0, spent / limit)) };
};

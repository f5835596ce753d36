/** Whether a request is allowed, or when to retry: an integer of at least 1. */
export type Allowance =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly retryAfterSeconds: number };

/** Limits the number of requests of each caller. */
export interface RateLimiter {
  /** Counts one request of this caller. Never rejects: a limiter that cannot count allows every request. */
  take(caller: string): Promise<Allowance>;
  /** Why limits are not enforced, without private data; undefined when they are. */
  readonly degradedReason?: string | undefined;
}

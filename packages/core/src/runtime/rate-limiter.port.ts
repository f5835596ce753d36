/** Whether a caller may go on, or how long it has to wait: whole seconds, at least 1. */
export type Allowance =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly retryAfterSeconds: number };

/** Counts what each caller asks for, and says when it is too much. */
export interface RateLimiter {
  /** Counts one request of this caller. Never rejects: a limiter that cannot count lets everybody through. */
  take(caller: string): Promise<Allowance>;
  /** What keeps it from counting, in words that hold nothing private; if anything. */
  readonly degradedReason?: string | undefined;
}

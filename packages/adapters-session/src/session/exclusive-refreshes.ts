import { type Clock, type Failure, type SessionStore, upstream } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { digest } from '../cookies/sealer.ts';
import type { Kept, Keeping, SessionKeeper } from './keeper.ts';
import { isDue } from './session.ts';

const pollMs = 100;

/** The delay before storing refreshed tokens is retried. */
const retryMs = 1000;

/** How long the operations of the store may take during a refresh. */
const storeMs = 5000;

/** A lease of this instance. It lasts longer than a refresh can take. */
interface Lease {
  readonly id: string;
  /** Of the clock's `monotonic`. */
  readonly endsAt: number;
}

type Refresh = (newest: Kept) => Keeping;

interface ExclusiveRefreshSettings {
  readonly store: SessionStore;
  /** Finds the newest state of the session of a cookie. */
  readonly find: SessionKeeper['find'];
  readonly clock: Clock;
  /** The limit of each request to the identity provider. */
  readonly timeoutMs: number;
}

/** Refreshes each session in a store only once at a time: on this instance, and with a lease of the store on all. */
export const exclusiveRefreshes = ({
  store,
  find,
  clock,
  timeoutMs,
}: ExclusiveRefreshSettings): Pick<SessionKeeper, 'exclusively' | 'settled'> => {
  const running = new Map<string, Keeping>();
  /** Leases that were not released, because the store did not take the refreshed tokens. */
  const unreleased = new Map<string, Lease>();
  const retries = new Set<Promise<void>>();

  const passed = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));

  const refreshNewest = async (kept: Kept, refresh: Refresh): Keeping => {
    const newest = await find(kept.cookie);
    return newest.isOk() && newest.value && isDue(newest.value.session, clock) ? refresh(newest.value) : newest;
  };

  /**
   * Refreshes with a lease. If the store does not take the new tokens, the lease stays until it does: another instance would
   * use the refresh token that was replaced, and end the session.
   */
  const withLease = async (kept: Kept, lease: Lease, refresh: Refresh): Keeping => {
    const refreshed = await refreshNewest(kept, refresh);
    const isUnstored = refreshed.isErr() && 'service' in refreshed.error && refreshed.error.service === 'sessions';
    if (isUnstored && clock.monotonic() < lease.endsAt) {
      if (!unreleased.has(kept.cookie)) {
        unreleased.set(kept.cookie, lease);
        const retrying = retry(kept, refresh).finally(() => retries.delete(retrying));
        retries.add(retrying);
      }
      return refreshed;
    }
    unreleased.delete(kept.cookie);
    // If this fails, the lease ends by itself.
    await store.release(digest(kept.cookie), lease.id);
    return refreshed;
  };

  /** Repeats a refresh until the store has taken its tokens, or the lease has ended. */
  const retry = async (kept: Kept, refresh: Refresh): Promise<void> => {
    while (unreleased.has(kept.cookie)) {
      await passed(retryMs);
      await exclusively(kept, refresh);
    }
  };

  /** Refreshes with a lease, or waits for the instance that has it. */
  const leased = async (kept: Kept, refresh: Refresh): Keeping => {
    const own = unreleased.get(kept.cookie);
    if (own) return withLease(kept, own, refresh);
    const waitsUntil = clock.monotonic() + 2 * timeoutMs;
    for (;;) {
      const leaseMs = 4 * timeoutMs + storeMs;
      const endsAt = clock.monotonic() + leaseMs;
      const lease: Result<string | undefined, Failure> = await store.acquire(digest(kept.cookie), leaseMs);
      if (lease.isErr()) return err(lease.error);
      if (lease.value !== undefined) return withLease(kept, { id: lease.value, endsAt }, refresh);
      if (kept.session.tokens.expiresAt > clock.now() / 1000) return ok(kept);
      if (clock.monotonic() >= waitsUntil) return err(upstream('identity', 'timeout'));
      await passed(pollMs);
    }
  };

  const exclusively: SessionKeeper['exclusively'] = (kept, refresh) => {
    const known = running.get(kept.cookie);
    if (known) return known;
    const refreshed = leased(kept, refresh).finally(() => running.delete(kept.cookie));
    running.set(kept.cookie, refreshed);
    return refreshed;
  };

  return { exclusively, settled: async () => void (await Promise.allSettled(retries)) };
};

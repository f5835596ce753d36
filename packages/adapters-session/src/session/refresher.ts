import { type Clock, upstream } from '@portico/core';
import { err, ok } from 'neverthrow';
import { digest } from '../cookies/sealer.ts';
import type { SessionEvent } from '../events.ts';
import type { Provider } from '../provider/discovery.ts';
import { reasonOf, type RefreshResult, type TokenEndpoint } from '../provider/token-endpoint.ts';
import type { Kept, Keeping, SessionKeeper } from './keeper.ts';
import { isDue } from './session.ts';

/** How long a result is kept: requests sent before the new cookie arrived have the old refresh token. */
const keptMs = 60_000;

/**
 * How long it is kept while the store does not accept the new tokens: only this instance has the valid refresh token.
 */
const unstoredMs = 1_800_000;

/** While the provider fails, a session is refreshed at most once in this time. */
const failedMs = 5000;

/** The maximum number of successive refreshes that are followed, so that a cycle of tokens cannot block a request. */
const maxHops = 20;

interface Refresh {
  readonly result: Promise<RefreshResult>;
  keptUntil: number;
}

interface RefresherSettings {
  readonly keeper: SessionKeeper;
  readonly findProvider: () => Promise<Provider>;
  readonly endpoint: TokenEndpoint;
  readonly clock: Clock;
  readonly emit: (event: SessionEvent) => void;
}

export interface Refresher {
  /** Returns the session with an access token that can be used, or undefined if it has ended. */
  freshen(kept: Kept): Keeping;
  /** Ends a session, and revokes its newest refresh token, also one that a running refresh receives later. */
  end(kept: Kept): ReturnType<SessionKeeper['end']>;
  /** Revokes a refresh token that no session has. Never rejects. */
  revoke(refreshToken: string | undefined): Promise<void>;
  /** Waits for the refreshes in progress, also those whose clients have disconnected, and until their tokens are stored. */
  settled(): Promise<void>;
}

export const refresher = ({ keeper, findProvider, endpoint, clock, emit }: RefresherSettings): Refresher => {
  /** By digest of the refresh token. A rotated refresh token must not be used twice (RFC 9700, section 4.14.2). */
  const refreshes = new Map<string, Refresh>();

  const forgetOld = (): void => {
    for (const [key, { keptUntil }] of refreshes) if (keptUntil <= clock.monotonic()) refreshes.delete(key);
  };

  const request = async (refreshToken: string, subject: string): Promise<RefreshResult> => {
    const result = await findProvider().then(
      (provider) => endpoint.refresh(provider, refreshToken, subject),
      (error: unknown): RefreshResult => ({ kind: 'failed', reason: reasonOf(error) }),
    );
    if (result.kind === 'failed') emit({ name: 'refresh-failed', reason: result.reason });
    else emit({ name: result.kind === 'refused' ? 'refresh-refused' : 'refresh' });
    return result;
  };

  const start = (refreshToken: string, subject: string): Promise<RefreshResult> => {
    const refresh: Refresh = { result: request(refreshToken, subject), keptUntil: Infinity };
    refreshes.set(digest(refreshToken), refresh);
    void refresh.result.then(({ kind }) => {
      refresh.keptUntil = clock.monotonic() + (kind === 'failed' ? failedMs : keptMs);
    });
    return refresh.result;
  };

  /**
   * Returns the newest tokens. One refresh of each token is enough, unless its access token has to be refreshed again; a
   * provider may issue a new refresh token each time, or always the same.
   */
  const refreshOnce = async (refreshToken: string, subject: string, hops = 0): Promise<RefreshResult> => {
    forgetOld();
    const known = refreshes.get(digest(refreshToken));
    if (!known) return start(refreshToken, subject);
    const result = await known.result;
    if (result.kind !== 'refreshed' || result.tokens.refreshAt > clock.now() / 1000 || hops === maxHops) return result;
    const { refreshToken: next = refreshToken } = result.tokens;
    const isReplaced = next !== refreshToken || refreshes.get(digest(refreshToken)) !== known;
    return isReplaced ? refreshOnce(next, subject, hops + 1) : start(refreshToken, subject);
  };

  /** Waits for the refreshes that began with this token, and returns the newest one. `visit` is called for each. */
  const newestToken = async (refreshToken: string, visit = (_: Refresh): void => {}, hops = 0): Promise<string> => {
    const made = refreshes.get(digest(refreshToken));
    if (!made) return refreshToken;
    visit(made);
    const result = await made.result;
    const next = result.kind === 'refreshed' ? result.tokens.refreshToken : undefined;
    return next === undefined || hops === maxHops ? refreshToken : newestToken(next, visit, hops + 1);
  };

  /** Keeps the refreshes that began with this token, because the store still has it. */
  const keepUnstored = (refreshToken: string): Promise<unknown> => {
    const keptUntil = clock.monotonic() + unstoredMs;
    return newestToken(refreshToken, (made) => Object.assign(made, { keptUntil }));
  };

  const revoke = async (refreshToken: string | undefined): Promise<void> => {
    if (refreshToken === undefined) return;
    const reason = await findProvider().then((provider) => endpoint.revoke(provider, refreshToken), reasonOf);
    if (reason !== undefined) emit({ name: 'revocation-failed', reason });
  };

  const refresh = async (newest: Kept): Keeping => {
    const { tokens, subject } = newest.session;
    const result = await refreshOnce(tokens.refreshToken!, subject);
    if (result.kind === 'refused') return (await keeper.drop(newest)).map(() => undefined);
    const now = Math.floor(clock.now() / 1000);
    if (result.kind === 'failed') return tokens.expiresAt > now ? ok(newest) : err(upstream('identity', result.reason));
    const updated = await keeper.update(newest, (session) => ({ ...session, tokens: result.tokens, usedAt: now }));
    if (updated.isErr()) await keepUnstored(tokens.refreshToken!);
    // The session ended meanwhile, so nothing else will revoke the new token.
    if (updated.isOk() && !updated.value) await revoke(result.tokens.refreshToken);
    return updated;
  };

  const running = new Set<Keeping>();

  return {
    freshen: async (kept) => {
      if (!isDue(kept.session, clock)) return ok(kept);
      const refreshing = keeper.exclusively(kept, refresh);
      running.add(refreshing);
      return refreshing.finally(() => running.delete(refreshing));
    },
    revoke,
    settled: async () => {
      await Promise.allSettled(running);
      await keeper.settled();
    },
    end: async (kept) => {
      const ended = await keeper.end(kept);
      // Also if the store could not remove the session, which then ends with its access token.
      const { refreshToken } = kept.session.tokens;
      if (refreshToken !== undefined) await revoke(await newestToken(refreshToken));
      return ended;
    },
  };
};

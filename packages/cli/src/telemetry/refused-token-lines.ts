import type { RequestReport } from '@portico/adapters-koa';
import type { Clock, TokenRefusal } from '@portico/core';
import type { Log } from './log.ts';

/** The minimum time between two lines with the same reason. */
const intervalMs = 1000;

/**
 * Logs why access tokens are refused: at most one line per second and reason. `notLogged` is the number of tokens that
 * were refused for the same reason since its previous line.
 */
export const refusedTokenLines = (log: Log, clock: Clock) => {
  const lines = new Map<TokenRefusal, { readonly at: number; notLogged: number }>();
  return ({ requestId, route, problem }: RequestReport): void => {
    const reason = problem?.refusal;
    if (reason === undefined) return;
    const previous = lines.get(reason);
    const now = clock.monotonic();
    if (previous && now - previous.at < intervalMs) {
      previous.notLogged++;
      return;
    }
    lines.set(reason, { at: now, notLogged: 0 });
    log('warn', 'a token was refused', { reason, requestId, route, notLogged: previous?.notLogged ?? 0 });
  };
};

import type { RequestReport } from '@portico/adapters-koa';
import type { Clock } from '@portico/core';
import { limitedLines } from './limited-lines.ts';
import type { Log } from '../log.ts';

/**
 * Logs why access tokens are refused: at most one line per second and reason. `notLogged` is the number of tokens that
 * were refused for the same reason since its previous line.
 */
export const refusedTokenLines = (log: Log, clock: Clock) => {
  const notLoggedOf = limitedLines(clock);
  return ({ requestId, route, problem }: RequestReport): void => {
    const reason = problem?.refusal;
    if (reason === undefined) return;
    const notLogged = notLoggedOf(reason);
    if (notLogged !== undefined) log('warn', 'a token was refused', { reason, requestId, route, notLogged });
  };
};

import type { SessionEvent } from '@portico/adapters-session';
import type { Clock } from '@portico/core';
import { limitedLines } from './limited-lines.ts';
import type { Log } from '../log.ts';

/** The events that an operator may have to act on. The others are only counted. */
const messages: Readonly<Partial<Record<SessionEvent['name'], string>>> = {
  'sign-in-failed': 'a sign-in failed',
  'refresh-failed': 'an access token could not be refreshed',
  'revocation-failed': 'a refresh token could not be revoked',
  'back-channel-logout-refused': 'a logout token was refused',
};

/** Logs failures of browser sessions: at most one line per second, event and reason. */
export const sessionLines = (log: Log, clock: Clock) => {
  const notLoggedOf = limitedLines(clock);
  return (event: SessionEvent): void => {
    const message = messages[event.name];
    if (message === undefined) return;
    const { name, ...details } = event;
    const notLogged = notLoggedOf(`${name} ${'reason' in event ? event.reason : ''}`);
    if (notLogged !== undefined) log('warn', message, { ...details, notLogged });
  };
};

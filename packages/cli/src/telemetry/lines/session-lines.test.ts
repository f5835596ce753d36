import { fakeClock } from '@portico/core/testing';
import { expect, it } from 'vitest';
import { sessionLines } from './session-lines.ts';

const logged = () => {
  const lines: unknown[] = [];
  const clock = fakeClock();
  const log = Object.assign((...line: unknown[]) => void lines.push(line), { flush: () => {} });
  return { lines, clock, onEvent: sessionLines(log, clock) };
};

it('sessionLines logs failures of sessions with their reason, and nothing else', () => {
  const { lines, onEvent } = logged();
  onEvent({ name: 'sign-in' });
  onEvent({ name: 'cookie-refused' });
  onEvent({ name: 'sign-in-failed', reason: 'failed', detail: 'invalid_client' });
  onEvent({ name: 'back-channel-logout-refused' });
  expect(lines).toEqual([
    ['warn', 'a sign-in failed', { reason: 'failed', detail: 'invalid_client', notLogged: 0 }],
    ['warn', 'a logout token was refused', { notLogged: 0 }],
  ]);
});

it('sessionLines logs at most one line per second and reason, with the number of those that it left out', () => {
  const { lines, clock, onEvent } = logged();
  for (let count = 0; count < 3; count++) onEvent({ name: 'refresh-failed', reason: 'timeout' });
  onEvent({ name: 'refresh-failed', reason: 'unreachable' });
  clock.advance(1000);
  onEvent({ name: 'refresh-failed', reason: 'timeout' });
  const message = 'an access token could not be refreshed';
  expect(lines).toEqual([
    ['warn', message, { reason: 'timeout', notLogged: 0 }],
    ['warn', message, { reason: 'unreachable', notLogged: 0 }],
    ['warn', message, { reason: 'timeout', notLogged: 2 }],
  ]);
});

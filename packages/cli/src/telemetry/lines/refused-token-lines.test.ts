import type { RequestReport } from '@portico/adapters-koa';
import type { TokenRefusal } from '@portico/core';
import { fakeClock } from '@portico/core/testing';
import { expect, it } from 'vitest';
import { logOf, type LogEntry } from '../metrics/measured-portico.test.support.ts';
import { refusedTokenLines } from './refused-token-lines.ts';

const start = () => {
  const clock = fakeClock();
  const entries: LogEntry[] = [];
  const report = refusedTokenLines(logOf(entries), clock);
  let requests = 0;
  const refuse = (refusal: TokenRefusal | undefined): void => {
    const request: RequestReport = {
      requestId: `request-${++requests}`,
      method: 'GET',
      route: '/me/coverage',
      status: 401,
      outcome: 'sent',
      durationMs: 1,
      stages: { useCaseMs: 0, sendingMs: 1 },
      problem: { code: 'unauthenticated', refusal },
    };
    report(request);
  };
  return { clock, refuse, logged: () => entries.splice(0) };
};

const line = (reason: TokenRefusal, requestId: string, notLogged = 0): LogEntry => ({
  level: 'warn',
  message: 'a token was refused',
  fields: { reason, requestId, route: '/me/coverage', notLogged },
});

it('refusedTokenLines logs at most one line per second and reason, with the number of tokens that were not logged', () => {
  const { clock, refuse, logged } = start();
  for (let count = 0; count < 100; count++) refuse('audience');
  expect(logged()).toEqual([line('audience', 'request-1')]);
  clock.advance(999);
  refuse('audience');
  expect(logged()).toEqual([]);
  clock.advance(1);
  refuse('audience');
  refuse('audience');
  expect(logged()).toEqual([line('audience', 'request-102', 100)]);
  clock.advance(1000);
  refuse('audience');
  expect(logged()).toEqual([line('audience', 'request-104', 1)]);
});

it('refusedTokenLines limits each reason separately', () => {
  const { refuse, logged } = start();
  for (const reason of ['expired', 'issuer', 'expired', 'issuer'] as const) refuse(reason);
  expect(logged()).toEqual([line('expired', 'request-1'), line('issuer', 'request-2')]);
});

it('refusedTokenLines logs no line for a missing token', () => {
  const { refuse, logged } = start();
  refuse(undefined);
  expect(logged()).toEqual([]);
});

import type { RequestReport } from '@portico/adapters-koa';
import { expect, it } from 'vitest';
import { requestLines } from './request-lines.ts';

const report: RequestReport = {
  requestId: '7f8f58b7-0d9c-4b8e-8d5a-0a4f2f4c1d2e',
  method: 'GET',
  route: '/me/claims/:locator',
  status: 200,
  outcome: 'sent',
  durationMs: 12.345_678,
  stages: { authenticationMs: 0.449, useCaseMs: 11.75, sendingMs: 0.02 },
};

/** Returns the log lines for these requests. */
const linesOf = (...reports: readonly Partial<RequestReport>[]) => {
  const lines: (readonly unknown[])[] = [];
  const logRequest = requestLines(
    Object.assign((...line: readonly unknown[]) => void lines.push(line), { flush: () => {} }),
  );
  for (const differences of reports) logRequest({ ...report, ...differences });
  return lines;
};

it('requestLines logs the outcome of each request and the duration of each stage, in tenths of a millisecond', () => {
  expect(linesOf({})).toEqual([
    [
      'info',
      'request',
      {
        requestId: report.requestId,
        method: 'GET',
        route: '/me/claims/:locator',
        status: 200,
        outcome: 'sent',
        durationMs: 12.3,
        authenticationMs: 0.4,
        useCaseMs: 11.8,
        sendingMs: 0,
      },
    ],
  ]);
});

it.each([
  [500, { code: 'internal' }],
  [502, { code: 'upstream-failure', service: 'claims', reason: 'status', upstreamStatus: 503 }],
  [503, { code: 'overloaded' }],
])('requestLines logs a %i as a warning with the code, service, reason and upstream status', (status, problem) => {
  expect(linesOf({ status, problem })).toMatchObject([['warn', 'request', { status, ...problem }]]);
});

it('requestLines logs why a token was refused', () => {
  expect(linesOf({ status: 401, problem: { code: 'unauthenticated', refusal: 'audience' } })).toMatchObject([
    ['info', 'request', { status: 401, code: 'unauthenticated', reason: 'audience' }],
  ]);
});

it('requestLines logs no authentication time when there was no authentication', () => {
  const [line] = linesOf({ stages: { useCaseMs: 1, sendingMs: 1 } });

  expect(JSON.parse(JSON.stringify(line?.[2]))).not.toHaveProperty('authenticationMs');
});

it.each(['/livez', '/readyz', '/health'])('requestLines logs %s only when it fails', (route) => {
  expect(linesOf({ route }, { route, status: 399 })).toEqual([]);
  expect(linesOf({ route, status: 503 })).toMatchObject([['warn', 'request', { route, status: 503 }]]);
});

import type { RequestReport } from '@portico/adapters-koa';
import { expect, it } from 'vitest';
import { requestLines } from './request-lines.ts';

const answer: RequestReport = {
  requestId: '7f8f58b7-0d9c-4b8e-8d5a-0a4f2f4c1d2e',
  method: 'GET',
  route: '/me/claims/:locator',
  status: 200,
  outcome: 'sent',
  durationMs: 12.345_678,
  stages: { authenticationMs: 0.449, useCaseMs: 11.75, sendingMs: 0.02 },
};

/** What is said of these answers. */
const linesOf = (...answers: readonly Partial<RequestReport>[]) => {
  const said: (readonly unknown[])[] = [];
  const tell = requestLines(Object.assign((...line: readonly unknown[]) => void said.push(line), { flush: () => {} }));
  for (const differences of answers) tell({ ...answer, ...differences });
  return said;
};

it('says of each request what became of it, and how long each stage took, to a tenth of a millisecond', () => {
  expect(linesOf({})).toEqual([
    [
      'info',
      'request',
      {
        requestId: answer.requestId,
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

it('says nothing of an authentication that did not take place', () => {
  const [line] = linesOf({ stages: { useCaseMs: 1, sendingMs: 1 } });

  expect(JSON.parse(JSON.stringify(line?.[2]))).not.toHaveProperty('authenticationMs');
});

it.each(['/livez', '/readyz', '/health'])('says nothing of %s as long as all is well', (route) => {
  expect(linesOf({ route }, { route, status: 399 })).toEqual([]);
  expect(linesOf({ route, status: 503 })).toMatchObject([['info', 'request', { route, status: 503 }]]);
});

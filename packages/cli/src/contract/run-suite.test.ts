import { fakeClock } from '@portico/core/testing';
import { expect, it } from 'vitest';
import { type PromiseResult, runSuite, type Skip } from './run-suite.ts';

const settings = (results: PromiseResult[] = []) => ({
  clock: fakeClock(),
  deadlineMs: 1000,
  promiseMs: 5000,
  redact: (text: string) => text.replaceAll('secret', '***'),
  signal: new AbortController().signal,
  takeRequests: () => ['GET 200'],
  onResult: (result: PromiseResult) => void results.push(result),
});

/** A suite of these tests. */
const suiteOf =
  (tests: Readonly<Record<string, (skip: Skip) => Promise<void>>>): Parameters<typeof runSuite>[0] =>
  ({ describe, it: test }, skip) => {
    describe('a contract', () => {
      for (const [promise, body] of Object.entries(tests)) test(promise, () => body(skip));
    });
  };

it('runSuite reports each promise as soon as it ends', async () => {
  const reported: PromiseResult[] = [];
  const results = await runSuite(
    suiteOf({
      'is kept': async () => {},
      'is broken': () => Promise.reject(new Error('the secret')),
      'is skipped': async (skip) => skip('Set it.'),
      'is not about a service': async (skip) => skip(undefined),
    }),
    settings(reported),
  );

  expect(results).toEqual([
    { promise: 'is kept', elapsedMs: 0, outcome: 'kept' },
    { promise: 'is broken', elapsedMs: 0, outcome: 'broken', reason: 'the ***', requests: ['GET 200'] },
    { promise: 'is skipped', elapsedMs: 0, outcome: 'skipped', reason: 'Set it.' },
  ]);
  expect(reported).toEqual(results);
});

it('runSuite ends a promise that takes too long, and continues with the next one', async () => {
  const { clock, ...others } = settings();
  const running = runSuite(suiteOf({ 'never ends': () => new Promise(() => {}), 'is kept': async () => {} }), {
    ...others,
    clock,
  });
  clock.advance(5000);

  expect((await running).map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['broken', 'it did not end within 5000 ms'],
    ['kept', undefined],
  ]);
});

it('runSuite runs no further promise after an abort', async () => {
  const abort = new AbortController();
  const suite = suiteOf({ first: async () => abort.abort(), second: async () => {} });

  expect(await runSuite(suite, { ...settings(), signal: abort.signal })).toHaveLength(1);
});

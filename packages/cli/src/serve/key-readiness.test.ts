import { upstream } from '@portico/core';
import { fakeIdentity } from '@portico/core/testing';
import { errAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import type { Log } from '../telemetry/log.ts';
import { prefetchKeys } from './key-readiness.ts';

const cause = Object.assign(new Error('request failed'), { config: { headers: { authorization: 'Bearer hunter2' } } });

it.each([
  [upstream('identity', 'timeout'), { kind: 'upstream', service: 'identity', reason: 'timeout' }],
  [{ kind: 'unexpected', cause } as const, { kind: 'unexpected', error: { name: 'Error' } }],
])('the log has the reason for missing keys, and nothing of its cause: %j', async (failure, logged) => {
  const lines: unknown[] = [];
  const log: Log = Object.assign((...line: unknown[]) => void lines.push(line), { flush: () => {} });
  await prefetchKeys({ ...fakeIdentity(), warm: () => errAsync(failure) }, log);

  expect(lines).toMatchObject([['warn', expect.any(String), { failure: logged }]]);
  expect(JSON.stringify(lines)).not.toContain('hunter2');
});

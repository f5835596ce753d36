import { upstream } from '@portico/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { storageOf } from '../../session/storage.test.support.ts';
import { dropSubmission, isOutcomeUnknown, isSubmissionOpen, startSubmission } from './submission.ts';

const storage = new Map<string, string>();

beforeEach(() => {
  storage.clear();
  vi.stubGlobal('window', { sessionStorage: storageOf(storage) });
});

afterEach(() => void vi.unstubAllGlobals());

const claim = '{"billedAmount":84.5}';

it('a claim keeps its key until the outcome is known', async () => {
  const first = await startSubmission(claim);
  expect(first.isRepeated).toBe(false);
  expect(await startSubmission(claim)).toEqual({ key: first.key, isRepeated: true });
  expect(isSubmissionOpen()).toBe(true);
  dropSubmission(first.key);
  expect(isSubmissionOpen()).toBe(false);
  expect((await startSubmission(claim)).key).not.toBe(first.key);
});

it('a claim that differs gets another key', async () => {
  const { key } = await startSubmission(claim);
  const other = await startSubmission('{"billedAmount":85}');
  expect([other.key === key, other.isRepeated]).toEqual([false, false]);
});

it('a claim keeps its key while another claim is submitted', async () => {
  const { key } = await startSubmission(claim);
  const other = await startSubmission('{"billedAmount":85}');
  dropSubmission(other.key);
  expect(await startSubmission(claim)).toEqual({ key, isRepeated: true });
  expect((await startSubmission('{"billedAmount":85}')).isRepeated).toBe(false);
});

it('a submission stores nothing of the claim', async () => {
  await startSubmission('{"provider":{"name":"Example Eye Care"},"billedAmount":84.5}');
  expect([...storage.values()].join('')).not.toMatch(/Example|84\.5|billed/);
});

it('the outcome is unknown after a failed connection, a timeout or a 5xx of a proxy', () => {
  expect([
    upstream('claims', 'status'),
    { kind: 'timed-out' },
    { kind: 'unexpected-response', status: 502 },
  ] as const).toSatisfy((failures: Parameters<typeof isOutcomeUnknown>[0][]) => failures.every(isOutcomeUnknown));
});

it('the outcome is known when the claim was refused before it reached the claims system', () => {
  const refusals = [
    upstream('claims', 'circuit-open'),
    { kind: 'unauthenticated', reason: 'invalid' },
    { kind: 'rate-limited', retryAfterSeconds: 1 },
    { kind: 'unexpected-response', status: 403 },
  ] as const;
  expect(refusals.filter(isOutcomeUnknown)).toEqual([]);
});

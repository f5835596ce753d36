import { errAsync, okAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import { claimsContract } from '../claims/claims.contract.ts';
import { fakeClaims } from '../claims/claims.fake.ts';
import type { ClaimLocator, Claims } from '../claims/claims.port.ts';
import { BrokenPromise } from './contract.ts';
import { toJson } from './json.ts';
import { aMember } from './member.fake.ts';

/** What a test runner would show of the promises that this adapter breaks, by their names. */
const brokenBy = async (claims: () => Claims): Promise<Readonly<Record<string, string>>> => {
  const tests: [string, () => Promise<void>][] = [];
  claimsContract({ describe: (_, body) => body(), it: (name, body) => tests.push([name, body]) }, () => ({
    claims: claims(),
    member: aMember('PTY-1'),
    claim: 'CLM-1' as ClaimLocator,
    other: aMember('PTY-2'),
  }));
  const broken: [string, string][] = [];
  for (const [name, body] of tests)
    await body().catch((error: unknown) => broken.push([name, error instanceof Error ? error.message : '']));
  return Object.fromEntries(broken);
};

const good = () => fakeClaims({ 'PTY-1': [{ locator: 'CLM-1' }], 'PTY-2': [] });

it('finds nothing wrong with an adapter that keeps its promises', async () => {
  expect(await brokenBy(good)).toEqual({});
});

it('names the promise that an adapter breaks, and how', async () => {
  const claim = toJson({ locator: 'CLM-1' });
  expect(await brokenBy(() => ({ ...good(), get: () => okAsync(claim) }))).toEqual({
    'hides a claim that belongs to someone else':
      'The claims contract promises: hides a claim that belongs to someone else. ' +
      'Broken: should have failed as not-found, but succeeded',
    'does not find a claim that nobody filed': expect.stringContaining('does not find a claim that nobody filed'),
    'files a draft, which is then among the claims': expect.stringContaining('the draft\'s amount: expected "12.50"'),
  });
});

const list = () => {
  throw new TypeError('fetch failed');
};

it('says of what is unexpected only that it was', async () => {
  const cause: Record<string, unknown> = { headers: 'Bearer hunter2' };
  cause['self'] = cause;
  const { 'gives a claim by its locator': message } = await brokenBy(() => ({
    ...good(),
    get: () => errAsync({ kind: 'unexpected', cause }),
  }));
  expect(message).toMatch(/Broken: should have succeeded, but failed: unexpected$/);
});

it('keeps what broke the promise as the cause', async () => {
  const cause = new TypeError('fetch failed');
  expect(new BrokenPromise('claims', 'gives a claim by its locator', cause).cause).toBe(cause);
});

it('names the promise also where the adapter throws instead of failing', async () => {
  expect(await brokenBy(() => ({ ...good(), list }))).toEqual({
    'lists the claims of the member who asks, and of nobody else':
      'The claims contract promises: lists the claims of the member who asks, and of nobody else. fetch failed',
  });
});

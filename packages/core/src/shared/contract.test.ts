import { errAsync, okAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import { claimsContract } from '../claims/claims.contract.ts';
import { fakeClaims } from '../claims/claims.fake.ts';
import type { ClaimLocator, Claims } from '../claims/claims.port.ts';
import { BrokenPromise } from './contract.ts';
import { toJson } from './json.ts';
import { aMember } from './member.fake.ts';

/** Runs the claims contract and returns the error message of each broken promise, by promise. */
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

it('passes for an adapter that keeps its promises', async () => {
  expect(await brokenBy(good)).toEqual({});
});

it('names each promise that an adapter breaks, and the reason', async () => {
  const claim = toJson({ locator: 'CLM-1' });
  expect(await brokenBy(() => ({ ...good(), get: () => okAsync(claim) }))).toEqual({
    'hides a claim that belongs to another member':
      'The claims contract promises: hides a claim that belongs to another member. ' +
      'Broken: should have failed as not-found, but succeeded',
    'fails not-found for a claim that does not exist': expect.stringContaining(
      'fails not-found for a claim that does not exist',
    ),
    'files a submitted draft so that it can be read back': expect.stringContaining(
      'the draft\'s amount: expected "12.50"',
    ),
  });
});

const list = () => {
  throw new TypeError('fetch failed');
};

it('omits the cause of an unexpected failure from the message', async () => {
  const cause: Record<string, unknown> = { headers: 'Bearer hunter2' };
  cause['self'] = cause;
  const { 'returns a claim by its locator': message } = await brokenBy(() => ({
    ...good(),
    get: () => errAsync({ kind: 'unexpected', cause }),
  }));
  expect(message).toMatch(/Broken: should have succeeded, but failed: unexpected$/);
});

it('keeps the original error as the cause of a BrokenPromise', async () => {
  const cause = new TypeError('fetch failed');
  expect(new BrokenPromise('claims', 'returns a claim by its locator', cause).cause).toBe(cause);
});

it('names the promise when the adapter throws instead of failing', async () => {
  expect(await brokenBy(() => ({ ...good(), list }))).toEqual({
    "lists the member's own claims and no other member's":
      "The claims contract promises: lists the member's own claims and no other member's. fetch failed",
  });
});

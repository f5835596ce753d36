import { createSearchUseCases, listClaims, upstream } from '@portico/core';
import {
  acknowledged,
  aLeg,
  aMember,
  anOnSearch,
  fakeCallbackExchange,
  fakeClaims,
  fakeClock,
  fakeIds,
  fakePorts,
  fakeSearchTransport,
} from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { claimsBanner, countOffers } from './claims-banner.ts';

describe('claimsBanner', () => {
  it("counts the member's open claims only", async () => {
    const claims = fakeClaims({ 'PTY-1': [{ locator: 'CLM-1', status: 'open' }], 'PTY-2': [] });
    const banner = claimsBanner(listClaims(claims));
    expect(await banner(aMember('PTY-1'))).toBe('1 of your claims is open.');
    expect(await banner(aMember('PTY-2'))).toBe('You have no open claims.');
    expect(await banner(aMember('PTY-3'))).toBe('You have no claims yet.');
  });

  it('reports a claims system that fails, and recovers when it does', async () => {
    const { claims, calls } = fakePorts();
    const banner = claimsBanner(listClaims(claims));
    claims.failOnce(upstream('claims', 'timeout'));
    expect(await banner(aMember('PTY-1'))).toBe('Your claims cannot be shown right now.');
    expect(await banner(aMember('PTY-1'))).toBe('You have no open claims.');
    expect(calls).toEqual(['claims.list PTY-1', 'claims.list PTY-1']);
  });
});

it('countOffers counts the networks that responded before the timeout, with a fake clock', async () => {
  const clock = fakeClock();
  const transport = fakeSearchTransport({ moa: acknowledged, mh: acknowledged });
  const ports = { transport, exchange: fakeCallbackExchange(clock), clock, ids: fakeIds() };
  const { search, receiveCallback } = createSearchUseCases(ports, {
    legs: [aLeg('moa'), aLeg('mh')],
    timeoutMs: 10_000,
  });
  const counting = countOffers(search)('health');
  await expect.poll(() => transport.posts.length, { interval: 1 }).toBe(2);
  await receiveCallback(anOnSearch(transport.posts[0]!.envelope.context.transaction_id));
  clock.advance(10_000);
  expect(await counting).toBe('1 of 2 networks responded.');
});

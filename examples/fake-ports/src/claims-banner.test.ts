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
  fakeSearchTransport,
} from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { claimsBanner, countOffers } from './claims-banner.ts';

describe('the banner', () => {
  const claims = fakeClaims({ 'PTY-1': [{ locator: 'CLM-1', status: 'open' }], 'PTY-2': [] });
  const banner = claimsBanner(listClaims(claims));

  it("counts the member's open claims, and nobody else's", async () => {
    expect(await banner(aMember('PTY-1'))).toBe('1 of your claims is open.');
    expect(await banner(aMember('PTY-2'))).toBe('Nothing is open.');
    expect(await banner(aMember('PTY-3'))).toBe('You have no claims yet.');
  });

  it('says so when the claims system does not answer', async () => {
    claims.failWith(upstream('claims', 'timeout'));
    expect(await banner(aMember('PTY-1'))).toBe('Your claims cannot be shown right now.');
    claims.failWith(undefined);
  });
});

it('counts the networks that answered in time, without waiting for time to pass', async () => {
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
  expect(await counting).toBe('1 of 2 networks answered.');
});

import { expect, it } from 'vitest';
import { fakeClock } from '../../runtime/clock.fake.ts';
import { succeeds } from '../../contract/assertions.ts';
import { memorySentSearches } from './sent-searches.ts';

const sent = { legId: 'mh', signature: 'c2lnbmF0dXJl' };

it('memorySentSearches remembers a search for at least rememberMs, and at most twice as long', async () => {
  for (const startedMs of [0, 1, 999]) {
    const clock = fakeClock();
    const searches = memorySentSearches({ clock, rememberMs: 1000 });
    clock.advance(startedMs);
    await searches.remember('transaction-1', sent);
    clock.advance(999);
    expect(await succeeds(searches.find('transaction-1'))).toBe(sent);
    clock.advance(1001);
    expect(await succeeds(searches.find('transaction-1'))).toBeUndefined();
  }
});

it('memorySentSearches remembers a search for ten minutes by default', async () => {
  const clock = fakeClock();
  const searches = memorySentSearches({ clock });
  clock.advance(599_999);
  await searches.remember('transaction-1', sent);
  clock.advance(599_999);
  expect(await succeeds(searches.find('transaction-1'))).toBe(sent);
});

it('memorySentSearches finds no search that was not remembered', async () => {
  const searches = memorySentSearches({ clock: fakeClock() });
  for (const id of ['transaction-1', '__proto__', 'constructor'])
    expect(await succeeds(searches.find(id))).toBeUndefined();
});

it('memorySentSearches remembers the latest rememberAtLeast searches, and at most twice as many', async () => {
  for (let total = 10; total < 45; total++) {
    const searches = memorySentSearches({ clock: fakeClock(), rememberAtLeast: 10 });
    for (let nth = 0; nth < total; nth++) await searches.remember(`transaction-${nth}`, sent);
    const found = await Promise.all(
      Array.from({ length: total }, (_, nth) => succeeds(searches.find(`transaction-${nth}`))),
    );
    expect(found.slice(-10).every((search) => search === sent)).toBe(true);
    expect(found.filter((search) => search !== undefined).length).toBeLessThanOrEqual(20);
  }
});

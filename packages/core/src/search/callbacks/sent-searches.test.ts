import { expect, it } from 'vitest';
import { fakeClock } from '../../runtime/clock.fake.ts';
import { memorySentSearches } from './sent-searches.ts';

const sent = { legId: 'mh', signature: 'c2lnbmF0dXJl' };

it('remembers a search for at least rememberMs, and at most twice as long', async () => {
  for (const startedMs of [0, 1, 999]) {
    const clock = fakeClock();
    const searches = memorySentSearches({ clock, rememberMs: 1000 });
    clock.advance(startedMs);
    await searches.remember('transaction-1', sent);
    clock.advance(999);
    expect(await searches.find('transaction-1')).toBe(sent);
    clock.advance(1001);
    expect(await searches.find('transaction-1')).toBeUndefined();
  }
});

it('finds no search that was not remembered', async () => {
  const searches = memorySentSearches({ clock: fakeClock() });
  for (const id of ['transaction-1', '__proto__', 'constructor']) expect(await searches.find(id)).toBeUndefined();
});

import { fakeClock } from '@portico/core/testing';
import { ok } from 'neverthrow';
import { expect, it } from 'vitest';
import { offeredCallback } from './offered-callback.ts';
import { redelivery } from './redelivery.ts';

it('a redelivery ends when a later recovery has started another one', async () => {
  const clock = fakeClock();
  const stored: string[] = [];
  // Their owner has not registered the leg again.
  const write = async ({ text }: { readonly text: string }) => {
    stored.push(text);
    return ok('unknown' as const);
  };
  const { add, run } = redelivery({ clock, health: { report: () => {} }, writer: { write }, isSettled: () => false });
  add(offeredCallback('T-1', 'a callback', {}), 'delivered');
  void run();
  void run();
  // The timers of the buffer and of both redeliveries.
  await expect.poll(() => [stored.length, clock.scheduled]).toEqual([2, 3]);
  clock.advance(250);
  await expect.poll(() => [stored.length, clock.scheduled]).toEqual([3, 2]);
});

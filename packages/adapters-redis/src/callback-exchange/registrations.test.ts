import { fakeClock } from '@portico/core/testing';
import { expect, it } from 'vitest';
import type { RedisClient } from '../client.ts';
import { legKeys } from './leg-keys.ts';
import { Registrations } from './registrations.ts';

/** Registrations on a client that records its commands. `counted` resolves the restoration of what a leg has accepted. */
const recorded = () => {
  const commands: string[] = [];
  const counted = Promise.withResolvers<void>();
  const client = {
    set: async (key: string, value: string, { condition = '' }) =>
      void commands.push(`SET ${key} ${value} ${condition}`),
    unlink: async (keys: readonly string[]) => void commands.push(`UNLINK ${keys.join(' ')}`),
    restoreAccepted: (key: string) => {
      commands.push(`COUNT ${key}`);
      return counted.promise;
    },
  };
  const registrations = new Registrations({
    client: client as unknown as RedisClient,
    clock: fakeClock(),
    instance: 'one',
    keys: legKeys(''),
    rememberMs: 60_000,
    maxUnreported: 10,
  });
  const collects = { maxCallbacks: 2, maxBytes: 100 };
  return {
    commands,
    counted,
    registrations,
    collect: () => registrations.add([{ transactionId: 't', legId: 'mh', collects, deliver: () => {} }], 10_000),
  };
};

const accepted = new Map([['digest', 7]]);

it('a leg is registered again after what it has accepted was counted', async () => {
  const { commands, counted, registrations, collect } = recorded();
  await collect();
  const restored = registrations.restore('t', accepted);
  expect(commands).toEqual(['SET {t}:leg wone||2|100 ', 'COUNT {t}:accepted']);
  counted.resolve();
  await restored;
  expect(commands.slice(2)).toEqual(['SET {t}:leg wone||2|100 NX']);
});

it('a leg that is released while it is registered again does not get a key', async () => {
  const { commands, counted, registrations, collect } = recorded();
  await collect();
  const restored = registrations.restore('t', accepted);
  registrations.release('t');
  counted.resolve();
  await restored;
  expect(commands.slice(2)).toEqual(['SET {t}:leg r XX', 'UNLINK {t}:callback {t}:accepted']);
});

it('a leg that is removed no longer refers to its search', async () => {
  const { registrations, collect } = recorded();
  await collect();
  const leg = registrations.get('t')!;
  expect(leg.expectation).toBeDefined();
  registrations.remove('t');
  expect(leg.expectation).toBeUndefined();
});

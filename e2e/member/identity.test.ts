import { afterEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '@portico/demo/world';

let world: World;
afterEach(() => world.close());

describe('the identity provider', () => {
  it('may be down after the start, and members are still served', async () => {
    world = await startWorld();
    const member = await world.as('member-a');
    expect((await member('/me/coverage')).status).toBe(200);
    await world.sandbox.identity.stop();
    expect((await member('/me/coverage')).status).toBe(200);
  });

  it('may come back with new keys, and their tokens are good at once', async () => {
    world = await startWorld();
    const before = await world.as('member-a');
    expect((await before('/me/coverage')).status).toBe(200);
    await world.sandbox.identity.stop();
    await world.sandbox.identity.rotateKeys();
    await world.sandbox.identity.start();
    const after = await world.as('member-a');
    expect((await after('/me/coverage')).status).toBe(200);
  });

  it('that was down at the start is asked again, and until then members get 502', async () => {
    let stopped = Promise.resolve();
    world = await startWorld({
      settings: (sandbox) => {
        stopped = sandbox.identity.stop();
        return {};
      },
    });
    await stopped;
    await world.sandbox.identity.start();
    const member = await world.as('member-a');
    await world.sandbox.identity.stop();
    const refused = await member('/me/coverage');
    expect([refused.status, await refused.json()]).toEqual([
      502,
      expect.objectContaining({ code: 'upstream-failure', service: 'identity' }),
    ]);
    await world.sandbox.identity.start();
    await expect.poll(async () => (await member('/me/coverage')).status, { timeout: 5000 }).toBe(200);
  });
});

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startWorld, type World } from '@portico/demo/world';

describe('the identity provider', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  it('may be down after the start, and members are still served', async () => {
    const member = await world.as('member-a');
    expect((await member('/me/coverage')).status).toBe(200);
    await world.sandbox.identity.stop();
    expect((await member('/me/coverage')).status).toBe(200);
    await world.sandbox.identity.start();
  });

  it('may come back with new keys, and their tokens are good at once', async () => {
    const before = await world.as('member-a');
    expect((await before('/me/coverage')).status).toBe(200);
    await world.sandbox.identity.stop();
    await world.sandbox.identity.rotateKeys();
    await world.sandbox.identity.start();
    const after = await world.as('member-a');
    expect((await after('/me/coverage')).status).toBe(200);
  });
});

describe('an identity provider', () => {
  it('that was down at the start is asked again, and until then members get 502', async () => {
    let stopped = Promise.resolve();
    const world = await startWorld({
      settings: (sandbox) => {
        stopped = sandbox.identity.stop();
        return {};
      },
    });
    onTestFinished(() => world.close());
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
    await expect.poll(async () => (await member('/me/coverage')).status).toBe(200);
  });
});

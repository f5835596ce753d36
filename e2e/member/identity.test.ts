import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startEnvironment, type Environment } from '@portico/demo/environment';

describe('the identity provider', () => {
  let environment: Environment;
  beforeAll(async () => {
    environment = await startEnvironment();
  });
  afterAll(() => environment.close());

  it('the identity provider can be down after the start while members are served', async () => {
    const member = await environment.as('member-a');
    expect((await member('/me/coverage')).status).toBe(200);
    await environment.sandbox.identity.stop();
    expect((await member('/me/coverage')).status).toBe(200);
    await environment.sandbox.identity.start();
  });

  it('the identity provider can return with new keys, whose tokens are accepted immediately', async () => {
    const before = await environment.as('member-a');
    expect((await before('/me/coverage')).status).toBe(200);
    await environment.sandbox.identity.stop();
    await environment.sandbox.identity.rotateKeys();
    await environment.sandbox.identity.start();
    const after = await environment.as('member-a');
    expect((await after('/me/coverage')).status).toBe(200);
  });
});

describe('an identity provider', () => {
  it('an identity provider is requested again when it was down at the start; members get 502 until then', async () => {
    let authorization = '';
    const environment = await startEnvironment({
      settings: async (sandbox) => {
        // Portico requests the keys in the background: the provider must not return before the first request of the test.
        authorization = `Bearer ${await sandbox.token('member-a')}`;
        await sandbox.identity.stop();
        return {};
      },
    });
    onTestFinished(() => environment.close());
    const coverage = () => fetch(`${environment.portico.url}/me/coverage`, { headers: { authorization } });
    const refused = await coverage();
    expect([refused.status, await refused.json()]).toEqual([
      502,
      expect.objectContaining({ code: 'upstream-failure', service: 'identity' }),
    ]);
    await environment.sandbox.identity.start();
    await expect.poll(async () => (await coverage()).status).toBe(200);
  });
});

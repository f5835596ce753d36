import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { jsonLines, loadSettings, serve } from '@portico/cli/serve';
import { portTokens } from '@portico/core/inversify';
import { fakePorts } from '@portico/core/testing';
import { ContainerModule } from 'inversify';

/** The server of `npm start`, with fakes for the identity provider and for claims. */
const startServer = async (test: TestContext) => {
  const ports = fakePorts();
  const fakes = new ContainerModule(({ rebind }) => {
    void rebind(portTokens.identity).toConstantValue(ports.identity);
    void rebind(portTokens.claims).toConstantValue(ports.claims);
  });
  const loaded = loadSettings({ flags: { '--config': 'portico.json', '--port': '0' } });
  assert.ok(loaded.isOk(), JSON.stringify(loaded));
  const started = await serve({ ...loaded.value, modules: [fakes], log: jsonLines('silent') });
  assert.ok(started.isOk(), JSON.stringify(started));
  test.after(started.value.close);
  const iss = [loaded.value.settings.identity].flat()[0]?.issuer;
  return { token: ports.identity.issue({ iss, sub: 'PTY-1' }), url: started.value.url };
};

it('returns the claims of the member in the access token', async (test) => {
  const { token, url } = await startServer(test);
  const response = await fetch(`${url}/me/claims`, { headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual(await response.json(), { claims: [{ locator: 'CLM-1', status: 'paid' }] });
});

it('refuses a request without an access token', async (test) => {
  const { url } = await startServer(test);
  const { status } = await fetch(`${url}/me/claims`);
  assert.equal(status, 401);
});

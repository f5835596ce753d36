import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { jsonLines, loadSettings, serve } from '@portico/cli/serve';
import { searchPortTokens } from '@portico/core/inversify';
import { acknowledged, anOnSearch, fakeCallbackVerifier, fakeSearchTransport } from '@portico/core/testing';
import { ContainerModule } from 'inversify';

it('returns what a seller sends in its callback', async (test) => {
  const transport = fakeSearchTransport();
  const verifier = fakeCallbackVerifier();
  const fakes = new ContainerModule(({ rebind }) => {
    void rebind(searchPortTokens.transport).toConstantValue(transport);
    void rebind(searchPortTokens.verifier).toConstantValue(verifier);
  });
  const env = { SIGNING_KEY: randomBytes(32).toString('base64') };
  const loaded = loadSettings({ flags: { '--config': 'portico.json', '--port': '0' }, env });
  assert.ok(loaded.isOk(), JSON.stringify(loaded));
  const started = await serve({ ...loaded.value, modules: [fakes], log: jsonLines('silent') });
  assert.ok(started.isOk(), JSON.stringify(started));
  const { url, close } = started.value;
  test.after(close);
  const post = (path: string, body: string, headers = {}) =>
    fetch(url + path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

  const searching = post('/api/search', '{"persona":"member","query":"yoga","user_id":"test"}');
  const sent = await firstOf(() => transport.posts[0]);
  sent.respond(acknowledged);
  const { transaction_id } = sent.envelope.context as { readonly transaction_id: string };
  const catalog = { providers: [{ id: 'seller-1' }] };
  const callback = anOnSearch(transaction_id, { sellerId: 'seller.example', catalog });
  assert.equal((await post('/on_search', callback.text, { authorization: 'seller.example' })).status, 200);

  const { wellness } = (await (await searching).json()) as { readonly wellness: { readonly message: unknown } };
  assert.deepEqual(wellness.message, { catalog });
});

/** Waits for the first value that is not undefined. */
const firstOf = async <T>(read: () => T | undefined): Promise<T> => {
  for (;;) {
    const value = read();
    if (value !== undefined) return value;
    await new Promise(setImmediate);
  }
};

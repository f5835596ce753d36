import { createUseCases } from '@portico/core';
import { fakePorts, somePreferences as six } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { fullDocument, validatorOf } from './document.test.support.ts';
import type { Operation, Parameter } from './format.ts';
import { listening, send, servePortal } from '../server/portal.test.support.ts';
import { refused, searchFakes } from '../server/search.test.support.ts';
import { createServer } from '../server/server.ts';

describe('documented example bodies', () => {
  const bodies = Object.entries(fullDocument.paths).flatMap(([path, item]) =>
    (['post', 'put', 'patch'] as const).flatMap((method) => {
      const operation: Operation | undefined = item[method];
      return Object.entries(operation?.requestBody?.content ?? {}).map(
        ([type, { example }]) => [method.toUpperCase(), path, type, example] as const,
      );
    }),
  );

  it.each(bodies.filter(([, path]) => path.startsWith('/me/')))(
    'accepts the example body: %s %s, %s',
    async (method, path, type, example) => {
      const portal = await servePortal();
      const options = { headers: { 'content-type': type }, body: JSON.stringify(example) };
      expect((await portal.request(method, path, options)).status).toBeLessThan(300);
    },
  );
});

describe('documented requests', () => {
  const { components, paths } = fullDocument;

  it('documents every parameter that lists relay', async () => {
    const { json } = await (await servePortal()).request('GET', '/me/claims?nothing=1');
    const [error] = (json as { readonly errors: readonly { readonly message: string }[] }).errors;
    const names = Object.keys(components.parameters).filter((name) => name.startsWith('list.'));
    expect(error?.message).toContain(names.map((name) => name.replace('list.', '')).join(', '));
  });

  it.each(['CLM-1', 'a', 'urn:x:1', 'x'.repeat(128), 'x'.repeat(129), '-a', 'a..b', '.a', 'a|b', 'a@b', 'a~b'])(
    'accepts a locator if and only if it matches its schema: %s',
    async (locator) => {
      const parameter = paths['/me/claims/{locator}']?.get?.parameters?.find((each) => 'name' in each);
      const { status } = await (await servePortal()).request('GET', `/me/claims/${locator}`);
      expect([locator, status !== 400]).toEqual([locator, validatorOf((parameter as Parameter).schema)(locator)]);
    },
  );

  it.each(['k', 'x'.repeat(255), 'x'.repeat(256), 'two words', '~!'])(
    'accepts an idempotency key if and only if it matches its schema: %s',
    async (key) => {
      const [parameter] = paths['/me/claims']?.post?.parameters ?? [];
      const { name, schema } = parameter as Parameter;
      const options = { body: '{"a":1}', headers: { [name]: key } };
      const { status } = await (await servePortal()).request('POST', '/me/claims', options);
      expect([key, status !== 400]).toEqual([key, validatorOf(schema)(key)]);
    },
  );

  const { push: _, ...five } = six;
  const search = { persona: 'member', query: 'dental', user_id: 'u-1' };

  it.each<[string, string, unknown]>([
    ['put', '/me/preferences', six],
    ['put', '/me/preferences', five],
    ['put', '/me/preferences', { ...six, fax: true }],
    ['put', '/me/preferences', { ...six, email: 'yes' }],
    ['put', '/me/consent', { a: null }],
    ['put', '/me/consent', {}],
    ['put', '/me/consent', []],
    ['post', '/me/claims', { type: 'dental' }],
    ['post', '/me/claims', {}],
    ['patch', '/me/profile', { address: { locator: 'x' } }],
    ['patch', '/me/profile', { locator: 'x' }],
    ['patch', '/me/profile', { city: 'x', partyLocator: 'PTY-2' }],
    ['post', '/api/search', search],
    ['post', '/api/search', { ...search, persona: ` ${'x'.repeat(64)} ` }],
    ['post', '/api/search', { ...search, persona: 'x'.repeat(65) }],
    ['post', '/api/search', { ...search, query: 'x'.repeat(256) }],
    ['post', '/api/search', { ...search, query: 'x'.repeat(257) }],
    ['post', '/api/search', { ...search, query: '🙂'.repeat(256) }],
    ['post', '/api/search', { ...search, query: '🙂'.repeat(257) }],
    ['post', '/api/search', { ...search, query: ' \t' }],
    ['post', '/api/search', { ...search, user_id: 'x'.repeat(128) }],
    ['post', '/api/search', { ...search, user_id: 'x'.repeat(129) }],
    ['post', '/api/search', { ...search, user_id: 1 }],
    ['post', '/api/search', { persona: 'member', query: 'dental' }],
    ['post', '/on_search', { context: { transaction_id: 'x', action: 'on_search' } }],
    ['post', '/on_search', { context: { transaction_id: 'x', action: 'search' } }],
    ['post', '/on_search', { context: { transaction_id: '', action: 'on_search' } }],
    ['post', '/on_search', { context: { transaction_id: 'x'.repeat(256), action: 'on_search' } }],
    ['post', '/on_search', { context: { transaction_id: 'x'.repeat(257), action: 'on_search' } }],
    ['post', '/on_search', { message: {} }],
  ])('accepts a body if and only if it matches its schema: %s %s %j', async (method, path, value) => {
    const content = paths[path as `/${string}`]?.[method as 'put']?.requestBody?.content ?? {};
    const fakes = fakePorts();
    const host = searchFakes({ script: { moa: refused, mh: refused } });
    const port = await listening(createServer({ ...createUseCases(fakes), ...host.use }));
    const headers = {
      authorization: `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}`,
      'content-type': 'application/json',
    };
    const { status } = await send(port, method.toUpperCase(), path, { headers, body: JSON.stringify(value) });
    expect(status !== 400).toBe(validatorOf(content['application/json']!.schema!)(value));
  });
});

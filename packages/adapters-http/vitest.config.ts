import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import shared from '../../vitest.config.ts';

/** nock takes hold of a whole worker, hence `isolate`. */
const project = (test: NonNullable<TestProjectInlineConfiguration['test']>): TestProjectInlineConfiguration => ({
  ...shared,
  test: { ...shared.test, isolate: true, ...test },
});

/** The tests that talk to local servers: they run a second time with those servers behind TLS. */
const overTls = [
  'claims',
  'documents',
  'client',
  'client.random',
  'identity',
  'inversify',
  'registry',
  'search-transport',
  'service-guard',
  'token-endpoint',
  'tracing',
].map((name) => `src/**/${name}.test.ts`);

export default defineConfig({
  test: {
    projects: [project({ name: 'http' }), project({ name: 'https', include: overTls, env: { TEST_SCHEME: 'https' } })],
  },
});

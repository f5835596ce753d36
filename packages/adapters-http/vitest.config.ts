import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import shared from '../../vitest.config.ts';

const project = (test: NonNullable<TestProjectInlineConfiguration['test']>): TestProjectInlineConfiguration => ({
  ...shared,
  test: { ...shared.test, ...test },
});

const files = (...names: readonly string[]) => names.map((name) => `src/**/${name}.test.ts`);

/** nock changes the HTTP modules of its whole process, so these files share no process with others. */
const withNock = files('downstream', 'downstreams', 'identity', 'token-endpoint');

/** The tests with local servers run a second time with those servers behind TLS. */
const overTls = files(
  'claims',
  'documents',
  'client',
  'client.random',
  'inversify',
  'registry',
  'search-transport',
  'service-guard',
  'tracing',
);
const overTlsWithNock = files('identity', 'token-endpoint');
const env = { TEST_SCHEME: 'https' };

export default defineConfig({
  test: {
    projects: [
      project({ name: 'http', exclude: [...shared.test.exclude, ...withNock] }),
      project({ name: 'http, nock', include: withNock }),
      project({ name: 'https', include: overTls, env }),
      project({ name: 'https, nock', include: overTlsWithNock, env }),
    ],
  },
});

import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import shared from '../../vitest.config.ts';

const project = (test: NonNullable<TestProjectInlineConfiguration['test']>): TestProjectInlineConfiguration => ({
  extends: true,
  test: { ...shared.test, ...test },
});

const files = (...names: readonly string[]) => names.map((name) => `${import.meta.dirname}/src/**/${name}.test.ts`);

/** nock changes the HTTP modules of its whole process, so these files share no process with others. */
export const withNock: readonly string[] = files('downstream', 'downstreams', 'token-endpoint');

/** The tests with local servers run a second time with those servers behind TLS. */
const overTls = files(
  'claims',
  'documents',
  'client',
  'client.random',
  'identity',
  'inversify',
  'registry',
  'search-transport',
  'tracing',
);
const overTlsWithNock = files('token-endpoint');
const env = { TEST_SCHEME: 'https' };

/** The tests that share no process with others. */
export const separateProjects: readonly TestProjectInlineConfiguration[] = [
  project({ name: 'http, nock', include: [...withNock] }),
  project({ name: 'https', include: overTls, env }),
  project({ name: 'https, nock', include: overTlsWithNock, env }),
];

export default defineConfig({
  ssr: shared.ssr,
  test: {
    projects: [project({ name: 'http', exclude: [...shared.test.exclude, ...withNock] }), ...separateProjects],
  },
});

import { defineConfig } from 'vitest/config';
import { separateProjects, withNock } from './packages/adapters-http/vitest.config.ts';
import shared from './vitest.config.ts';

/** These tests change their process for good: OpenTelemetry keeps the first tracer, and loaded modules are loaded again. */
const alone = ['tracing', 'trace-context', 'json-syntax'].map((name) => `packages/*/src/**/${name}.test.ts`);

/** These tests replace globals that a browser has, such as `fetch`, for as long as their process lives. */
const web = 'examples/web/**/*.test.ts';

/**
 * The tests of all packages but `e2e` in one run, for `npm test`: its workers load and compile each module once. This
 * takes a third less processor time than a run for each package.
 */
export default defineConfig({
  ssr: shared.ssr,
  test: {
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          ...shared.test,
          name: 'packages',
          exclude: [...shared.test.exclude, 'e2e/**', web, ...alone, ...withNock],
          globalSetup: 'tools/bundled-command.ts',
          // Several real servers and processes at once are enough for a small machine.
          maxConcurrency: 3,
        },
      },
      { extends: true, test: { ...shared.test, name: 'alone', include: alone, isolate: true } },
      { extends: true, test: { ...shared.test, name: 'web', include: [web] } },
      ...separateProjects,
    ],
  },
});

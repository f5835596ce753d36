import { defineConfig } from 'vitest/config';
import root from '../vitest.config.ts';

/** Only the tests of the built documentation site in docs/dist: `.ci/run` builds it and runs them beside the others. */
export default defineConfig({
  ...root,
  test: { ...root.test, include: ['documentation/site.test.ts'], globalSetup: ['browser/browser-process.ts'] },
});

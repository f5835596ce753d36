import { defineConfig, mergeConfig } from 'vitest/config';
import root from '../vitest.config.ts';

export default mergeConfig(
  root,
  defineConfig({
    test: {
      // They have configurations of their own: vitest.image.config.ts and vitest.site.config.ts.
      exclude: ['deployment/image.test.ts', 'documentation/site.test.ts'],
      globalSetup: ['browser/browser-process.ts', '../tools/bundled-command.ts'],
      // Every file starts its own servers, and mostly waits for them.
      maxWorkers: 3,
      // Concurrent tests wait for the limits of their requests at the same time.
      maxConcurrency: 50,
    },
  }),
);

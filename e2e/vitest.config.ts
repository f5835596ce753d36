import { defineConfig, mergeConfig } from 'vitest/config';
import root from '../vitest.config.ts';

export default mergeConfig(
  root,
  defineConfig({
    test: {
      globalSetup: ['browser/browser-process.ts', '../tools/bundled-command.ts'],
      // Every file has servers of its own, and waits for them most of the time.
      maxWorkers: 3,
    },
  }),
);

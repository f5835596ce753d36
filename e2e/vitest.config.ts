import { defineConfig, mergeConfig } from 'vitest/config';
import root from '../vitest.config.ts';

export default mergeConfig(
  root,
  defineConfig({
    test: {
      globalSetup: ['browser/browser-process.ts', '../tools/bundled-command.ts'],
      // Every file starts its own servers, and mostly waits for them.
      maxWorkers: 3,
    },
  }),
);

import { defineConfig, mergeConfig } from 'vitest/config';
import root from '../../vitest.config.ts';

// Several real servers at once: on a small machine that is tested elsewhere too, things take their time.
export default mergeConfig(root, defineConfig({ test: { maxConcurrency: 2, testTimeout: 90_000 } }));

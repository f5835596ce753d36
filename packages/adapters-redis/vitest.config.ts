import { defineConfig, mergeConfig } from 'vitest/config';
import root from '../../vitest.config.ts';

// Several real servers at once are enough for a small machine.
export default mergeConfig(root, defineConfig({ test: { maxConcurrency: 2 } }));

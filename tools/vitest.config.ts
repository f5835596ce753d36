import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../vitest.config.ts';

export default mergeConfig(shared, defineConfig({ test: { include: ['**/*.test.ts'] } }));

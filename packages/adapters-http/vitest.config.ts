import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../../vitest.config.ts';

/** nock takes hold of a whole worker. */
export default mergeConfig(shared, defineConfig({ test: { isolate: true } }));

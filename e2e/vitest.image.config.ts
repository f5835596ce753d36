import { defineConfig } from 'vitest/config';
import root from '../vitest.config.ts';

/** Only the test that builds the image, which installs dependencies: `.ci/run` runs it beside the others. */
export default defineConfig({ ...root, test: { ...root.test, include: ['deployment/image.test.ts'] } });

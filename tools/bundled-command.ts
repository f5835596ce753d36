import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/**
 * Global setup of tests that start many `portico` processes: bundles the command as `npm run build` does and names the bundle
 * in `PORTICO_MAIN`. A process that loads few files instead of a thousand needs less than half the processor time to start.
 */
export const setup = async (): Promise<(() => void) | undefined> => {
  const root = fileURLToPath(new URL('../packages/cli', import.meta.url));
  // turbo.json has the command built before these tests.
  if (process.env['TURBO_HASH'] !== undefined) {
    process.env['PORTICO_MAIN'] = `${root}/dist/bundle/main.js`;
    return undefined;
  }
  // As deep as dist/bundle; a folder for each of the test runs at the same time.
  const outDir = `${root}/.test/bundle-${process.pid}`;
  await build({ root, configFile: `${root}/vite.config.ts`, logLevel: 'error', build: { outDir } });
  process.env['PORTICO_MAIN'] = `${outDir}/main.js`;
  return () => rmSync(outDir, { recursive: true, force: true });
};

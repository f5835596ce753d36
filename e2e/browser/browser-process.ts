import { existsSync } from 'node:fs';
import { chromium, type LaunchOptions } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly browserEndpoint: string | undefined;
    readonly fullBrowser: string | undefined;
  }
}

const installed = (paths: readonly string[]) => paths.find((path) => path !== '' && existsSync(path));

const fullBrowser = installed([
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]);

/** Chromium without windows: needs less than half the processor time, but has no back/forward cache and no PDF viewer. */
const headlessShell = installed(['/usr/bin/chromium-headless-shell']);

export const launchOptions = (executablePath: string): LaunchOptions => ({
  executablePath,
  // Playwright disables the back/forward cache, but the browsers of members use it.
  ignoreDefaultArgs: ['--disable-back-forward-cache'],
  args: [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});

/** Global set-up: starts one browser for all test files. */
export default async ({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const executablePath = headlessShell ?? fullBrowser;
  if (fullBrowser === undefined)
    process.stderr.write(
      `\nSKIPPED: chromium is not installed (set CHROMIUM to its path); ${executablePath ? 'some' : 'all'} tests of the pages are skipped\n`,
    );
  provide('fullBrowser', fullBrowser);
  if (executablePath === undefined) return undefined;
  const server = await chromium.launchServer(launchOptions(executablePath));
  provide('browserEndpoint', server.wsEndpoint());
  return () => server.close();
};

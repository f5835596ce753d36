import { existsSync } from 'node:fs';
import type { LaunchOptions } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly browserPath: string | undefined;
    readonly fullBrowser: string | undefined;
  }
}

/** The path of the first program that is installed. */
export const installed = (paths: readonly string[]) => paths.find((path) => path !== '' && existsSync(path));

export const fullBrowser = installed([
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]);

/** Chromium without windows: needs less than half the processor time, but has no back/forward cache and no PDF viewer. */
export const headlessShell = installed(['/usr/bin/chromium-headless-shell']);

export const launchOptions = (executablePath: string): LaunchOptions => ({
  executablePath,
  // As long as a test, for busy machines.
  timeout: 300_000,
  // Playwright disables the back/forward cache, but the browsers of members use it.
  ignoreDefaultArgs: ['--disable-back-forward-cache'],
  args: [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    // One process less, with its messages.
    '--in-process-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});

/** Global set-up: finds the browsers, and warns if there is none. */
export default ({ provide }: TestProject): void => {
  const browserPath = headlessShell ?? fullBrowser;
  if (fullBrowser === undefined)
    process.stderr.write(
      `\nSKIPPED: chromium is not installed (set CHROMIUM to its path); ${browserPath ? 'some' : 'all'} tests of the pages are skipped\n`,
    );
  provide('fullBrowser', fullBrowser);
  provide('browserPath', browserPath);
};

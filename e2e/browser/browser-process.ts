import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly browserEndpoint: string | undefined;
  }
}

const paths = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Global set-up: starts one browser for all test files. */
export default async ({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const executablePath = paths.find((path) => path !== '' && existsSync(path));
  if (executablePath === undefined) {
    process.stderr.write(
      '\nSKIPPED: chromium is not installed (set CHROMIUM to its path); tests of the pages are skipped\n',
    );
    return undefined;
  }
  const server = await chromium.launchServer({
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
  provide('browserEndpoint', server.wsEndpoint());
  return () => server.close();
};

import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Environment, startEnvironment } from '@portico/demo/environment';
import { pagesDirectory } from '@portico/demo/pages';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type PageState, pageStates } from './page-states.ts';

/**
 * `npm run screenshots [name...]`: makes the pictures of the documentation, all or those with these names, from the built
 * pages and the sandbox. Needs Chromium (`CHROMIUM`, else /usr/bin/chromium) and pngquant. Fails if a picture is too large.
 */
const folder = resolve(import.meta.dirname, '../../docs/pages');
const maxBytes = 150_000;
/** A longer page is cut. */
const maxHeight = 2400;

const chromiumPath = [process.env['CHROMIUM'], '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
);

const looksOf = ({ name, hasDark = false }: PageState) => [
  { file: `${name}.png`, width: 1440, height: 900, colorScheme: 'light' as const },
  { file: `${name}-360.png`, width: 360, height: 780, colorScheme: 'light' as const },
  ...(hasDark ? [{ file: `${name}-dark.png`, width: 1440, height: 900, colorScheme: 'dark' as const }] : []),
];

const signIn = async (page: Page, username: string): Promise<void> => {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(username.replace('member', 'sandbox'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor();
};

const doSteps = async (page: Page, { steps = [], ready }: PageState): Promise<void> => {
  for (const step of steps)
    if ('fill' in step) await page.getByLabel(step.fill).fill(step.value);
    else {
      const name = { name: step.click, exact: true };
      await page.getByRole('button', name).or(page.getByRole('link', name)).last().click();
    }
  await page.getByText(ready).first().waitFor({ state: 'attached' });
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
};

const picture = async (page: Page, path: string, width: number): Promise<void> => {
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  // The navigation of a phone is at the end of the screen.
  await page.setViewportSize({ width, height: Math.min(height, maxHeight) });
  await page.screenshot({ path, animations: 'disabled' });
  // 256 colours: a third of the size.
  execFileSync('pngquant', ['--force', '--strip', '--speed', '1', '--output', path, path]);
  const { size } = statSync(path);
  process.stdout.write(`${path} ${Math.ceil(size / 1000)} kB\n`);
  if (size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes: use less content for it.`);
};

const take = async (browser: Browser, { portico, sandbox }: Environment, state: PageState): Promise<void> => {
  const { path, member = 'member-a', down } = state;
  if (down) await sandbox.services[down].setFault({ kind: 'status', status: 500 });
  const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-US', timezoneId: 'UTC' });
  const page = await context.newPage();
  await page.goto(portico.url + path);
  if (member !== 'signed-out') await signIn(page, member);
  await doSteps(page, state);
  for (const { file, width, height, colorScheme } of looksOf(state)) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await picture(page, join(folder, file), width);
  }
  await context.close();
  if (down) await sandbox.services[down].setFault(null);
};

if (chromiumPath === undefined) throw new Error('Chromium is not installed: set CHROMIUM to its path.');
const names = process.argv.slice(2);
const environment = await startEnvironment({
  sessions: true,
  settings: () => ({ pages: { directory: pagesDirectory } }),
});
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--headless=new', '--no-sandbox'] });
try {
  for (const state of pageStates)
    if (names.length === 0 || names.includes(state.name)) await take(browser, environment, state);
} finally {
  await browser.close();
  await environment.close();
}

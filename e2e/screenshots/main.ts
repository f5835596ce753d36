import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Environment, startEnvironment } from '@portico/demo/environment';
import { pagesDirectory } from '@portico/demo/pages';
import { type Browser, chromium, type Page } from 'playwright-core';
import { fullBrowser, headlessShell, installed } from '../browser/browser-process.ts';
import type { Look, PageState } from './page-state.ts';
import { pageStates } from './page-states.ts';
import { removeFaults, signIn, type Tab } from './steps.ts';

/**
 * `npm run screenshots -w e2e -- [name...]`: makes the pictures of the documentation, all or those with these names, from
 * the built pages and the sandbox, in docs/pages or in the folder `SCREENSHOTS`. Needs Chromium (`CHROMIUM`, else /usr/bin/chromium)
 * and pngquant. Fails if a state cannot be reached or a picture is too large.
 */
const folder = process.env['SCREENSHOTS'] ?? resolve(import.meta.dirname, '../../docs/pages');
const maxBytes = 100_000;
/** A longer page is cut. */
const maxHeight = 2400;
/** The pages have few colours: more would make the files larger, and no picture better. */
const colors = '64';
/** Longer than it takes to make the pictures of a page that is loading. */
const longMs = 60_000;

const chromiumPath = installed([process.env['CHROMIUM'] ?? '']) ?? headlessShell ?? fullBrowser;

interface Picture {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly look?: Look;
}

const picturesOf = ({ name, looks = [] }: PageState): readonly Picture[] => [
  { file: `${name}.png`, width: 1440, height: 900 },
  { file: `${name}-360.png`, width: 360, height: 780 },
  // Printed pages have the width of the paper.
  ...looks.map((look) => ({
    file: `${name}-${look}.png`,
    width: look === 'print' ? 794 : 1440,
    height: look === 'print' ? 400 : 900,
    look,
  })),
];

const show = (page: Page, { width, height, look }: Picture): Promise<unknown> =>
  Promise.all([
    page.setViewportSize({ width, height }),
    page.emulateMedia({
      colorScheme: look === 'dark' ? 'dark' : 'light',
      forcedColors: look === 'forced-colors' ? 'active' : 'none',
      media: look === 'print' ? 'print' : 'screen',
    }),
  ]);

/** The margins of a sheet of paper, which a screen does not have. */
const sheetMargins = `document.body.style.padding = matchMedia('print').matches ? '1.5cm' : ''`;

/** The height of the whole page. `main` keeps the height that it has in the usual window: it grows with the window. */
const measure = `(() => {
  const main = document.querySelector('main');
  main.style.minHeight = '';
  main.style.minHeight = getComputedStyle(main).minHeight;
  return document.documentElement.scrollHeight;
})()`;

const take = async (page: Page, picture: Picture, isWindow: boolean): Promise<void> => {
  await show(page, picture);
  await page.evaluate(sheetMargins);
  const path = join(folder, picture.file);
  if (!isWindow) {
    const height = await page.evaluate<number>(measure);
    // The navigation of a phone is at the end of the screen.
    await page.setViewportSize({ width: picture.width, height: Math.min(height, maxHeight) });
    await page.evaluate('scrollTo(0, 0)');
  }
  await page.screenshot({ path, animations: 'disabled' });
  execFileSync('pngquant', ['--force', '--strip', '--speed', '1', '--nofs', '--output', path, colors, path]);
  const { size } = statSync(path);
  process.stdout.write(`${path} ${Math.ceil(size / 1000)} kB\n`);
  if (size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes: use less content for it.`);
};

const prepare = async (tab: Tab, { path, member = 'member-a', before = [], ...state }: PageState): Promise<void> => {
  const { page, environment } = tab;
  for (const step of before) await step(tab);
  await page.goto(environment.portico.url + path);
  if (member !== 'signed-out') await signIn(member)(tab);
  for (const step of state.steps ?? []) await step(tab);
  await page.getByText(state.ready).filter({ visible: true }).first().waitFor();
  if (!state.isLoading) await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
};

/** Returns what failed, so that one state that cannot be reached does not prevent the pictures of the others. */
const takeAll = async (browser: Browser, environment: Environment, state: PageState): Promise<readonly unknown[]> => {
  const { locale = 'en-US' } = state;
  const context = await browser.newContext({ reducedMotion: 'reduce', locale, timezoneId: 'UTC' });
  const page = await context.newPage();
  const tab = { page, context, environment };
  try {
    await prepare(tab, state);
    for (const picture of picturesOf(state)) await take(page, picture, state.isWindow ?? false);
    return [];
  } catch (error) {
    return [
      new Error(`${state.name} failed. The page shows: ${await page.locator('body').innerText()}`, { cause: error }),
    ];
  } finally {
    await context.close();
    await removeFaults(tab);
  }
};

if (chromiumPath === undefined) throw new Error('Chromium is not installed: set CHROMIUM to its path.');
const names = process.argv.slice(2);
const environment = await startEnvironment({
  sessions: true,
  env: { DOWNSTREAM_TIMEOUT_MS: `${longMs}` },
  settings: () => ({ pages: { directory: pagesDirectory }, search: { timeoutMs: longMs } }),
});
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--headless=new', '--no-sandbox'] });
const failures: unknown[] = [];
try {
  for (const state of pageStates)
    if (names.length === 0 || names.includes(state.name))
      failures.push(...(await takeAll(browser, environment, state)));
} finally {
  await browser.close();
  await environment.close();
}
if (failures.length > 0) throw new AggregateError(failures);

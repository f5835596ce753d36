import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import type { Environment } from '@portico/demo/environment';
import { launchOptions } from './browser-process.ts';

/** `undefined` without a browser: tests that need one are skipped. */
export const browserPath = inject('browserPath');

let shared: Promise<Browser> | undefined;

/** Starts a browser, at the second attempt if Chromium crashes at its start, as Debian's does now and then under load. */
const launch = (executable: string): Promise<Browser> =>
  chromium.launch(launchOptions(executable)).catch(() => chromium.launch(launchOptions(executable)));

/**
 * Starts the browser that all test files of this worker share; it ends with the worker. One for all workers would need a
 * server between them, which takes more processor time than two more browsers.
 */
export const openBrowser = (): Promise<Browser> =>
  // One that has crashed is replaced.
  (shared ??= launch(browserPath!).then((browser) => browser.once('disconnected', () => (shared = undefined))));

/** Closes all tabs, and ends a browser that test files do not share. */
export const closeBrowser = async (browser: Browser): Promise<void> => {
  if (browser !== (await shared)) return browser.close();
  await Promise.all(browser.contexts().map((context) => context.close()));
};

/** `undefined` without a complete Chromium: tests that need one are skipped. */
export const fullBrowser = inject('fullBrowser');

/** Starts a complete Chromium, which has a back/forward cache and a PDF viewer. */
export const openFullBrowser = (): Promise<Browser> => launch(fullBrowser!);

export interface Look {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
}

export type Tab = Awaited<ReturnType<typeof openTab>>;

/** Opens an empty tab in a new browser context. `requests` are recorded as method and URL. */
export const openTab = async (browser: Browser) => {
  // Without animations, whose frames the processor would draw.
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const requests: { readonly method: string; readonly url: string; readonly body: string | null }[] = [];
  const pageErrors: string[] = [];
  context.on('request', (request) =>
    requests.push({ method: request.method(), url: request.url(), body: request.postData() }),
  );
  page.on('pageerror', (error) => pageErrors.push(error.message));
  // Violations of the Content-Security-Policy are reported on the console.
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/i.test(message.text())) pageErrors.push(message.text());
  });
  const devTools = await context.newCDPSession(page);
  return { page, context, devTools, requests, pageErrors };
};

/** What a browser has stored: its cookies, and the session storage of the tab as JSON. */
export interface Stored {
  readonly cookies: Parameters<BrowserContext['addCookies']>[0];
  readonly session: string;
}

export const storedBy = async ({ page, context }: Tab): Promise<Stored> => ({
  cookies: await context.cookies(),
  session: await page.evaluate<string>('JSON.stringify({ ...sessionStorage })'),
});

/**
 * Resets a tab to the state of a new one, in a browser that has stored nothing else, and leaves it on a document of Portico.
 * It keeps its process and the compiled scripts: a visit in a new context takes twice the processor time.
 */
export const resetTab = async (
  { page, context, devTools, requests, pageErrors }: Tab,
  { portico }: Pick<Environment, 'portico'>,
  { width = 1280, colorScheme = 'light' }: Look = {},
  { cookies, session }: Stored = { cookies: [], session: '{}' },
): Promise<void> => {
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  page.removeAllListeners('dialog');
  await context.setOffline(false);
  await page.emulateMedia({ media: null, forcedColors: null, colorScheme });
  await page.setViewportSize({ width, height: 900 });
  await page.goto(`${portico.url}/livez`);
  await page.evaluate((items) => {
    localStorage.clear();
    sessionStorage.clear();
    Object.assign(sessionStorage, JSON.parse(items));
  }, session);
  await context.clearCookies();
  await context.addCookies(cookies);
  await devTools.send('Page.resetNavigationHistory');
  requests.length = 0;
  pageErrors.length = 0;
};

/** Signs in. If the provider has a session of the browser, it shows no page. */
export const signIn = async (page: Page, username: string): Promise<void> => {
  await signInButton(page).click();
  await completeSignIn(page, username);
};

/** Waits for the pages. Fills in the form of the provider if it has no session of the browser. */
export const completeSignIn = async (page: Page, username: string): Promise<void> => {
  const [form, signedIn] = [page.getByLabel('Username'), page.getByRole('navigation')];
  await form.or(signedIn).waitFor();
  if (await form.isVisible()) await fillForm(page, username);
  await signedIn.waitFor();
};

/** Signs in without waiting for the pages. */
export const submitSignIn = async (page: Page, username: string): Promise<void> => {
  await signInButton(page).click();
  await fillForm(page, username);
};

/** Fills in and sends the form of the provider. */
export const fillForm = async (page: Page, username: string): Promise<void> => {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(username.replace('member', 'sandbox'));
  await signInButton(page).click();
};

export const signInButton = (page: Page): Locator => page.getByRole('button', { name: 'Sign in' });

/** Signs out, also at the provider, where it is confirmed. */
export const signOut = async (page: Page): Promise<void> => {
  const { origin } = new URL(page.url());
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL((url) => url.origin !== origin);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL((url) => url.origin === origin);
  await signInButton(page).waitFor();
};

/** Longer than the pages take a token for a new one. */
export const tokenLifetimeMs = 15 * 60_000;

/** Sends a query on the search page. */
export const search = async (page: Page, query: string): Promise<void> => {
  await page.getByLabel('What are you looking for?').fill(query);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
};

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Axe {
  run(
    selector: string,
    options: object,
  ): Promise<{
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
  }>;
}

const colourRules = ['color-contrast', 'link-in-text-block'];

const optionsFor = {
  all: {},
  colours: { runOnly: colourRules },
  'all but colours': { rules: Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }])) },
};

/** The violations of these rules that axe-core finds in these elements of the current page, or on the whole page. */
export const violations = async (
  page: Page,
  rules: keyof typeof optionsFor = 'all',
  selector = 'html',
): Promise<readonly string[]> => {
  // Evaluated: the Content-Security-Policy of the page does not allow a script element.
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(axeSource);
  return page.evaluate(
    async ([selector, options]) => {
      const { violations } = await (globalThis as unknown as { readonly axe: Axe }).axe.run(selector, options);
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    },
    // Otherwise axe computes a selector for every element that passes a rule.
    [selector, { resultTypes: ['violations'], ...optionsFor[rules] }] as const,
  );
};

/**
 * Expects that the current page does not scroll horizontally at 1440, 720 and 320 pixels (without zoom, at 200 % and at 400 %),
 * and has no violations at 1440 and 320 pixels, in light and in dark colours. Only rules on colours run in dark, and only the
 * others at 320 pixels: colours do not depend on the width. The page keeps 320 pixels. On a long page, a selector of one element
 * of each kind limits the second and the third run to these.
 */
export const expectAccessible = async (page: Page, selector?: string): Promise<void> => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await expectToFit(page);
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page, 'colours', selector)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 720, height: 450 });
  await expectToFit(page);
  await page.setViewportSize({ width: 320, height: 900 });
  await expectToFit(page);
  expect(await violations(page, 'all but colours', selector)).toEqual([]);
};

/** Expects that the system colours of a high-contrast mode do not hide a text of the current page. */
export const expectForcedColours = async (page: Page): Promise<void> => {
  await page.emulateMedia({ forcedColors: 'active' });
  expect(await violations(page, 'colours')).toEqual([]);
  await page.emulateMedia({ forcedColors: null });
};

/** Expects that the page does not scroll horizontally. */
const expectToFit = async (page: Page): Promise<void> => {
  const widths = await page.evaluate<readonly [content: number, screen: number]>(
    '[document.scrollingElement.scrollWidth, innerWidth]',
  );
  expect(widths[0]).toBeLessThanOrEqual(widths[1]);
};

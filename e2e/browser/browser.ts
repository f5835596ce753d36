import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import type { Environment } from '@portico/demo/environment';
import { launchOptions } from './browser-process.ts';

/** `undefined` without a browser: tests that need one are skipped. */
export const browserEndpoint = inject('browserEndpoint');

/** Connects to the browser that all test files share (browser-process.ts). `close` ends the connection, not the browser. */
export const openBrowser = (): Promise<Browser> => chromium.connect(browserEndpoint!);

/** `undefined` without a complete Chromium: tests that need one are skipped. */
export const fullBrowser = inject('fullBrowser');

/** Starts a complete Chromium, which has a back/forward cache and a PDF viewer. `close` ends it. */
export const openFullBrowser = (): Promise<Browser> => chromium.launch(launchOptions(fullBrowser!));

export interface Look {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** With a clock that the test can advance. */
  readonly hasClock?: boolean;
}

export type Cookies = Parameters<BrowserContext['addCookies']>[0];

export type Visit = Awaited<ReturnType<typeof visit>>;

/**
 * Opens a page in a new browser context. The portal has no session; the provider has those of these cookies. `requests` are
 * recorded as method and URL.
 */
export const visit = async (
  browser: Browser,
  { portico }: Pick<Environment, 'portico'>,
  path = '/',
  { width = 1280, colorScheme = 'light', hasClock = false }: Look = {},
  cookies: Cookies = [],
) => {
  // Without animations, whose frames the processor would draw.
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
  await context.addCookies(cookies);
  if (hasClock) await context.clock.install();
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
  await page.goto(portico.url + path);
  return { page, context, requests, pageErrors, close: () => context.close() };
};

/** Signs in. If the provider has a session of the browser, it shows no page. */
export const signIn = async (page: Page, username: string): Promise<void> => {
  await signInButton(page).click();
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

const fillForm = async (page: Page, username: string): Promise<void> => {
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
  await page.getByRole('button', { name: 'Search' }).click();
};

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Axe {
  run(options: object): Promise<{
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
  }>;
}

/** The violations that axe-core finds on the current page, of all rules or of some. */
export const violations = async (page: Page, rules?: readonly string[]): Promise<readonly string[]> => {
  // Evaluated: the Content-Security-Policy of the page does not allow a script element.
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(axeSource);
  return page.evaluate(
    async (options) => {
      const { violations } = await (globalThis as unknown as { readonly axe: Axe }).axe.run(options);
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    },
    // Otherwise axe computes a selector for every element that passes a rule.
    { resultTypes: ['violations'], ...(rules && { runOnly: rules }) },
  );
};

/**
 * Expects no violations on the current page, in light and in dark colours. Only rules on colours run twice. At a second width
 * `violations` is enough: colours do not depend on the width.
 */
export const expectAccessible = async (page: Page): Promise<void> => {
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page, ['color-contrast', 'link-in-text-block'])).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
};

/** Expects that the page does not scroll horizontally. */
export const expectToFit = async (page: Page): Promise<void> => {
  const widths = await page.evaluate<readonly [content: number, screen: number]>(
    '[document.scrollingElement.scrollWidth, innerWidth]',
  );
  expect(widths[0]).toBeLessThanOrEqual(widths[1]);
};

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Environment, type EnvironmentOptions, startEnvironment } from '@portico/demo/environment';
import { pagesDirectory } from '@portico/demo/pages';
import {
  completeSignIn,
  type Look,
  closeBrowser,
  openBrowser,
  openTab,
  resetTab,
  signInButton,
  type Stored,
  storedBy,
  type Tab,
} from './browser.ts';

/** The pages of one `portico serve`, for the tests of one `describe`. */
export interface Pages {
  readonly environment: Environment;
  readonly browser: Browser;
  /** The tab of the current test. */
  readonly member: Tab;
  /** Opens a page as in a new browser. */
  open(path?: string, look?: PagesLook): Promise<Page>;
  /** Opens a page, and signs in as this user; after the first time as after a reload, if the session at the provider has not ended. */
  as(username: string, path?: string, look?: PagesLook): Promise<Page>;
}

interface PagesLook extends Look {
  /** With a clock that the test can advance. */
  readonly hasClock?: boolean;
}

export interface PagesOptions {
  /** Signs members in with browser sessions: a visit then takes one load. Default: false, as with bearer tokens. */
  readonly sessions?: boolean;
  /** Settings of `portico serve`, merged with those of the sandbox, section by section. */
  readonly settings?: Awaited<ReturnType<NonNullable<EnvironmentOptions['settings']>>>;
  /** Default: the browser that all test files share. */
  readonly openBrowser?: () => Promise<Browser>;
}

/**
 * Starts an environment and a browser before the tests of the enclosing `describe`, and closes them after the last one.
 * The tests share two tabs, one of them with a clock, which are reset before each page is opened. After each test, the pages
 * must not have reported an error.
 */
export const usePages = ({
  sessions = false,
  settings = {},
  openBrowser: open = openBrowser,
}: PagesOptions = {}): Pages => {
  let environment: Environment;
  let browser: Browser;
  let member: Tab | undefined;
  let tab: Tab | undefined;
  let tabWithClock: Tab | undefined;
  const signedIn = new Map<string, Stored>();
  beforeAll(async () => {
    const pages = { directory: pagesDirectory, ...settings['pages'] };
    [environment, browser] = await Promise.all([
      startEnvironment({ sessions, settings: () => ({ ...settings, pages }) }),
      open(),
    ]);
  });
  afterEach(({ task }) => {
    const used = member;
    member = undefined;
    // The page of a failed test may still be about to open another one.
    if (task.result?.state === 'fail') tab = tabWithClock = undefined;
    expect(used?.pageErrors ?? []).toEqual([]);
  });
  afterAll(async () => {
    await closeBrowser(browser);
    await environment.close();
  });
  const openTabWithClock = async (): Promise<Tab> => {
    const opened = await openTab(browser);
    await opened.context.clock.install();
    return opened;
  };
  const visit = async (path = '/', { hasClock = false, ...look }: PagesLook = {}, stored?: Stored): Promise<Tab> => {
    const visited = hasClock ? (tabWithClock ??= await openTabWithClock()) : (tab ??= await openTab(browser));
    await resetTab(visited, environment, look, stored);
    await visited.page.goto(environment.portico.url + path);
    return visited;
  };
  return {
    get environment() {
      return environment;
    },
    get browser() {
      return browser;
    },
    get member() {
      if (member === undefined) throw new Error('This test has not opened a page yet.');
      return member;
    },
    open: async (path, look) => {
      member = await visit(path, look);
      return member.page;
    },
    as: async (username, path, look) => {
      const stored = signedIn.get(username);
      member = await visit(path, look, stored);
      const { page } = member;
      // With bearer tokens, the pages sign in by themselves after the first time.
      if (stored === undefined || (sessions && (await isSignedOut(page)))) await signInButton(page).click();
      await completeSignIn(page, username);
      signedIn.set(username, await storedBy(member));
      return page;
    },
  };
};

/** Whether the pages show the sign-in page, for instance because an earlier test signed out. */
const isSignedOut = async (page: Page): Promise<boolean> => {
  await signInButton(page).or(page.getByRole('navigation')).waitFor();
  return signInButton(page).isVisible();
};

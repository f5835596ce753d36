import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Environment, type EnvironmentOptions, startEnvironment } from '@portico/demo/environment';
import { pagesDirectory } from '@portico/demo/pages';
import { type Cookies, type Look, openBrowser, signIn, type Visit, visit } from './browser.ts';

/** The pages of one `portico serve`, for the tests of one `describe`. */
export interface Pages {
  readonly environment: Environment;
  readonly browser: Browser;
  /** The latest visit of the current test. */
  readonly member: Visit;
  /** Opens a page in a new context, which is closed after the test. */
  open(path?: string, look?: Look): Promise<Page>;
  /** Opens a page, and signs in as this user; after the first time with the session at the provider, if it has not ended. */
  as(username: string, path?: string, look?: Look): Promise<Page>;
}

export interface PagesOptions {
  /** Settings of `portico serve`, merged with those of the sandbox, section by section. */
  readonly settings?: Awaited<ReturnType<NonNullable<EnvironmentOptions['settings']>>>;
  /** Default: the browser that all test files share. */
  readonly openBrowser?: () => Promise<Browser>;
}

/**
 * Starts an environment and a browser before the tests of the enclosing `describe`, and closes them after the last one.
 * After each test, the pages must not have reported an error.
 */
export const usePages = ({ settings = {}, openBrowser: open = openBrowser }: PagesOptions = {}): Pages => {
  let environment: Environment;
  let browser: Browser;
  let member: Visit | undefined;
  const sessions = new Map<string, Cookies>();
  beforeAll(async () => {
    const pages = { directory: pagesDirectory, ...settings['pages'] };
    [environment, browser] = await Promise.all([
      startEnvironment({ settings: () => ({ ...settings, pages }) }),
      open(),
    ]);
  });
  afterEach(async () => {
    const closing = member;
    member = undefined;
    await closing?.close();
    expect(closing?.pageErrors ?? []).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await environment.close();
  });
  const pages: Pages = {
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
      member = await visit(browser, environment, path, look);
      return member.page;
    },
    as: async (username, path, look) => {
      member = await visit(browser, environment, path, look, sessions.get(username));
      await signIn(member.page, username);
      sessions.set(username, await member.context.cookies());
      return member.page;
    },
  };
  return pages;
};

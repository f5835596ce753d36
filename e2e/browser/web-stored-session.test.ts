import { hasRedis, type Redis, startRedis } from '@portico/demo/cluster';
import { pagesDirectory } from '@portico/demo/pages';
import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type SessionPortal, startSessionPortal } from '../member/session-portal.ts';
import { browserPath, closeBrowser, openBrowser, signIn, signInButton, signOut } from './browser.ts';

const contactDetails = (tab: Page) => tab.getByRole('button', { name: 'Edit contact details' });

/** Lets time pass for the portal and the identity provider. It stays until the last test: tokens are not valid before it. */
const pass = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 * seconds });

describe.skipIf(browserPath === undefined || !hasRedis)('a browser with a session of Portico', () => {
  let redis: Redis;
  let portal: SessionPortal;
  let browser: Browser;
  let context: BrowserContext;
  /** The first tab of all tests. */
  let page: Page;
  /** Everything that scripts or the history of the browser could read. */
  const seen: string[] = [];
  const readings: Promise<void>[] = [];

  /** Assets that have been read: their URL contains a hash of their content. */
  const assets = new Set<string>();

  const read = async (response: Response): Promise<void> => {
    const url = response.url();
    if (assets.has(url)) return;
    const headers = Object.entries(await response.allHeaders()).filter(([name]) => name !== 'set-cookie');
    seen.push(JSON.stringify(headers));
    if (response.request().resourceType() === 'fetch') return;
    // A redirect has no body, and Chromium drops bodies with their page.
    seen.push(await response.text());
    if (url.startsWith(`${portal.url}/assets/`)) assets.add(url);
  };

  beforeAll(async () => {
    [redis, browser] = await Promise.all([startRedis(), openBrowser()]);
    portal = await startSessionPortal({ redisUrl: `redis://127.0.0.1:${redis.port}`, pages: pagesDirectory });
    context = await browser.newContext({ reducedMotion: 'reduce' });
    context.on('request', (request) => seen.push(request.url()));
    context.on('response', (response) => {
      if (response.url().startsWith(portal.url)) readings.push(read(response).catch(() => {}));
    });
    // Chromium does not keep all bodies that a script has read.
    await context.exposeBinding('recordFetched', (_, text: string) => void seen.push(text));
    await context.addInitScript(recordFetched);
    page = await context.newPage();
  });
  afterEach(async () => {
    for (const tab of context.pages())
      seen.push(
        await tab.evaluate<string>('JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])'),
      );
    for (const tab of context.pages()) if (tab !== page) await tab.close();
  });
  afterAll(async () => {
    vi.useRealTimers();
    await closeBrowser(browser);
    await portal.close();
    await redis.stop();
  });

  /** Opens a page as a member who is signed in. */
  const open = async (tab: Page, path: string): Promise<void> => {
    await tab.goto(portal.url + path);
    await tab.getByRole('navigation').or(signInButton(tab)).waitFor();
    if (await signInButton(tab).isVisible()) await signIn(tab, 'member-a');
  };

  const dashboard = () => page.getByText('Member ID');
  const signOutAtProvider = async (tab: Page): Promise<void> => {
    await tab.goto(`${portal.sandbox.identity.issuer}/protocol/openid-connect/logout?client_id=portico-portal`);
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByText('You are signed out').waitFor();
  };
  const ended = () => page.getByText('Your session has ended. Sign in again to continue where you were.');

  it('stays signed in after a reload and on a second tab', async () => {
    await open(page, '/');
    await dashboard().waitFor();
    await page.reload();
    await dashboard().waitFor();
    const second = await context.newPage();
    await second.goto(`${portal.url}/account`);
    await contactDetails(second).waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  it('stays signed in when the access token has expired, with a new one', async () => {
    await open(page, '/');
    const refreshes = portal.sandbox.identity.issued('refresh_token');
    pass(1000);
    await page.getByRole('link', { name: 'Account' }).click();
    await contactDetails(page).waitFor();
    expect(portal.sandbox.identity.issued('refresh_token')).toBe(refreshes + 1);
  });

  it('shows nothing of the member after the idle time', async () => {
    await open(page, '/');
    await dashboard().waitFor();
    pass(1801);
    await page.getByRole('link', { name: 'Account' }).click();
    await ended().waitFor();
    expect(await page.getByText('Sample Member A').count()).toBe(0);
  });

  it('shows nothing of the member after a logout that the identity provider reports', async () => {
    await open(page, '/');
    await dashboard().waitFor();
    const provider = await context.newPage();
    await signOutAtProvider(provider);
    await page.getByRole('link', { name: 'Account' }).click();
    await ended().waitFor();
    expect(await page.getByText('Sample Member A').count()).toBe(0);
  });

  it('shows nothing of the member as soon as another one signs in on another tab', async () => {
    await open(page, '/account');
    await contactDetails(page).waitFor();
    const second = await context.newPage();
    await signOutAtProvider(second);
    await second.goto(portal.url);
    await signIn(second, 'member-b');
    await signInButton(page).waitFor();
    expect(await page.getByText('Sample Member A').count()).toBe(0);
    await second.getByText('Welcome, Sample Member B').waitFor();
    await signOut(second);
  });

  it('does not repeat the search of an ended session for another member', async () => {
    await open(page, '/search?q=insulin');
    await page.getByLabel('What are you looking for?').waitFor();
    await signOutAtProvider(await context.newPage());
    await page.getByRole('link', { name: 'Account' }).click();
    await ended().waitFor();
    await page.goBack();
    await signIn(page, 'member-b');
    await page.getByText('Welcome, Sample Member B').waitFor();
    expect(page.url()).toBe(`${portal.url}/`);
    await signOut(page);
  });

  it('signs out on every tab, and then reports why a sign-in fails', async () => {
    await open(page, '/');
    const second = await context.newPage();
    await second.goto(`${portal.url}/account`);
    await contactDetails(second).waitFor();
    await signOut(page);
    await signInButton(second).waitFor();
    expect(await second.getByText('Sample Member A').count()).toBe(0);
    await page.goto(`${portal.url}/session/callback?code=unknown&state=unknown`);
    await page.getByText('The sign-in took too long').waitFor();
    expect(page.url()).toBe(`${portal.url}/`);
  });

  it('has received no token: in no response, URL, storage or cookie that scripts can read', async () => {
    // Chromium drops a body with its page, so this page stays until its bodies have been read.
    await open(page, '/');
    await page.getByText('Sample Choice PPO 1500').first().waitFor();
    await page.evaluate('Promise.all(recordings)');
    await Promise.all(readings);
    const { tokens } = portal.sandbox.identity;
    const text = seen.join('\n');
    expect(tokens.size).toBeGreaterThan(8);
    expect(text).toContain('Sample Choice PPO 1500');
    expect(text).toContain('"portico:member"');
    // A signature, or an opaque token.
    expect([...tokens].filter((token) => text.includes(token.split('.').at(-1)!))).toEqual([]);
  });
});

/** Runs in the browser: records the body of each response that a script fetches. `recordings` end when this is done. */
const recordFetched = `
  const { fetch } = window;
  window.recordings = [];
  window.fetch = async (...request) => {
    const response = await fetch(...request);
    window.recordings.push(response.clone().text().then(window.recordFetched).catch(() => {}));
    return response;
  };
`;

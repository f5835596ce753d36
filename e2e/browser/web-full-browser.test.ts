import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { fullBrowser, openFullBrowser, signIn, signOut, tokenLifetimeMs } from './browser.ts';
import { usePages } from './pages.ts';

// These tests have a browser of their own, because the one that the other files share may be without these features.
describe.skipIf(fullBrowser === undefined)('the pages in a browser with a back/forward cache and a PDF viewer', () => {
  const pages = usePages({ openBrowser: openFullBrowser });

  /** Goes back this many times. Each page of the portal must be the sign-in page; a tab begins on `/livez`. */
  const expectNothingInHistory = async (page: Page, times: number): Promise<void> => {
    for (let back = 1; back <= times; back++) {
      // Fails while the browser restores a document from its cache.
      await expect.poll(() => page.goBack({ waitUntil: 'commit' }).then(() => 'back')).toBe('back');
      await expect
        .poll(() => page.evaluate('location.href + (document.querySelector("main.sign-in") ? " signed out" : "")'))
        .toMatch(new RegExp(`^(?!${pages.environment.portico.url}/)| signed out$|/livez$`));
      expect(await page.getByText('Sample Member A').count()).toBe(0);
    }
  };

  it('are tested with a cache that is in use', async () => {
    const page = await pages.open('/docs');
    await page.evaluate('globalThis.isFromCache = true');
    await page.goto(pages.environment.sandbox.identity.issuer + '/.well-known/openid-configuration');
    await page.goBack({ waitUntil: 'commit' });
    await expect.poll(() => page.evaluate('globalThis.isFromCache === true').catch(() => 'restoring')).toBe(true);
  });

  it('shows no member data after Back following a sign-out', async () => {
    const page = await pages.open();
    await signIn(page, 'member-a');
    await page.getByText('Member ID').waitFor();
    await page.goto(`${pages.environment.portico.url}/preferences`);
    await page.getByRole('switch', { name: 'Text message' }).waitFor();
    await signOut(page);
    await expectNothingInHistory(page, 6);
  });

  it('shows no member data after Back following an expired token and a sign-out', async () => {
    const page = await pages.open('/', { hasClock: true });
    await signIn(page, 'member-a');
    await page.getByText('Member ID').waitFor();
    await page.clock.fastForward(tokenLifetimeMs);
    await page.route(/\/me\/preferences$/, (route) => route.fulfill({ status: 401 }), { times: 1 });
    await page.getByRole('link', { name: 'Preferences' }).click();
    await page.getByRole('switch', { name: 'Text message' }).waitFor();
    await signOut(page);
    await expectNothingInHistory(page, 6);
  });

  it('opens a document as a PDF in a new tab, and keeps it until the member signs out', async () => {
    const page = await pages.as('member-a', '/', { hasClock: true });
    const [pdf, response] = await Promise.all([
      pages.member.context.waitForEvent('page'),
      page.waitForResponse(/\/me\/documents\/DOC-EOB-1001-05$/),
      page.getByRole('button', { name: /Open PDF.*Physical Therapy/ }).click(),
    ]);
    expect(response.headers()['content-type']).toBe('application/pdf');
    await expect.poll(() => pdf.url()).toMatch(/^blob:http/);
    expect(page.url()).toBe(`${pages.environment.portico.url}/`);
    await page.clock.runFor(120_000);
    await pdf.reload();
    const closed = pdf.waitForEvent('close');
    await signOut(page);
    await closed;
  });
});

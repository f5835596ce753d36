import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, expectAccessible, type Tab, violations } from './browser.ts';
import { usePages } from './pages.ts';

describe.skipIf(browserPath === undefined)('the pages for costs, the ID card, documents and notifications', () => {
  const pages = usePages();
  let member: Tab;

  // All tests share one visit.
  beforeAll(async () => {
    await pages.as('member-a', '/', { hasClock: true });
    ({ member } = pages);
    // A response that arrived after the clock was advanced would be kept, and a test could not replace it.
    await member.page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await member.page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  });

  afterEach(async () => {
    await member.page.unrouteAll();
    await member.page.emulateMedia({ media: null });
    expect(member.pageErrors).toEqual([]);
  });

  /** Follows a link in the navigation or in the header, after the cached responses have expired. */
  const open = async (link: string | RegExp): Promise<Page> => {
    const { page } = member;
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('link', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Search' }).waitFor();
    await page.clock.fastForward(cacheLifetimeMs);
    await page.getByRole('banner').or(page.getByRole('navigation')).getByRole('link', { name: link }).click();
    return page;
  };

  /** Replaces the response of a path. */
  const respond = (path: string, json: unknown): Promise<unknown> =>
    member.page.route(new RegExp(`/me/${path}(\\?|$)`), (route) =>
      route.fulfill({ body: JSON.stringify(json), contentType: 'application/json' }),
    );

  it('show copays, the numbers for the pharmacy, and what is left of the limits of the member and of the family', async () => {
    const page = await open('Costs');
    await page.getByRole('row', { name: 'Primary care visit $25.00' }).waitFor();
    await page.getByText('SMPRX1').waitFor();
    const deductible = (whose: string) => page.getByRole('meter', { name: `Deductible, ${whose}, In your network` });
    expect(await deductible('For you').getAttribute('aria-valuetext')).toBe('$1,500.00 of $1,500.00');
    await page.getByText('Your plan now shares the cost of covered care.').waitFor();
    await page.getByRole('link', { name: 'For your family' }).click();
    expect(await deductible('For your family').getAttribute('aria-valuetext')).toBe('$2,140.00 of $3,000.00');
    expect(new URL(page.url()).search).toBe('?for=family');
    await expectAccessible(page);
  });

  it('copy a number of the ID card, and print only the card', async () => {
    await member.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await open('ID card');
    const front = page.getByRole('region', { name: 'Front of the card' });
    await front.getByText('SMP100100101').waitFor();
    await page.getByRole('button', { name: /Copy.*Member ID/ }).click();
    await page.getByText('Copied: Member ID').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('SMP100100101');
    await page.getByRole('button', { name: /Open PDF.*ID card/ }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByText('Copied: Member ID').waitFor({ state: 'detached' });
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('body').innerText()).toMatch(/^Member portal\s+PPO\s+Member\s+Sample Member A/);
    expect(await page.getByRole('heading').allInnerTexts()).toEqual(['Copays', 'Coinsurance']);
  });

  it('warn of coverage that is not active, and leave out what the service did not send', async () => {
    await respond('coverage', { status: 'cancelled', memberId: 'M-1' });
    const page = await open('ID card');
    await page.getByText('This coverage is not active.').waitFor();
    expect(await page.getByRole('button', { name: /^Copy/ }).allInnerTexts()).toEqual([
      expect.stringMatching(/Member ID$/),
    ]);
    await page.getByRole('link', { name: 'Costs' }).click();
    await page.getByText('Your plan lists no copays and no coinsurance.').waitFor();
    await page.getByText('Your plan lists no pharmacy numbers.').waitFor();
  });

  it('keep the rest of the ID card page when the coverage has another shape', async () => {
    await respond('coverage', { memberId: 'M-1', pharmacy: { bin: {} } });
    const page = await open('ID card');
    await page.getByText('This cannot be shown.').nth(1).waitFor();
    await page.getByRole('button', { name: /Open PDF.*ID card/ }).waitFor();
  });

  it.each([
    ['coverage', { copays: {} }, 'Costs', 'What you pay for care'],
    ['coverage', { copays: [{ service: {}, amount: 5 }] }, 'Costs', 'What you pay for care'],
    ['accumulators', null, 'Costs', 'Deductible and out-of-pocket maximum'],
    ['documents', { documents: [null] }, 'Documents', 'Your documents'],
    ['documents', { documents: [null] }, 'ID card', 'Card as a PDF'],
    ['notifications', { notifications: 5 }, /^Notifications/, 'Your notifications'],
    ['notifications/log', { log: {} }, /^Notifications/, 'Messages we sent you'],
  ])('show an error on one card for a response of another shape: %s %j', async (path, json, link, card) => {
    await respond(path, json);
    const page = await open(link);
    await page.getByRole('region', { name: card }).getByText('This cannot be shown.').waitFor();
    // The header keeps the notifications of the test before until they are read again.
    await expect.poll(() => page.getByRole('alert').count()).toBe(1);
  });

  it('list the documents of a type, and keep the filter in the URL', async () => {
    const page = await open('Documents');
    const list = page.getByRole('region', { name: 'Your documents' });
    await list.getByText('7 documents').waitFor();
    await list.getByRole('link', { name: 'Explanation of benefits' }).click();
    await list.getByText('5 documents').waitFor();
    expect(await list.getByRole('button').count()).toBe(5);
    expect(new URL(page.url()).search).toBe('?type=eob');
    await expectAccessible(page);
  });

  it('offer all documents when none matches both filters', async () => {
    const documents = [
      { locator: 'D1', type: 'eob', title: 'EOB', date: '2026-01-01' },
      { locator: 'D2', type: 'letter', title: 'A letter', date: '2025-01-01' },
    ];
    await respond('documents', { documents });
    const page = await open('Documents');
    await page.getByRole('link', { name: 'Letter' }).click();
    await page.getByText('1 document', { exact: true }).waitFor();
    await page.getByRole('link', { name: '2026' }).click();
    await page.getByText('No document matches both filters.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Show all documents' }).click();
    await page.getByText('2 documents').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
  });

  it('report messages that did not arrive', async () => {
    const log = [
      { id: 'L1', channel: 'email', to: 'm***a@example.com', status: 'bounced', sentAt: '2026-01-02', template: 'x-y' },
    ];
    await respond('notifications/log', { log });
    const page = await open(/^Notifications/);
    await page.getByText('Email to m***a@example.com: the message of Jan 2, 2026 did not arrive.').waitFor();
    await page.getByRole('row', { name: /X y Email .* Returned/ }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('count unread notifications until the member has read them, also after a reload', async () => {
    const page = await open('Notifications, 2 unread');
    await page.getByRole('row', { name: /Claim denied Text message .* Delivered/ }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /Mark as read.*We are reviewing/ }).click();
    const bell = page.getByRole('banner').getByRole('link', { name: 'Notifications' });
    await expect.poll(() => bell.innerText()).toContain('1 unread');
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'))
      .toContain('We are reviewing your claim');
    await page.getByRole('button', { name: 'Mark all as read' }).press('Enter');
    await page.getByText('All notifications are marked as read.').waitFor();
    expect(await page.getByText('New', { exact: true }).count()).toBe(0);
    await page.reload();
    await page.getByRole('heading', { name: 'A claim was denied' }).waitFor();
    expect(await bell.innerText()).not.toContain('unread');
  });
});

/** Longer than the pages keep a response that none of them shows. */
const cacheLifetimeMs = 5 * 60_000 + 1;

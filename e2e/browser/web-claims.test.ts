import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserPath, expectAccessible, expectForcedColours, violations } from './browser.ts';
import { fillClaim } from './claim-form.ts';
import { focused } from './keyboard.ts';
import { usePages } from './pages.ts';

describe.skipIf(browserPath === undefined)('the claims pages', () => {
  const pages = usePages({ sessions: true });

  const file = async (username: string, claim: object) => {
    const request = await pages.environment.as(username);
    const headers = { 'content-type': 'application/json' };
    expect((await request('/me/claims', { method: 'POST', headers, body: JSON.stringify(claim) })).status).toBe(201);
  };

  it('list the claims newest first, and keep the page of the list over reload and Back', async () => {
    for (const day of Array.from({ length: 10 }, (_, index) => String(index + 10)))
      await file('member-c', { type: 'vision', serviceDates: { from: `2026-07-${day}` }, billedAmount: 20 });
    const page = await pages.as('member-c', '/claims');
    await page.getByText('Claims 1 to 10').waitFor();
    const days = await page.locator('tbody .date').allInnerTexts();
    expect(days).toEqual(Array.from({ length: 10 }, (_, index) => `Jul ${19 - index}, 2026`));
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByText('Claims 11 to 12').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('claims-list');
    await page.reload();
    await page.getByText('Claims 11 to 12').waitFor();
    await page.getByRole('row', { name: /CLM-1003-01/ }).click();
    await page.getByRole('heading', { name: 'Claim CLM-1003-01' }).waitFor();
    await page.goBack();
    await page.getByText('Claims 11 to 12').waitFor();
  });

  it('filter the list by status in the URL, and show when there is no such claim', async () => {
    const page = await pages.as('member-a', '/claims?status=denied');
    await page.getByRole('link', { name: 'Example Physical Therapy' }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByRole('link', { name: 'Received', exact: true }).click();
    await page.getByText('You have no claims with this status.').waitFor();
    expect(new URL(page.url()).search).toBe('?status=received');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Show all claims' }).click();
    await page.getByRole('link', { name: 'Example Imaging Center' }).waitFor();
    await expect.poll(() => focused(page)).toBe('Claims');
    await expectAccessible(page);
    await expectForcedColours(page);
  });

  it('explain what the member pays for a claim, and open its explanation of benefits', async () => {
    const page = await pages.as('member-a', '/claims/CLM-1001-02');
    const costs = page.getByRole('region', { name: 'What you pay' });
    await costs.getByText('$674.00').first().waitFor();
    const amounts = await costs.locator('dd').allInnerTexts();
    expect(amounts).toEqual(['$1,320.00', '−$301.40', '−$344.60', '$674.00', '$580.00', '$50.00', '$44.00']);
    expect(await page.getByRole('listitem').filter({ hasText: 'Processed' }).innerText()).toContain('Mar 20, 2026');
    const pdf = page.waitForResponse(/\/me\/documents\/DOC-EOB-1001-02$/);
    await page.getByRole('button', { name: 'Open PDF' }).click();
    expect((await pdf).status()).toBe(200);
    await expect.poll(() => focused(page)).toMatch(/^Open/);
    await expectAccessible(page);
    await page.emulateMedia({ media: 'print' });
    expect(await costs.isVisible()).toBe(true);
    expect(await page.getByRole('link', { name: 'All claims' }).isVisible()).toBe(false);
  });

  it('show a page for a claim that does not exist', async () => {
    const page = await pages.as('member-a', '/claims/CLM-1002-01');
    await page.getByRole('heading', { name: 'Claim not found' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'All claims' }).click();
    await page.getByRole('heading', { name: 'Claims', exact: true }).waitFor();
    await page.route('**/me/claims/*', (route) => route.fulfill({ status: 204 }));
    await page.getByRole('region', { name: 'All claims' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Claim not found' }).waitFor();
  });

  it('show a submitted claim that has no provider by its kind and amount', async () => {
    await file('member-b', { type: 'dental', amount: 84.5 });
    const page = await pages.as('member-b');
    const claim = page.getByRole('region', { name: 'Recent claims' }).getByRole('listitem').first();
    await claim.getByText('Dental claim').waitFor();
    const words = (await claim.innerText()).split(/\s*\n\s*/);
    expect([words[0], words[1]]).toEqual(['Dental claim', expect.stringMatching(/^CLM-NEW-\d+$/)]);
    expect(words).toContain('Billed 84.5');
    await claim.getByRole('link').click();
    await page.getByRole('region', { name: 'What you pay' }).getByText('84.5').waitFor();
  });

  it('report all errors of a claim at once, in the fields and above the form', async () => {
    const page = await pages.as('member-a', '/claims/new');
    await page.getByRole('button', { name: 'Submit claim' }).click();
    const summary = page.getByRole('alert');
    const errors = [
      'Select the kind of care',
      'Enter the name of the provider',
      'Enter the date of care',
      'Enter the amount of the invoice',
    ];
    expect(await summary.getByRole('link').allInnerTexts()).toEqual(errors);
    expect(await page.locator('form [id$="-error"]').allInnerTexts()).toEqual(errors);
    await expect.poll(() => summary.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await expectAccessible(page);
    await expectForcedColours(page);
    await summary.getByRole('link', { name: 'Enter the name of the provider' }).press('Enter');
    await page.keyboard.type('Example Dentist');
    expect(await summary.getByRole('link').count()).toBe(3);
  });

  it('file a claim once, although the first response is lost and the page is reloaded', async () => {
    const page = await pages.as('member-a', '/claims/new');
    const keys = recordKeys(page);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.route(
      /\/me\/claims$/,
      async (route) => {
        if (route.request().method() !== 'POST') return route.fallback();
        await route.fetch();
        return route.abort();
      },
      { times: 1 },
    );
    await fillClaim(page);
    await page.getByRole('button', { name: 'Submit claim' }).click();
    await page.getByText('We do not know whether your claim has arrived').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByText('We do not know whether the claim that you submitted last has arrived.').waitFor();
    await fillClaim(page);
    await page.getByRole('button', { name: 'Submit claim' }).dblclick();
    await page.getByRole('heading', { name: 'Claim submitted' }).waitFor();
    const number = await page.locator('.claim-number').innerText();
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'All claims' }).click();
    await page.getByRole('row', { name: new RegExp(number) }).waitFor();
    expect(await page.getByRole('link', { name: 'Example Dentist' }).count()).toBe(1);
    expect(await page.evaluate('sessionStorage.getItem("portico:claim-submissions")')).toBeNull();
  });

  it('do not report a claim as not submitted when its first response is lost and the next attempt is refused', async () => {
    const page = await pages.as('member-a', '/claims/new');
    const outcomes = ['lost', 'refused'];
    await page.route(/\/me\/claims$/, (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      return outcomes.shift() === 'lost' ? route.abort() : route.fulfill({ status: 429 });
    });
    await fillClaim(page);
    await page.getByRole('button', { name: 'Submit claim' }).click();
    await page.getByRole('alert').getByText('Cannot reach the server.').waitFor();
    await page.getByRole('button', { name: 'Submit claim' }).click();
    await page.getByRole('alert').getByText('The server returned an error.').waitFor();
    await page.getByRole('alert').getByText('We do not know whether your claim has arrived').waitFor();
    expect(await page.getByText('Your claim was not submitted').count()).toBe(0);
  });

  it('keep the next claim that the member is entering when the one before is filed late', async () => {
    const page = await pages.as('member-a', '/claims/new');
    const released = Promise.withResolvers<void>();
    await page.route(/\/me\/claims$/, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await released.promise;
      await route.continue();
    });
    await fillClaim(page);
    await page.getByRole('button', { name: 'Submit claim' }).click();
    await page.getByRole('button', { name: 'Submitting' }).waitFor();
    await page.getByRole('link', { name: 'Claims', exact: true }).first().click();
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Submit a claim' }).click();
    await fillClaim(page);
    released.resolve();
    await expect.poll(() => page.evaluate('sessionStorage.getItem("portico:claim-submissions")')).toBeNull();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('button', { name: 'Stay on this page' }).click();
    expect(await page.getByLabel('Name of the provider').inputValue()).toBe('Example Dentist');
    expect(new URL(page.url()).pathname).toBe('/claims/new');
  });

  it('submit the claim of a dependent for the dependent, not for the subscriber', async () => {
    const page = await pages.as('member-b', '/claims');
    await page.route(/\/me\/coverage$/, (route) =>
      route.fulfill({ json: { subscriber: { name: 'Sample Subscriber', relationship: 'child' }, dependents: [] } }),
    );
    await page.getByRole('main').getByRole('link', { name: 'Submit a claim' }).click();
    await fillClaim(page);
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/me/claims'));
    await page.getByRole('button', { name: 'Submit claim' }).click();
    expect((await sent).postDataJSON()).toMatchObject({ patient: { name: 'Sample Member B', relationship: 'child' } });
    await page.getByRole('heading', { name: 'Claim submitted' }).waitFor();
  });

  it('confirm a claim that is recorded later without a link to it', async () => {
    const page = await pages.as('member-a', '/claims/new');
    await page.route(/\/me\/claims$/, (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 202, json: {} }) : route.fallback(),
    );
    await fillClaim(page);
    await page.getByRole('button', { name: 'Submit claim' }).click();
    await page.getByRole('heading', { name: 'Claim on its way' }).waitFor();
    expect(await page.getByRole('link', { name: 'View the claim' }).count()).toBe(0);
  });
});

/** The idempotency keys of the claims that a page submits. */
const recordKeys = (page: Page): readonly (string | undefined)[] => {
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/me/claims'))
      keys.push(request.headers()['idempotency-key']);
  });
  return keys;
};

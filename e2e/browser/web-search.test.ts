import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserPath, search, violations } from './browser.ts';
import { usePages } from './pages.ts';

const moa = 'Welfare schemes';
const mh = 'Health retail';

/** The line of one network. */
const line = (page: Page, network: string) =>
  page.getByRole('region', { name: 'Networks' }).getByRole('listitem').filter({ hasText: network });

describe.skipIf(browserPath === undefined)('the search page', () => {
  const pages = usePages({ sessions: true });

  it('shows the offers of the faster network while the slower one is pending', async () => {
    await pages.environment.sandbox.search.moa.setBehaviour({ delayMs: [6000, 6000] });
    const page = await pages.as('member-a', '/search');
    await search(page, 'health');
    // One condition: the test may be slower than the second network.
    await page
      .getByRole('main')
      .filter({ has: page.getByRole('region', { name: 'Offers' }).getByText('Pulse oximeter') })
      .filter({ has: line(page, moa).getByText('Waiting for a response …') })
      .waitFor();
    await page.getByRole('region', { name: 'Offers' }).getByText('Family Health Cover').waitFor();
    expect(await line(page, mh).innerText()).toContain('9 offers');
    expect(await line(page, mh).innerText()).not.toMatch(/ ms|[0-9a-f-]{36}/);
    await line(page, mh).getByText('Details').click();
    expect(await line(page, mh).innerText()).toMatch(/Transaction\s+[0-9a-f-]{36}/);
  });

  it('sorts and filters the offers of both networks, and keeps the view in the URL', async () => {
    await pages.environment.sandbox.search.moa.setBehaviour({ delayMs: [0, 0] });
    const page = await pages.as('member-a', '/search');
    await search(page, 'health');
    await page.getByText('12 offers from 2 networks.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Search');
    const offers = page.getByRole('region', { name: 'Offers' });
    await offers.getByLabel('Sort by').selectOption('Lowest price');
    await offers.getByRole('listitem').first().getByText('Oral rehydration salts').waitFor();
    await offers.getByLabel('Network').selectOption(moa);
    await offers.getByText('3 of 12 offers').waitFor();
    await offers.getByLabel('Filter').fill('health COVER');
    await offers.getByText('1 of 12 offers').waitFor();
    await page.waitForURL(/filter=health\+COVER/);
    await page.reload();
    await offers.getByText('1 of 12 offers').waitFor();
    expect(await offers.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('Family Health Cover'),
    ]);
    expect(new URL(page.url()).search).toBe('?q=health&sort=price&network=moa&filter=health+COVER');
    await search(page, 'oximeter');
    await page.waitForURL(/q=oximeter/);
    // The page of the second search: its URL comes first.
    await expect.poll(() => offers.getByLabel('Filter').inputValue()).toBe('');
    await page.goBack();
    await offers.getByText('1 of 12 offers').waitFor();
    expect(await page.getByLabel('What are you looking for?').inputValue()).toBe('health');
    expect(await violations(page)).toEqual([]);
    // A choice of personas, which the form has if there are several.
    await page.route('**/config.json', async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        json: { ...((await response.json()) as object), personas: ['member', 'agent'] },
      });
    });
    await page.reload();
    const persona = page.getByLabel('Search as');
    await persona.selectOption('agent');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.waitForURL(/as=agent/);
    await expect.poll(() => offers.getByLabel('Filter').inputValue()).toBe('');
    await page.goBack();
    await expect.poll(() => persona.inputValue()).toBe('member');
  });

  it('keeps the offers that have arrived when the member cancels', async () => {
    await pages.environment.sandbox.search.moa.setBehaviour({ fault: 'silent' });
    const page = await pages.as('member-a', '/search?q=health');
    await line(page, mh).getByText('9 offers').waitFor();
    await page.getByRole('button', { name: 'Cancel search' }).click();
    await page.getByText('The search was cancelled. 9 offers arrived before.').waitFor();
    expect(await line(page, moa).innerText()).toContain('Not finished');
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search');
    await pages.environment.sandbox.search.moa.setBehaviour({ fault: null });
  });

  it('requires a query', async () => {
    const page = await pages.as('member-a', '/search');
    await search(page, '  ');
    await page.getByText('Enter what you are looking for').waitFor();
    expect(pages.member.requests.filter(({ url }) => url.endsWith('/api/search'))).toEqual([]);
    expect(await violations(page)).toEqual([]);
  });

  it('shows one network when the other does not respond in time, with the reason', async () => {
    await pages.environment.sandbox.search.mh.setBehaviour({ fault: 'nack' });
    const page = await pages.as('member-a', '/search');
    // The response to a timeout, without waiting for one.
    await page.route('**/api/search', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('bap_unreachable', 'timeout') });
    });
    await search(page, 'health');
    await line(page, mh).getByText('Did not respond in time').waitFor();
    await page.getByRole('region', { name: 'Offers' }).getByText('Family Health Cover').waitFor();
    await page.getByText('3 offers from 1 network. 1 network did not respond in time.').waitFor();
    expect(await violations(page)).toEqual([]);
    await pages.environment.sandbox.search.mh.setBehaviour({ fault: null });
  });
});

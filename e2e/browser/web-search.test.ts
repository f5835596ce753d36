import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserEndpoint, search, violations } from './browser.ts';
import { usePages } from './pages.ts';

const moa = 'Welfare schemes, called directly';
const mh = 'Health retail, via adapter and gateway';

/** The line of one network. */
const line = (page: Page, network: string) =>
  page.getByRole('region', { name: 'Networks' }).getByRole('listitem').filter({ hasText: network });

describe.skipIf(browserEndpoint === undefined)('the search page', () => {
  const pages = usePages({ settings: { search: { timeoutMs: 60_000, ackTimeoutMs: 60_000 } } });

  it('shows the offers of the faster network while the slower one is pending', async () => {
    await pages.environment.sandbox.search.moa.setBehaviour({ delayMs: [2000, 2000] });
    const page = await pages.as('member-a', '/search');
    await search(page, 'health');
    // One condition: the test may be slower than the second network.
    await page
      .getByRole('main')
      .filter({ has: page.getByRole('region', { name: 'Offers' }).getByText('Pulse oximeter') })
      .filter({ has: line(page, moa).getByText('Waiting …') })
      .waitFor();
    await page.getByRole('region', { name: 'Offers' }).getByText('Family Health Cover').waitFor();
    expect(await line(page, mh).innerText()).toMatch(/\d+ ms, 9 offers/);
    await line(page, mh).getByText('Raw response').click();
    expect(await line(page, mh).innerText()).toMatch(/Transaction [0-9a-f-]{36}/);
  });

  it('sorts and filters the offers of both networks', async () => {
    await pages.environment.sandbox.search.moa.setBehaviour({ delayMs: [0, 0] });
    const page = await pages.as('member-a', '/search');
    await search(page, 'health');
    await page.getByText('2 of 2 networks responded.').waitFor({ state: 'attached' });
    const offers = page.getByRole('region', { name: 'Offers' });
    await offers.getByLabel('Sort by').selectOption('Lowest price');
    expect(await offers.getByRole('listitem').first().innerText()).toContain('Oral rehydration salts');
    await offers.getByLabel('Filter').fill('health COVER');
    await offers.getByText('1 of 12 offers').waitFor();
    expect(await offers.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('Family Health Cover'),
    ]);
    expect(await violations(page)).toEqual([]);
  });
});

describe.skipIf(browserEndpoint === undefined)('the search page when a network does not respond', () => {
  // Long enough for the other network, also on a busy machine.
  const pages = usePages({ settings: { search: { timeoutMs: 5000 } } });

  it('shows one network when the other fails, with the reason', async () => {
    await pages.environment.sandbox.search.mh.setBehaviour({ fault: 'silent' });
    const page = await pages.as('member-a', '/search');
    await search(page, 'health');
    await line(page, mh).getByText('This network did not respond in time').waitFor();
    await page.getByRole('region', { name: 'Offers' }).getByText('Family Health Cover').waitFor();
    await page.getByText('1 of 2 networks responded.').waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
  });
});

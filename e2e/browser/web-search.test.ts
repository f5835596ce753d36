import { describe, expect, it } from 'vitest';
import { browserEndpoint, search, violations } from './browser.ts';
import { usePages } from './pages.ts';

const moa = 'Welfare schemes, called directly';
const mh = 'Health retail, via adapter and gateway';

describe.skipIf(browserEndpoint === undefined)('the search page', () => {
  const pages = usePages({ settings: { search: { timeoutMs: 60_000, ackTimeoutMs: 60_000 } } });

  it('shows the faster network while the slower one is pending', async () => {
    await pages.environment.sandbox.search.moa.setBehaviour({ delayMs: [2000, 2000] });
    const page = await pages.as('member-a', '/search');
    await search(page, 'health');
    // One condition: the test may be slower than the second network.
    await page
      .getByRole('main')
      .filter({ has: page.getByRole('region', { name: mh }).getByText('Pulse oximeter') })
      .filter({ has: page.getByRole('region', { name: moa }).getByText('Waiting for this network') })
      .waitFor();
    await page.getByRole('region', { name: moa }).getByText('Family Health Cover').waitFor();
    expect(await page.getByRole('region').getByRole('heading').allInnerTexts()).toEqual([mh, moa]);
    expect(await page.getByRole('figure').getByRole('listitem').count()).toBe(2);
    expect(await page.getByRole('region', { name: moa }).innerText()).toMatch(/\d+ ms · [0-9a-f-]{36}/);
  });
});

describe.skipIf(browserEndpoint === undefined)('the search page when a network does not respond', () => {
  // Long enough for the other network, also on a busy machine.
  const pages = usePages({ settings: { search: { timeoutMs: 5000 } } });

  it('shows one network when the other fails, with the reason', async () => {
    await pages.environment.sandbox.search.mh.setBehaviour({ fault: 'silent' });
    const page = await pages.as('member-a', '/search');
    await search(page, 'health');
    await page.getByRole('region', { name: mh }).getByText('This network did not respond in time').waitFor();
    await page.getByRole('region', { name: moa }).getByText('Family Health Cover').waitFor();
    await page.getByText('1 of 2 networks responded.').waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
  });
});

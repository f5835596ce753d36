import { describe, expect, it } from 'vitest';
import { browserPath } from './browser.ts';
import { usePages } from './pages.ts';

describe.skipIf(browserPath === undefined)('the pages when Portico serves only claims and consent', () => {
  const pages = usePages({
    settings: {
      downstreams: { eligibility: undefined, documents: undefined, policy: undefined, notifications: undefined },
    },
  });

  it('shows only the cards of these services, without any error', async () => {
    const page = await pages.as('member-a');
    await page.getByRole('region', { name: 'Recent claims' }).getByText('Example Orthopedic Group').first().waitFor();
    expect(await page.getByRole('region').count()).toBe(1);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('region', { name: 'Consent' }).getByText('share', { exact: false }).first().waitFor();
    expect(await page.getByRole('region').count()).toBe(1);
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

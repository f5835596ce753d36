import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesDirectory } from '@portico/demo/pages';
import { type Environment, startEnvironment } from '@portico/demo/environment';
import { browserEndpoint, openBrowser, signIn, visit } from './browser.ts';

describe.skipIf(browserEndpoint === undefined)('the pages when Portico serves only claims and consent', () => {
  let environment: Environment;
  let browser: Browser;

  beforeAll(async () => {
    const absent = { eligibility: undefined, documents: undefined, policy: undefined, notifications: undefined };
    [environment, browser] = await Promise.all([
      startEnvironment({ settings: () => ({ pages: { directory: pagesDirectory }, downstreams: absent }) }),
      openBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await environment.close();
  });

  it('shows only the cards of these services, without any error', async () => {
    const member = await visit(browser, environment);
    const { page } = member;
    await signIn(page, 'member-a');
    await page.getByRole('region', { name: 'Recent claims' }).getByText('Example Orthopedic Group').first().waitFor();
    expect(await page.getByRole('region').count()).toBe(1);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('region', { name: 'Consent' }).getByText('share', { exact: false }).first().waitFor();
    expect(await page.getByRole('region').count()).toBe(1);
    expect(await page.getByRole('alert').count()).toBe(0);
    await member.close();
  });
});

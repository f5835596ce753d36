import type { Page } from 'playwright-core';

/** Fills in a claim without sending it. */
export const fillClaim = async (page: Page): Promise<void> => {
  await page.getByLabel('Dental').check();
  await page.getByLabel('Name of the provider').fill('Example Dentist');
  await page.getByLabel('Date of care').fill('2026-06-30');
  await page.getByLabel('Amount of the invoice').fill('84.50');
};

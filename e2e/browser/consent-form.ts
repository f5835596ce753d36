import type { Locator, Page } from 'playwright-core';

/** The choice of a consent on the account page. */
export const consentChoice = (page: Page, purpose: string, choice: 'Yes' | 'No'): Locator =>
  page.getByRole('group', { name: purpose }).getByLabel(`${choice}, I`);

/** Saves the choices, and confirms them. */
export const saveConsent = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Save consent' }).click();
  await page.getByRole('dialog', { name: 'Change your consent?' }).getByRole('button', { name: 'Confirm' }).click();
};

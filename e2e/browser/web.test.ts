import type { Locator } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import {
  browserPath,
  expectAccessible,
  expectForcedColours,
  search,
  signIn,
  signInButton,
  violations,
} from './browser.ts';
import { consentChoice, saveConsent } from './consent-form.ts';
import { focused, tabThrough } from './keyboard.ts';
import { usePages } from './pages.ts';

describe.skipIf(browserPath === undefined)('the web pages', () => {
  const pages = usePages({ sessions: true });

  afterEach(async () => {
    const { claims, notifications } = pages.environment.sandbox.services;
    await Promise.all([claims.setFault(null), notifications.setFault(null)]);
  });

  const requests = (method: string) =>
    pages.member.requests.filter((request) => request.method === method && /\/me[/?]/.test(request.url));

  it('shows the next unread notification after Dismiss, and none after the last one, also after a reload', async () => {
    const page = await pages.as('member-a');
    const banner = page.getByRole('complementary', { name: 'Newest notification' });
    await banner.getByRole('heading', { name: 'We are reviewing your claim' }).waitFor();
    await page.getByRole('link', { name: 'Notifications, 2 unread' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await banner.getByRole('heading', { name: 'A claim was denied' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Dismiss');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Welcome, Sample Member A');
    await page.reload();
    await page.getByText('You have no new notifications.').waitFor();
    expect(await page.getByRole('complementary').count()).toBe(0);
  });

  it('shows an error on one card when a service is down, with the reference in the log, and the data after a retry', async () => {
    await pages.environment.sandbox.services.claims.setFault({ kind: 'status', status: 500 });
    const page = await pages.as('member-a');
    const claims = page.getByRole('region', { name: 'Recent claims' });
    await claims.getByText('This is currently unavailable. Try again in a few minutes.').waitFor();
    expect(await claims.getByRole('alert').innerText()).toContain('contact us and give this reference.');
    await page.getByRole('region', { name: 'Documents' }).getByText('Explanation of benefits').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    const reference = await claims.getByRole('alert').locator('.mono').innerText();
    expect(reference).toMatch(/^[0-9a-f-]{36}$/);
    await expect.poll(() => pages.environment.log()).toContain(reference);
    expect(await violations(page)).toEqual([]);
    await pages.environment.sandbox.services.claims.setFault(null);
    await claims.getByRole('button', { name: /Try again/ }).click();
    await claims.getByText('Example Orthopedic Group').first().waitFor();
    // The button was removed with its focus.
    await expect.poll(() => claims.evaluate((card) => card === card.ownerDocument.activeElement)).toBe(true);
  });

  it('changes a preference on save, and shows the change after a reload', async () => {
    const page = await pages.as('member-a', '/preferences');
    const sms = page.getByRole('switch', { name: 'Text message' });
    expect(await sms.isChecked()).toBe(true);
    await sms.click();
    expect(requests('PUT')).toEqual([]);
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await page.getByText('Saved.').waitFor();
    expect(requests('PUT').map(({ body }) => JSON.parse(body ?? '') as unknown)).toEqual([
      { email: true, sms: false, push: false, claimsUpdates: true, billingAlerts: true, enrollmentReminders: false },
    ]);
    await page.reload();
    await sms.waitFor();
    expect(await sms.isChecked()).toBe(false);
  });

  it('requires confirmation before leaving with unsaved changes, and sends nothing without a save', async () => {
    const page = await pages.as('member-b', '/preferences');
    await page.getByRole('switch', { name: 'Push notification' }).click();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Stay on this page' }).click();
    expect(new URL(page.url()).pathname).toBe('/preferences');
    expect(await page.getByRole('switch', { name: 'Push notification' }).isChecked()).toBe(false);
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await dialog.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await page.goBack();
    await page.getByRole('switch', { name: 'Push notification' }).waitFor();
    expect(await page.getByRole('switch', { name: 'Push notification' }).isChecked()).toBe(true);
    expect([...requests('PUT'), ...requests('PATCH'), ...requests('POST')]).toEqual([]);
  });

  it('requires confirmation before signing out with unsaved changes, and shows who is signed in', async () => {
    const page = await pages.as('member-b', '/preferences');
    await page.getByText('Sample Member B').first().waitFor();
    await page.getByRole('switch', { name: 'Push notification' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay on this page' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.origin !== pages.environment.portico.url);
  });

  it('requires confirmation also when a busy browser handles leaving directly after the change', async () => {
    const page = await pages.as('member-b', '/preferences');
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    const clickBoth = async (next: Locator) => {
      const handles = [page.getByRole('switch', { name: 'Email' }), next].map((locator) => locator.elementHandle());
      await page.evaluate(
        async (elements) => {
          for (const element of elements) {
            (element as unknown as { click(): void }).click();
            await Promise.resolve(); // as between two events: microtasks run, other tasks do not
          }
        },
        await Promise.all(handles),
      );
    };
    for (const next of [page.getByRole('link', { name: 'Account' }), page.getByRole('button', { name: 'Sign out' })]) {
      await clickBoth(next);
      await dialog.getByRole('button', { name: 'Stay on this page' }).click();
      await page.getByRole('button', { name: 'Discard' }).click();
    }
  });

  it('moves the focus to what the member needs next, and shows it, when only the keyboard is used', async () => {
    const page = await pages.as('member-b', '/preferences');
    await page.emulateMedia({ forcedColors: 'active' });
    const focus = () => focused(page);
    const email = page.getByRole('switch', { name: 'Email' });
    await email.waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(focus).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
    await page.keyboard.press('Tab');
    await expect.poll(focus).toBe('Claims updates');
    const before = await email.isChecked();
    await email.press('Enter');
    expect(await email.isChecked()).toBe(!before);
    await page.getByRole('link', { name: 'Account' }).press('Enter');
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    await expect.poll(focus).toBe('Stay on this page');
    await page.keyboard.press('Escape');
    await expect.poll(focus).toBe('Account');
    await page.getByRole('button', { name: 'Discard' }).press('Enter');
    expect(await email.isChecked()).toBe(before);
    await expect.poll(focus).toBe('Save preferences');
    await email.press('Space');
    await email.press('Space');
    expect(requests('PUT')).toEqual([]);
    await page.getByRole('link', { name: 'Account' }).press('Enter');
    const edit = page.getByRole('button', { name: 'Edit contact details' });
    await edit.waitFor();
    await consentChoice(page, 'Marketing', 'Yes').waitFor();
    await expect.poll(focus).toBe('Account');
    expect(await tabThrough(page)).toBeGreaterThan(5);
    await edit.press('Enter');
    await expect.poll(focus).toMatch(/^Email/);
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await expect.poll(focus).toBe('Edit contact details');
  });

  it('shows preferences that were never set as not chosen, and saves only what the member chooses', async () => {
    const page = await pages.as('member-c', '/preferences');
    await page.getByText('You have not chosen your preferences yet.').waitFor();
    expect(await page.getByRole('radio').count()).toBe(12);
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Save preferences' }).click();
    const summary = page.getByRole('alert');
    expect(await summary.getByRole('link').allInnerTexts()).toHaveLength(6);
    await summary.getByRole('link', { name: 'Choose on or off for Text message' }).click();
    await page.keyboard.press('Space');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Use the suggestion' }).click();
    await page.getByRole('group', { name: 'Billing alerts' }).getByLabel('Off').click();
    expect(requests('PUT')).toEqual([]);
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await page.getByText('Saved.').waitFor();
    expect(requests('PUT').map(({ body }) => JSON.parse(body ?? '') as unknown)).toEqual([
      { email: true, sms: false, push: false, claimsUpdates: true, billingAlerts: false, enrollmentReminders: true },
    ]);
    expect(await page.getByRole('switch', { name: 'Email' }).isChecked()).toBe(true);
    expect(await page.getByText('You have not chosen your preferences yet.').count()).toBe(0);
  });

  it('shows which topic is sent by which channel', async () => {
    const page = await pages.as('member-b', '/preferences');
    const row = page.getByRole('row', { name: 'Claims updates' });
    await row.waitFor();
    for (const name of ['Email', 'Text message', 'Push notification'])
      await page.getByRole('switch', { name }).setChecked(name === 'Push notification');
    await page.getByRole('switch', { name: 'Claims updates' }).setChecked(true);
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['No', 'No', 'Yes']);
    await page.getByRole('switch', { name: 'Push notification' }).setChecked(false);
    await page.getByRole('status').getByText('All channels are off, so you get no notifications.').waitFor();
  });

  it('reports a failed save, and keeps the edits for another attempt', async () => {
    const page = await pages.as('member-b', '/preferences');
    await page.getByRole('switch', { name: 'Email' }).click();
    await pages.environment.sandbox.services.notifications.setFault({ kind: 'status', status: 500 });
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await page.getByText('Not saved. This is currently unavailable.').waitFor();
    expect(await violations(page)).toEqual([]);
    await pages.environment.sandbox.services.notifications.setFault(null);
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await page.getByText('Saved.').waitFor();
  });

  it('shows every error of the contact details at once, and sends nothing before they are corrected', async () => {
    const page = await pages.as('member-b', '/account');
    await page.getByRole('button', { name: 'Edit contact details' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill('own@example');
    await page.getByRole('textbox', { name: 'Phone' }).fill('abc');
    await page.getByLabel('City').fill('');
    await page.getByRole('button', { name: 'Save contact details' }).click();
    const summary = page.getByRole('alert');
    expect(await summary.getByRole('link').count()).toBe(3);
    await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('alert');
    expect(await violations(page)).toEqual([]);
    await summary.getByRole('link', { name: 'Enter your city' }).click();
    await page.keyboard.type('Example Heights');
    expect(await page.getByLabel('City').inputValue()).toBe('Example Heights');
    expect(requests('PATCH')).toEqual([]);
  });

  it('withdraws a granted consent once the member confirms it', async () => {
    const page = await pages.as('member-a', '/account');
    await page.getByRole('group', { name: 'Electronic delivery' }).getByText('You agreed on Jan 3, 2026').waitFor();
    await consentChoice(page, 'Electronic delivery', 'No').click();
    await page.getByRole('button', { name: 'Save consent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change your consent?' });
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
      'Electronic delivery: you withdraw your consent.',
    ]);
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(requests('PUT')).toEqual([]);
    await saveConsent(page);
    await page.getByRole('group', { name: 'Electronic delivery' }).getByText('You withdrew your consent').waitFor();
    const [sent] = requests('PUT').map(({ body }) => JSON.parse(body ?? '') as { consents: readonly object[] });
    expect(sent?.consents).toContainEqual(
      expect.objectContaining({ purpose: 'electronic-delivery', state: 'withdrawn' }),
    );
    expect(sent?.consents).toContainEqual(expect.objectContaining({ purpose: 'research', state: 'denied' }));
  });

  it('fit into 320 and 1440 pixels without axe violations, in light, dark and forced colours', async () => {
    const page = await pages.open();
    await signInButton(page).waitFor();
    await expectAccessible(page);
    await signIn(page, 'member-a');
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'More' }).click();
    expect(await violations(page, 'all but colours')).toEqual([]);
    // Wide enough for all links of the navigation.
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Edit contact details' }).click();
    await page.getByRole('radio').first().waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('link', { name: 'Preferences' }).click();
    await page.getByRole('switch').first().waitFor();
    await expectAccessible(page);
    await expectForcedColours(page);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('link', { name: 'Search' }).click();
    await search(page, 'health');
    await page.getByText('12 offers from 2 networks.').waitFor();
    for (const details of await page.getByText('Details').all()) await details.click();
    await expectAccessible(page);
  });
});

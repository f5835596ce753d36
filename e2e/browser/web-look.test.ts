import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserPath, violations } from './browser.ts';
import { holdParts } from './member-parts.ts';
import { usePages } from './pages.ts';

/** Waits until the page has loaded the files of the account page, which it does when it is idle. */
const hasOtherPages = (page: Page) =>
  // A function: after a string was false, the Content-Security-Policy blocks its next evaluation.
  page.waitForFunction(() => {
    const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
    return [/account-page.*js/, /account-page.*css/, /en-pages.*js/].every((file) =>
      loaded.some((name) => file.test(name)),
    );
  });

/** How many of these elements take space on the page. */
const visibleCount = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).evaluateAll((all) => all.filter((one) => one.offsetHeight > 0).length);

describe.skipIf(browserPath === undefined)('the look of the pages', () => {
  const pages = usePages({ sessions: true });

  it('shows whether a switch is on in words, and in light and dark high-contrast mode', async () => {
    const page = await pages.as('member-a', '/preferences');
    const sms = page.getByRole('switch', { name: 'Text message' });
    const row = page.locator('.switch', { has: sms });
    const words = { true: 'On', false: 'Off' };
    for (const isOn of [!(await sms.isChecked()), await sms.isChecked()]) {
      await sms.click();
      expect(await row.locator('.state').innerText()).toBe(words[`${isOn}`]);
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ forcedColors: 'active', colorScheme });
      const look = await picturesOf(sms);
      expect(await differingShare(page, look.on, look.off), colorScheme).toBeGreaterThan(0.2);
    }
  });

  it('prints the content without navigation, buttons and switches', async () => {
    const page = await pages.as('member-a');
    const claims = page.getByRole('region', { name: 'Recent claims' }).getByRole('listitem').first();
    await claims.waitFor();
    await page.getByText('Member ID').waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await claims.isVisible()).toBe(true);
    expect(await page.getByText('Member ID').isVisible()).toBe(true);
    expect(await visibleCount(page, 'nav, button')).toBe(0);
    await page.emulateMedia({ media: null });
    await page.getByRole('link', { name: 'Preferences' }).click();
    await page.getByRole('switch', { name: 'Text message' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.switch .state').first().isVisible()).toBe(true);
    expect(await visibleCount(page, '.switch input')).toBe(0);
  });

  it.each([
    ['member-a', [360, 1280]],
    ['member-b', [1280]],
  ])(
    'shifts the layout by less than 0.05 while cards load, for %s at widths of %j pixels',
    async (username, widths) => {
      const page = await pages.as(username);
      // Otherwise the first visit may still request them, or wait for parts that are held.
      await hasOtherPages(page);
      for (const width of widths) await expectFewShifts(page, width);
    },
  );

  /** Reloads the page at this width. */
  const expectFewShifts = async (page: Page, width: number): Promise<void> => {
    await page.setViewportSize({ width, height: 900 });
    const slow = await holdParts(page, pages.environment.portico.url, ['claims', 'coverage', 'notifications']);
    const requestsBefore = pages.member.requests.length;
    await page.reload();
    await page.getByText('Benefit period').waitFor();
    await page.getByRole('region', { name: 'Documents' }).getByRole('listitem').first().waitFor();
    await page.evaluate(recordShifts);
    const otherPages = () => pages.member.requests.slice(requestsBefore).filter(({ url }) => /account-page/.test(url));
    // Their scripts would delay the cards.
    expect(otherPages()).toEqual([]);
    slow.release();
    await page.getByText('Member ID').waitFor();
    await page.getByRole('complementary', { name: 'Newest notification' }).waitFor();
    await page.getByRole('region', { name: 'Recent claims' }).getByRole('listitem').first().waitFor();
    expect(await page.evaluate<number>(shiftsSoFar)).toBeLessThan(0.05);
    await expect.poll(otherPages).not.toEqual([]);
  };

  it('reports in each card and on the page that the browser is offline', async () => {
    const page = await pages.as('member-a');
    await hasOtherPages(page);
    await pages.member.context.setOffline(true);
    await page.getByRole('status').getByText(offline).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Account' }).click();
    for (const name of ['Contact details', 'Consent'])
      await page.getByRole('region', { name }).getByRole('alert').getByText(offline).waitFor();
    await pages.member.context.setOffline(false);
    await page.getByRole('status').getByText(offline).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /Try again.*Contact details/ }).click();
    await page.getByRole('button', { name: 'Edit contact details' }).waitFor();
  });

  it('reports a save while offline at once', async () => {
    const page = await pages.as('member-a', '/preferences');
    const sms = page.getByRole('switch', { name: 'Text message' });
    await sms.click();
    await pages.member.context.setOffline(true);
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await page.getByText(`Not saved. ${offline}`).waitFor();
  });
});

const offline = 'You are offline. Check your internet connection.';

/** Screenshots of one switch in both states, without the focus ring. */
const picturesOf = async (toggle: Locator) => {
  const picture = async (isOn: boolean) => {
    await toggle.setChecked(isOn);
    await toggle.blur();
    await toggle.page().mouse.move(0, 0);
    return toggle.screenshot();
  };
  return { on: await picture(true), off: await picture(false) };
};

/** The share of pixels inside the border that differ clearly between two pictures of the same size. */
const differingShare = (page: Page, one: Buffer, other: Buffer): Promise<number> =>
  page.evaluate(comparePictures, [one.toString('base64'), other.toString('base64')] as const);

declare const createImageBitmap: (blob: Blob) => Promise<{ readonly width: number; readonly height: number }>;
declare const OffscreenCanvas: new (width: number, height: number) => { getContext(kind: '2d'): Drawing };
interface Drawing {
  drawImage(image: unknown, x: number, y: number): void;
  getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
}

/** Runs in the browser. */
const comparePictures = async (pictures: readonly [string, string]): Promise<number> => {
  const [one, other] = await Promise.all(
    pictures.map(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0)!);
      const image = await createImageBitmap(new Blob([bytes]));
      const { width, height } = image;
      const drawing = new OffscreenCanvas(width, height).getContext('2d');
      drawing.drawImage(image, 0, 0);
      const border = 4;
      return drawing.getImageData(border, border, width - 2 * border, height - 2 * border).data;
    }),
  );
  let differing = 0;
  for (let at = 0; at < one!.length; at += 4)
    if ([0, 1, 2].some((channel) => Math.abs(one![at + channel]! - other![at + channel]!) > 64)) differing++;
  return differing / (one!.length / 4);
};

const recordShifts = `
  window.shifts = 0;
  window.shiftObserver = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
  });
  window.shiftObserver.observe({ type: 'layout-shift', buffered: true });
`;

/** Two frames later, so that the last change is drawn. */
const shiftsSoFar = `
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
    for (const entry of window.shiftObserver.takeRecords()) if (!entry.hadRecentInput) window.shifts += entry.value;
    resolve(window.shifts);
  })))
`;

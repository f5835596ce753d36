import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Tab, violations } from './browser.ts';
import { replacePart } from './member-parts.ts';
import { usePages } from './pages.ts';

const claim = { locator: 'CLM-1', status: 'paid', currency: 'USD', billedAmount: 10, provider: { name: 'A clinic' } };
const document = { locator: 'DOC-1', title: 'ID card', date: '2026-01-01' };
const notification = { id: 'NTF-1', title: 'News', body: 'Text', createdAt: '2026-01-01T00:00:00Z' };

const claims = 'Recent claims';
const cannotBeShown = 'This cannot be shown.';

/** Part of `GET /me`, its body, name of the card, and what it shows. */
const shapes = [
  ['claims', { claims: null }, claims, cannotBeShown],
  ['claims', { claims: 5 }, claims, cannotBeShown],
  ['claims', { claims: [null] }, claims, cannotBeShown],
  ['claims', { claims: {} }, claims, cannotBeShown],
  ['claims', { claims: [{ ...claim, status: 5 }] }, claims, cannotBeShown],
  ['claims', { claims: [{ ...claim, status: {} }] }, claims, cannotBeShown],
  ['claims', { claims: [{ ...claim, provider: { name: {} } }] }, claims, cannotBeShown],
  ['claims', { claims: [{ ...claim, currency: 'XX' }] }, claims, 'Billed 10'],
  ['claims', { claims: [{ ...claim, currency: {} }] }, claims, 'Billed 10'],
  ['claims', { claims: [{ ...claim, billedAmount: '10' }] }, claims, 'Billed –'],
  ['coverage', null, 'Coverage', cannotBeShown],
  ['accumulators', null, 'What is left to pay', cannotBeShown],
  ['accumulators', {}, 'What is left to pay', 'No limits apply.'],
  ['documents', { documents: {} }, 'Documents', cannotBeShown],
  ['documents', { documents: [{ ...document, date: {} }] }, 'Documents', cannotBeShown],
  ['notifications', { notifications: null }, undefined, cannotBeShown],
  ['notifications', { notifications: [{ ...notification, title: {} }] }, undefined, cannotBeShown],
] as const;

describe.skipIf(browserPath === undefined)('the dashboard when a response has another shape', () => {
  const pages = usePages();
  let member: Tab;

  // All tests share one visit, because each changes only responses.
  beforeAll(async () => {
    await pages.as('member-a', '/', { hasClock: true });
    ({ member } = pages);
    // A response that arrived after the clock was advanced would be kept, and the first test would not request another one.
    for (const [title, text] of otherCards)
      await member.page.getByRole('region', { name: title }).getByText(text).first().waitFor();
  });
  afterEach(() => member.page.unrouteAll());

  /** Follows a link after the cached responses have expired, which takes less processor time than a reload. */
  const openAnew = async (name: string): Promise<void> => {
    await member.page.getByRole('link', { name: 'Search' }).click();
    await member.page.getByRole('heading', { name: 'Search' }).waitFor();
    await member.page.clock.fastForward(cacheLifetimeMs);
    await member.page.getByRole('link', { name }).click();
  };

  /** Replaces the response of a path. */
  const respond = async (path: string, json: unknown): Promise<void> => {
    await member.page.route(new RegExp(`${path}(\\?|$)`), (route) =>
      route.fulfill({ body: JSON.stringify(json), contentType: 'application/json' }),
    );
  };

  it.each(shapes)('shows an error at most on its own card: %s %j', async (part, json, name, text) => {
    const { page } = member;
    await replacePart(page, part, json);
    await openAnew('Dashboard');
    const card = name === undefined ? page.locator('.banner-place') : page.getByRole('region', { name });
    await card.getByText(text).first().waitFor();
    for (const other of otherCards.filter(([title]) => title !== name))
      await page.getByRole('region', { name: other[0] }).getByText(other[1]).first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(text === cannotBeShown ? 1 : 0);
    expect(await page.getByRole('navigation').isVisible()).toBe(true);
    expect(await page.locator('body').innerText()).not.toMatch(
      /TypeError|RangeError|\bat \w+ \(|Unexpected Application/,
    );
    expect(member.pageErrors).toEqual([]);
  });

  it('shows the data once the service sends it in the usual shape', async () => {
    const { page } = member;
    await replacePart(page, 'claims', { claims: null });
    await openAnew('Dashboard');
    const card = page.getByRole('region', { name: claims });
    await card.getByText(cannotBeShown).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.unrouteAll();
    await card.getByRole('button', { name: /Try again/ }).click();
    await card.getByText('Example Orthopedic Group').first().waitFor();
  });

  it.each([
    ['profile', { emails: 5 }, 'Contact details'],
    ['consent', { consents: [null] }, 'Consent'],
  ])('shows the error of an account card on that card: %s %j', async (path, json, name) => {
    const { page } = member;
    await respond(`/me/${path}`, json);
    await openAnew('Account');
    for (const title of ['Contact details', 'Consent'])
      await page
        .getByRole('region', { name: title })
        .getByText(title === name ? cannotBeShown : usual[title]!)
        .first()
        .waitFor();
  });

  it('keeps the other pages available when a page cannot be rendered', async () => {
    const { page } = member;
    const config = (await (await fetch(`${pages.environment.portico.url}/config.json`)).json()) as object;
    await respond('/config.json', { ...config, personas: [{}, {}] });
    await page.goto(`${pages.environment.portico.url}/search`);
    await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByText('Member ID').waitFor();
    expect(member.pageErrors).toEqual([]);
  });
});

/** Longer than the pages keep a response that none of them shows. */
const cacheLifetimeMs = 5 * 60_000 + 1;

const otherCards = [
  ['Coverage', 'Member ID'],
  [claims, 'Example Orthopedic Group'],
  ['What is left to pay', 'Benefit period'],
  ['Documents', 'Explanation of benefits'],
] as const;

const usual: Readonly<Record<string, string>> = {
  'Contact details': 'Edit contact details',
  Consent: 'Electronic delivery',
};

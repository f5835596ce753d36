import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  browserPath,
  fillForm,
  search,
  signIn,
  signInButton,
  signOut,
  submitSignIn,
  tokenLifetimeMs,
} from './browser.ts';
import { fillClaim } from './claim-form.ts';
import { consentChoice } from './consent-form.ts';
import { usePages } from './pages.ts';

/** The wait begins before the click: the address has the code only until the pages have read it. */
const signInAgain = (page: Page) =>
  Promise.all([
    page.waitForURL((url) => url.searchParams.has('code')),
    page.getByRole('button', { name: 'Sign in again' }).first().click(),
  ]);

describe.skipIf(browserPath === undefined)('a session in a browser', () => {
  const pages = usePages();

  it('signs a member in, shows the dashboard, and stores no token in the browser', async () => {
    const page = await pages.as('member-a');
    // Each part of the dashboard arrives by itself, so the test waits for each.
    await page
      .getByRole('complementary', { name: 'Newest notification' })
      .getByText('We are reviewing your claim')
      .first()
      .waitFor();
    await page.getByRole('region', { name: 'Coverage' }).getByText('Sample Choice PPO 1500').waitFor();
    expect(
      await page.getByRole('meter', { name: 'Deductible, For your family, in network' }).getAttribute('aria-valuetext'),
    ).toBe('$2,140.00 of $3,000.00');
    const claims = page.getByRole('region', { name: 'Recent claims' }).getByRole('listitem');
    await claims.first().waitFor();
    expect(await claims.count()).toBe(5);
    const paths = pages.member.requests.map(({ url }) => new URL(url).pathname);
    expect(paths.filter((path) => /^\/me(\/(coverage|accumulators|claims|documents))?$/.test(path))).toEqual(['/me']);
    expect(new URL(page.url()).search).toBe('');
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(stored).not.toMatch(/eyJ|access_token/);
  });

  it('sends requests only to Portico and the identity provider', async () => {
    const page = await pages.as('member-a', '/search');
    await search(page, 'health');
    await page.getByText('offers from 2 networks.').waitFor();
    const hosts = new Set(pages.member.requests.map(({ url }) => new URL(url).origin));
    expect([...hosts].toSorted()).toEqual(
      [new URL(pages.environment.sandbox.identity.issuer).origin, pages.environment.portico.url].toSorted(),
    );
  });

  it('ends in every open tab when it ends in one', async () => {
    const page = await pages.as('member-a');
    const other = await pages.member.context.newPage();
    await other.goto(`${pages.environment.portico.url}/preferences`);
    await signInButton(other).click();
    await other.getByRole('switch', { name: 'Text message' }).waitFor();
    await signOut(page);
    await signInButton(other).waitFor();
    expect(await other.getByText('Sample Member A').count()).toBe(0);
    await other.reload();
    await signInButton(other).waitFor();
  });

  it('leaves neither the URL nor the title of a page when it ends in another tab', async () => {
    const page = await pages.as('member-a', '/claims/CLM-1001-02');
    await page.getByRole('heading', { name: 'Claim CLM-1001-02' }).waitFor();
    const other = await pages.member.context.newPage();
    await other.goto(pages.environment.portico.url);
    await signIn(other, 'member-a');
    await signOut(other);
    await signInButton(page).waitFor();
    await expect.poll(() => page.title()).toBe('Sign in · Member portal');
    expect(page.url()).toBe(`${pages.environment.portico.url}/`);
  });

  it('revokes the refresh token and clears the storage of the tab when it ends', async () => {
    const page = await pages.as('member-a');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    const revoked = page.waitForResponse(
      (response) => response.url().endsWith('/revoke') && /refresh_token/.test(response.request().postData() ?? ''),
    );
    await signOut(page);
    expect((await revoked).status()).toBe(200);
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual(['portico:member']);
  });

  it('ends even if the provider refuses to revoke tokens', async () => {
    const page = await pages.as('member-a');
    await page.route(/revoke$/, (route) => route.fulfill({ status: 503 }));
    await signOut(page);
  });

  it('informs the member when the provider has no page for sign-out', async () => {
    const page = await pages.open();
    await page.route(/openid-configuration$/, async (route) => {
      const response = await route.fetch();
      const { end_session_endpoint: _removed, ...json } = (await response.json()) as Record<string, unknown>;
      await route.fulfill({ response, json });
    });
    await page.reload();
    await signIn(page, 'member-a');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signInButton(page).waitFor();
    await page.getByText('You are signed out here, but your sign-in provider may still have a session.').waitFor();
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual(['portico:member']);
  });

  it('survives a reload after a failed sign-in and a second attempt', async () => {
    const page = await pages.open('/preferences');
    await page.route(/\/token$/, (route) => route.fulfill({ status: 500 }), { times: 1 });
    await submitSignIn(page, 'member-a');
    await page.getByText('Sign-in failed. Please try again.').waitFor();
    await expect.poll(() => page.url()).toBe(`${pages.environment.portico.url}/preferences`);
    await signInButton(page).click();
    await page.getByRole('switch', { name: 'Text message' }).waitFor();
    expect(page.url()).toBe(`${pages.environment.portico.url}/preferences`);
    await page.reload();
    await page.getByRole('switch', { name: 'Text message' }).waitFor();
  });

  it('starts on the dashboard when the member signs in on the sign-out page', async () => {
    const page = await pages.open('/sign-out');
    await signIn(page, 'member-a');
    await page.getByText('Member ID').waitFor();
    expect(page.url()).toBe(`${pages.environment.portico.url}/`);
  });

  it('starts on every load of the pages without waiting for time to pass', async () => {
    const page = await pages.open('/', { hasClock: true });
    // The timers of the page no longer fire.
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.reload();
    await signInButton(page).waitFor();
    await page.clock.resume();
  });

  it('adds no sign-out page to the history', async () => {
    const page = await pages.as('member-a', '/account');
    const before = await page.evaluate<number>('history.length');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.origin !== pages.environment.portico.url);
    expect(await page.evaluate<number>('history.length')).toBe(before + 1);
  });

  it('redirects to the provider once when several requests are refused at the same time', async () => {
    const page = await pages.as('member-a', '/', { hasClock: true });
    await page.getByText('Member ID').waitFor();
    await page.getByRole('link', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Search', exact: true }).waitFor();
    await page.clock.fastForward(tokenLifetimeMs);
    const states = () =>
      page.evaluate<number>('Object.keys(sessionStorage).filter((key) => key.startsWith("oidc.")).length');
    expect(await states()).toBe(0);
    await page.route(/\/me\/(profile|consent)$/, (route) => route.fulfill({ status: 401 }), {
      times: 2,
    });
    await page.getByRole('link', { name: 'Account' }).click();
    await consentChoice(page, 'Marketing', 'No').waitFor();
    expect(await states()).toBe(0);
  });

  it('signs in again once for an expired token, and not for the token after it', async () => {
    const page = await pages.as('member-a', '/', { hasClock: true });
    await page.getByText('Member ID').waitFor();
    await page.clock.fastForward(tokenLifetimeMs);
    await page.route(/\/me\//, (route) => route.fulfill({ status: 401 }));
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByText('You are signed in, but this service does not accept your sign-in.').waitFor();
    expect(pages.member.requests.filter(({ url }) => url.includes('code_challenge='))).toHaveLength(2);
  });

  /** Edits the contact details and a consent, and saves one of them with an expired token. */
  const saveAfterExpiry = async (city: string) => {
    const page = await pages.as('member-b', '/account');
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type());
      void dialog.accept();
    });
    await page.getByRole('button', { name: 'Edit contact details' }).click();
    await page.getByLabel('City').fill(city);
    const marketing = consentChoice(page, 'Marketing', 'Yes');
    await marketing.click();
    await page.route(/\/me\/profile$/, (route) => route.fulfill({ status: 401 }), { times: 1 });
    await page.getByRole('button', { name: 'Save contact details' }).click();
    await page.getByText('Your session has ended. Sign in again to save.').first().waitFor();
    const drafts = () => page.evaluate<string | null>('sessionStorage.getItem("portico:drafts")');
    return { page, marketing, dialogs, drafts };
  };

  it('does not sign in again by itself when the provider issues a token that has expired', async () => {
    const page = await pages.open();
    const tokens: unknown[] = [];
    await page.route(/\/token$/, async (route) => {
      const response = await route.fetch();
      tokens.push(response.status());
      await route.fulfill({ response, json: { ...((await response.json()) as object), expires_in: 0 } });
    });
    await submitSignIn(page, 'member-a');
    await page.waitForURL((url) => url.origin === pages.environment.portico.url && !url.searchParams.has('code'));
    await signInButton(page).waitFor();
    expect(tokens).toEqual([200]);
  });

  it('keeps unsaved edits when it ends during a save, and restores them after sign-in', async () => {
    const { page, marketing, dialogs, drafts } = await saveAfterExpiry('Example Heights');
    expect(await page.getByLabel('City').inputValue()).toBe('Example Heights');
    expect(await drafts()).toBeNull();
    await signInAgain(page);
    await expect.poll(() => page.getByLabel('City').inputValue()).toBe('Example Heights');
    expect(await marketing.isChecked()).toBe(true);
    expect([await drafts(), dialogs, new URL(page.url()).pathname]).toEqual([null, [], '/account']);
    await page.getByRole('button', { name: 'Save contact details' }).click();
    await page.getByText(/Example Heights/).waitFor();
    expect(pages.member.requests.flatMap(({ method, body }) => (method === 'PATCH' ? [body] : []))).toEqual(
      Array.from({ length: 2 }, () => '{"address":{"city":"Example Heights"}}'),
    );
  });

  it('keeps what the member entered when it ends during the submission of a claim, and restores it after sign-in', async () => {
    const page = await pages.as('member-a', '/claims/new');
    await page.route(/\/me\/claims$/, (route) => route.fulfill({ status: 401 }), { times: 1 });
    await fillClaim(page);
    await page.getByRole('button', { name: 'Submit claim' }).click();
    await page.getByText('Your session has ended. Sign in again to submit the claim.').waitFor();
    await signInAgain(page);
    await expect.poll(() => page.getByLabel('Name of the provider').inputValue()).toBe('Example Dentist');
    expect(await page.getByLabel('Date of care').inputValue()).toBe('2026-06-30');
    expect(new URL(page.url()).pathname).toBe('/claims/new');
  });

  it('removes the edits of a member when another member signs in', async () => {
    const { page, drafts } = await saveAfterExpiry('Example Hills');
    // The provider has forgotten the member.
    await pages.member.context.clearCookies();
    await page.getByRole('button', { name: 'Sign in again' }).first().click();
    await fillForm(page, 'member-a');
    await page.getByText('Member ID').waitFor();
    expect(page.url()).toBe(`${pages.environment.portico.url}/`);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Edit contact details' }).waitFor();
    expect(await page.getByLabel('City').count()).toBe(0);
    expect(await drafts()).toBeNull();
    expect(await page.getByText('Example Hills').count()).toBe(0);
  });

  it('removes unsaved edits when it ends in another tab', async () => {
    const { page } = await saveAfterExpiry('Example Falls');
    const other = await pages.member.context.newPage();
    await other.goto(`${pages.environment.portico.url}/`);
    await signInButton(other).click();
    await other.getByText('Member ID').waitFor();
    await signOut(other);
    await signInButton(page).waitFor();
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual(['portico:member']);
    expect(await page.getByLabel('City').count()).toBe(0);
  });
});

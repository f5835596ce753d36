import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserPath, signInButton, violations } from './browser.ts';
import { usePages } from './pages.ts';

/** What the session of a test reports; a test changes it. */
interface FakeSession {
  isSignedIn: boolean;
  endsAt: number;
  /** Lets time pass for the pages and for Portico. */
  readonly pass: (ms: number) => Promise<void>;
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly csrf: string | undefined;
    readonly authorization: string | undefined;
  }[];
}

const halfAnHourMs = 30 * 60_000;

const refuse = (route: Route) => route.fulfill({ status: 401, json: { code: 'unauthenticated' } });

describe.skipIf(browserPath === undefined)('the pages with a session in a cookie', () => {
  const pages = usePages();

  /** Replaces the session of Portico (contract, section 11): requests of a session get the token of a member. */
  const withSession = async (page: Page): Promise<FakeSession> => {
    let passedMs = 0;
    const pass = async (ms: number) => {
      passedMs += ms;
      await page.clock.fastForward(ms);
    };
    const session: FakeSession = { isSignedIn: true, endsAt: Date.now() + halfAnHourMs, pass, requests: [] };
    const authorization = `Bearer ${await pages.environment.sandbox.token('member-a')}`;
    await page.route('**/config.json', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), session: true } });
    });
    await page.route(/\/session(\/|$)/, (route) => {
      const { pathname } = new URL(route.request().url());
      const { authenticated, ...rest } = { authenticated: session.isSignedIn, name: 'Sample Member A' };
      const json = { authenticated, ...rest, expires_at: new Date(session.endsAt).toISOString() };
      if (pathname === '/session') {
        // The clock of the shared tab may be ahead of this one: the pages compare them, and set their timers accordingly.
        const headers = { date: new Date(Date.now() + passedMs).toUTCString() };
        return route.fulfill({ headers, json: session.isSignedIn ? json : { authenticated: false } });
      }
      if (pathname !== '/session/logout') return route.fulfill({ contentType: 'text/html', body: 'The provider' });
      session.isSignedIn = false;
      return route.fulfill({
        json: { logout_url: `${new URL(pages.environment.sandbox.identity.issuer).origin}/signed-out` },
      });
    });
    await page.route(/\/me(\/|\?|$)/, (route) => {
      const headers = route.request().headers();
      session.requests.push({
        method: route.request().method(),
        path: new URL(route.request().url()).pathname,
        csrf: headers['x-portico-csrf'],
        authorization: headers['authorization'],
      });
      return session.isSignedIn
        ? route.continue({ headers: { ...headers, authorization } })
        : route.fulfill({ status: 401, json: { code: 'unauthenticated' } });
    });
    return session;
  };

  const open = async (path: string, look: { readonly hasClock?: boolean } = {}) => {
    // A document without scripts: the session is replaced before the pages are opened.
    const page = await pages.open('/livez', look);
    const session = await withSession(page);
    await page.goto(pages.environment.portico.url + path);
    return { page, session };
  };

  it('show the member without a token, and send the header against forged requests with a write', async () => {
    const { page, session } = await open('/preferences');
    await page.getByRole('switch', { name: 'Text message' }).click();
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await page.locator('header').getByText('Sample Member A').count()).toBe(1);
    expect(session.requests.map(({ authorization }) => authorization)).toEqual(session.requests.map(() => undefined));
    const writes = session.requests.filter(({ method }) => method !== 'GET');
    expect(writes.map(({ csrf }) => csrf)).toEqual(['1']);
    expect(pages.member.requests.filter(({ url }) => /openid-configuration|bearer-session/.test(url))).toEqual([]);
  });

  it('sign in at Portico, and return to the page with its query', async () => {
    const { page, session } = await open('/');
    session.isSignedIn = false;
    await page.goto(`${pages.environment.portico.url}/search?q=insulin`);
    await signInButton(page).waitFor();
    expect(await violations(page)).toEqual([]);
    await signInButton(page).click();
    await page.getByText('The provider').waitFor();
    expect(new URL(page.url()).searchParams.get('return_to')).toBe('/search?q=insulin');
  });

  it('announce the end of the session two minutes before, and go on when the member stays signed in', async () => {
    const { page, session } = await open('/preferences', { hasClock: true });
    await page.getByRole('switch', { name: 'Text message' }).waitFor();
    await session.pass(halfAnHourMs - 2 * 60_000);
    const dialog = page.getByRole('dialog', { name: 'You will be signed out soon' });
    await dialog.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.route(/\/me\/coverage$/, (route) => {
      // Only a request of the member extends the session.
      session.endsAt += halfAnHourMs;
      return route.fulfill({ json: {} });
    });
    await dialog.getByRole('button', { name: 'Stay signed in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    // The next announcement belongs to the new end.
    await session.pass(halfAnHourMs);
    await dialog.waitFor();
    expect(await page.getByLabel('Text message').count()).toBe(1);
  });

  it('show nothing of the member after the end of the session, and why', async () => {
    const { page, session } = await open('/preferences', { hasClock: true });
    await page.getByRole('switch', { name: 'Text message' }).waitFor();
    session.isSignedIn = false;
    await session.pass(halfAnHourMs + 2000);
    await page.getByText('Your session has ended. Sign in again to continue where you were.').waitFor();
    expect(await page.getByRole('switch').count()).toBe(0);
  });

  it('sign out only when the member asks for it, not when a link on another site opens the page', async () => {
    const { page, session } = await open('/sign-out');
    const button = page.locator('main').getByRole('button', { name: 'Sign out' });
    await button.waitFor();
    expect(await violations(page)).toEqual([]);
    expect(session.isSignedIn).toBe(true);
    await button.click();
    await page.waitForURL(/\/signed-out$/);
    expect(session.isSignedIn).toBe(false);
  });

  it('sign out at Portico, and stay signed in if that fails', async () => {
    const { page } = await open('/livez');
    await page.route(/\/me(\/|\?|$)/, refuse);
    await page.route('**/session/logout', (route) => route.fulfill({ status: 503 }), { times: 1 });
    await page.goto(`${pages.environment.portico.url}/preferences`);
    await page.getByText('this service does not accept your sign-in').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Signing out failed: you are still signed in.').waitFor();
    await page.unroute(/\/me(\/|\?|$)/, refuse);
    await page.reload();
    await page.getByRole('switch', { name: 'Text message' }).waitFor();
    await page.route('**/session/logout', (route) => route.fulfill({ status: 503 }), { times: 1 });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Signing out failed: you are still signed in.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForURL(/signed-out/);
    await page.goto(pages.environment.portico.url);
    await signInButton(page).waitFor();
  });
});

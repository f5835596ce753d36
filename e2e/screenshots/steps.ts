import { serviceNames, type ServiceName } from '@portico/core';
import type { Environment } from '@portico/demo/environment';
import type { Fault } from '@portico/sandbox';
import type { BrowserContext, Page } from 'playwright-core';

/** The tab of a picture, and the systems behind it. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly environment: Environment;
}

/** What happens before a picture is taken. */
export type Step = (tab: Tab) => Promise<unknown>;

/** Clicks a button, link or switch by its name. */
export const click =
  (name: string): Step =>
  ({ page }) => {
    const exactly = { name, exact: true };
    const buttonOrLink = page.getByRole('button', exactly).or(page.getByRole('link', exactly));
    return buttonOrLink.or(page.getByRole('switch', { name })).last().click();
  };

/** Opens `Details`, and what else a summary opens. */
export const open =
  (summary: string): Step =>
  ({ page }) =>
    page.locator('summary', { hasText: summary }).first().click();

/** Chooses in a group of radio buttons. */
export const choose =
  (group: string, choice: string): Step =>
  ({ page }) =>
    page.getByRole('group', { name: group }).getByLabel(choice).check();

export const fill =
  (label: string, value: string): Step =>
  ({ page }) =>
    page.getByLabel(label).fill(value);

export const waitFor =
  (text: string): Step =>
  ({ page }) =>
    page.getByText(text).first().waitFor();

/** Makes services faulty until the picture has been taken. */
export const faulty =
  (fault: Fault, ...services: readonly ServiceName[]): Step =>
  ({ environment }) =>
    Promise.all(services.map((name) => environment.sandbox.services[name].setFault(fault)));

export const down = (...services: readonly ServiceName[]): Step => faulty({ kind: 'status', status: 500 }, ...services);

/** Makes a seller faulty until the picture has been taken. */
export const sellerFault =
  (network: 'moa' | 'mh', fault: 'silent' | 'refused'): Step =>
  ({ environment }) =>
    environment.sandbox.search[network].setBehaviour({ fault });

/** Removes the faults of the services and sellers. */
export const removeFaults: Step = ({ environment: { sandbox } }) =>
  Promise.all([
    ...serviceNames.map((name) => sandbox.services[name].setFault(null)),
    ...(['moa', 'mh'] as const).map((network) => sandbox.search[network].setBehaviour({ fault: null })),
  ]);

const atPath = (path: string): RegExp => new RegExp(`${path}(\\?|$)`);

/** The reference of a replaced response. */
const reference = '3f0c4d0a-6f0e-4d7b-9f61-0a4a1c3d9b52';

interface Response {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Only requests with this method. Default: all. */
  readonly method?: string;
}

/** Replaces the response of a path. An error is a problem (RFC 9457). */
export const respond =
  (path: string, json: object, { method, status = 200, headers = {} }: Response = {}): Step =>
  ({ page }) =>
    page.route(atPath(path), (route) =>
      method === undefined || route.request().method() === method
        ? route.fulfill({
            status,
            headers: { ...(status >= 400 && { 'x-request-id': reference }), ...headers },
            contentType: status < 400 ? 'application/json' : 'application/problem+json',
            body: JSON.stringify(json),
          })
        : route.fallback(),
    );

/** Replaces the parts of the dashboard (contract, section 12). */
export const respondWithParts =
  (parts: Readonly<Record<string, object>>): Step =>
  ({ page }) =>
    page.route(/\/me\?include=/, (route) => {
      const events = Object.entries(parts).map(
        ([name, body]) => `event: part\ndata: ${JSON.stringify({ name, status: 200, body })}\n\n`,
      );
      const body = `${events.join('')}event: done\ndata: {"partial":false}\n\n`;
      return route.fulfill({ contentType: 'text/event-stream', body });
    });

/** Leaves requests to these paths without a response. */
export const hold =
  (path: string): Step =>
  ({ page }) =>
    page.route(atPath(path), () => {});

/** Refuses connections for requests to this path. */
export const unreachable =
  (path: string): Step =>
  ({ page }) =>
    page.route(atPath(path), (route) => route.abort('connectionrefused'));

/** Changes the settings of the pages. */
export const configure =
  (changes: object): Step =>
  ({ page }) =>
    page.route('**/config.json', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), ...changes } });
    });

/** Signs this member in, and waits for the pages. */
export const signIn =
  (username: string): Step =>
  async ({ page }) => {
    await page.getByRole('button', { name: /^(Sign in|Anmelden)$/ }).click();
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(username.replace('member', 'sandbox'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: /^(Skip to content|Zum Inhalt springen)$/ }).waitFor({ state: 'attached' });
  };

/** Signs out in another tab. */
export const signOutElsewhere: Step = async ({ context, environment }) => {
  const other = await context.newPage();
  await other.goto(environment.portico.url);
  await other.getByRole('button', { name: 'Sign out' }).click();
  // Portico has ended the session: the browser is at the identity provider.
  await other.waitForURL(({ origin }) => origin !== environment.portico.url);
  await other.close();
};

/** The session ends in less than the two minutes before which the pages announce it. */
export const endSessionSoon: Step = ({ page }) => {
  const expiresAt = new Date(Date.now() + 110_000).toISOString();
  return page.route(atPath('/session'), async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), expires_at: expiresAt } });
  });
};

/** The pages read the session again when their tab is shown. */
export const showTab: Step = ({ page }) => page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');

export const goOffline: Step = ({ context }) => context.setOffline(true);

/** Waits until the scripts of all pages are there, so that they open without the network. */
export const loadAllPages: Step = ({ page }) => page.waitForLoadState('networkidle');

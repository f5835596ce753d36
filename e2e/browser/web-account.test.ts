import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserPath } from './browser.ts';
import { consentChoice, saveConsent } from './consent-form.ts';
import { usePages } from './pages.ts';

describe.skipIf(browserPath === undefined)('the account and preferences pages during concurrent changes', () => {
  const pages = usePages({ sessions: true });

  /** Opens a page of a member, with a clock that the test controls. */
  const open = async (username: string, name: 'Account' | 'Preferences'): Promise<Page> => {
    const page = await pages.as(username, `/${name.toLowerCase()}`, { hasClock: true });
    await page
      .getByRole(name === 'Account' ? 'radio' : 'switch')
      .nth(3)
      .waitFor();
    return page;
  };
  /** Changes a resource as another device would. */
  const elsewhere = async (username: string, method: string, path: string, change: (value: never) => object) => {
    const call = await pages.environment.as(username);
    const value = (await (await call(path)).json()) as never;
    const headers = { 'content-type': 'application/json' };
    const { status } = await call(path, { method, headers, body: JSON.stringify(change(value)) });
    expect(status).toBe(200);
  };
  const stored = async (username: string, path: string): Promise<unknown> =>
    (await (await pages.environment.as(username))(path)).json();
  const sent = (method: string) =>
    pages.member.requests.flatMap((request) =>
      request.method === method && request.url.includes('/me/') ? [JSON.parse(request.body ?? '') as unknown] : [],
    );

  const consentOf = async (username: string) =>
    Object.fromEntries(
      ((await stored(username, '/me/consent')) as Consents).consents.map(({ purpose, state }) => [purpose, state]),
    );

  it('keeps the withdrawal of a consent on another device, and shows both changes', async () => {
    await elsewhere('member-a', 'PUT', '/me/consent', setConsent('share-with-providers', 'granted'));
    await elsewhere('member-a', 'PUT', '/me/consent', setConsent('electronic-delivery', 'granted'));
    const page = await open('member-a', 'Account');
    await elsewhere('member-a', 'PUT', '/me/consent', setConsent('share-with-providers', 'withdrawn'));
    await consentChoice(page, 'Electronic delivery', 'No').click();
    await saveConsent(page);
    await page.getByText('Not saved. This was changed elsewhere in the meantime.').waitFor();
    expect(await consentChoice(page, 'Share with providers', 'No').isChecked()).toBe(true);
    expect(await consentChoice(page, 'Electronic delivery', 'No').isChecked()).toBe(true);
    await saveConsent(page);
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await consentOf('member-a')).toMatchObject({
      'share-with-providers': 'withdrawn',
      'electronic-delivery': 'withdrawn',
    });
  });

  it('keeps a preference that was set on another device, without entity tags', async () => {
    const page = await open('member-a', 'Preferences');
    await page.route(isAt('/me/preferences'), async (route) => {
      const response = await route.fetch();
      const { etag: _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await page.reload();
    const push = page.getByRole('switch', { name: 'Push notification' });
    const before = await push.isChecked();
    const email = !(await page.getByRole('switch', { name: 'Email' }).isChecked());
    await elsewhere('member-a', 'PUT', '/me/preferences', (value: object) => ({ ...value, email }));
    await push.click();
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await stored('member-a', '/me/preferences')).toMatchObject({ email, push: !before });
  });

  it('saves no consent for a version of its text that the member has not seen, without entity tags', async () => {
    const page = await open('member-a', 'Account');
    let version = '1';
    await page.route(isAt('/me/consent'), (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ json: JSON.parse(route.request().postData()!) as object })
        : route.fulfill({ json: { consents: [{ locator: 'CNS-1', purpose: 'research', state: 'denied', version }] } }),
    );
    await page.reload();
    await page.getByText('Version 1').waitFor();
    version = '2';
    await consentChoice(page, 'Research', 'Yes').click();
    await saveConsent(page);
    await page.getByText('Not saved. This was changed elsewhere in the meantime.').waitFor();
    await page.getByText('Version 2').waitFor();
    expect([sent('PUT'), await consentChoice(page, 'Research', 'Yes').isChecked()]).toEqual([[], true]);
    await saveConsent(page);
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(sent('PUT')).toMatchObject([{ consents: [{ state: 'granted', version: '2' }] }]);
  });

  it('sends the changed consent when another one was inserted before it', async () => {
    const page = await open('member-b', 'Account');
    const respond = await readAgain(page, 'Account', '/me/consent');
    await consentChoice(page, 'Marketing', 'Yes').click();
    await respond(({ consents }: Consents) => ({
      consents: [{ locator: 'CNS-NEW', purpose: 'newest', state: 'denied' }, ...consents],
    }));
    await consentChoice(page, 'Newest', 'No').waitFor();
    expect(await consentChoice(page, 'Newest', 'No').isChecked()).toBe(true);
    expect(await consentChoice(page, 'Marketing', 'Yes').isChecked()).toBe(true);
    await saveConsent(page);
    await expect.poll(() => sent('PUT').length).toBe(1);
    const { consents } = sent('PUT')[0] as Consents;
    expect(consents.filter(({ purpose }) => ['newest', 'marketing'].includes(purpose))).toMatchObject([
      { purpose: 'newest', state: 'denied' },
      { purpose: 'marketing', state: 'granted' },
    ]);
  });

  it('keeps edits that are made during a save', async () => {
    const page = await open('member-a', 'Preferences');
    const sms = page.getByRole('switch', { name: 'Text message' });
    const billing = page.getByRole('switch', { name: 'Billing alerts' });
    const before = [await sms.isChecked(), await billing.isChecked()];
    const put = await hold(page, 'PUT', '/me/preferences');
    await sms.click();
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await put.arrived;
    await billing.click();
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
    put.release();
    await saved;
    await page.getByRole('button', { name: 'Save preferences' }).waitFor();
    expect([await sms.isChecked(), await billing.isChecked()]).toEqual(before.map((isOn) => !isOn));
    expect(await page.getByText('Saved.', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await stored('member-a', '/me/preferences')).toMatchObject({ sms: !before[0], billingAlerts: !before[1] });
  });

  it('keeps the contact form open with edits that are made during a save', async () => {
    const page = await open('member-a', 'Account');
    const patch = await hold(page, 'PATCH', '/me/profile');
    await page.getByRole('button', { name: 'Edit contact details' }).click();
    await page.getByLabel('City').fill('Example Heights');
    await page.getByRole('button', { name: 'Save contact details' }).click();
    await patch.arrived;
    await page.getByLabel('Street').fill('7 New Street');
    patch.release();
    await page.getByRole('button', { name: 'Save contact details' }).click();
    await page.getByText(/7 New Street.*Example Heights/).waitFor();
    expect(sent('PATCH')).toEqual([{ address: { city: 'Example Heights' } }, { address: { line1: '7 New Street' } }]);
  });

  it('shows the saved value, not the response to an earlier read', async () => {
    const page = await open('member-a', 'Preferences');
    const sms = page.getByRole('switch', { name: 'Text message' });
    const before = await sms.isChecked();
    const respond = await readAgain(page, 'Preferences', '/me/preferences');
    await sms.click();
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await respond((value: object) => ({ ...value, sms: before }));
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await page.getByRole('link', { name: 'Preferences' }).click();
    await sms.waitFor();
    expect(await sms.isChecked()).toBe(!before);
  });

  it('does not send contact details that only changed on another device', async () => {
    const page = await open('member-b', 'Account');
    const respond = await readAgain(page, 'Account', '/me/profile');
    await page.getByRole('button', { name: 'Edit contact details' }).click();
    await respond(({ address, ...rest }: { readonly address: object }) => ({
      ...rest,
      address: { ...address, city: 'Example Hills' },
    }));
    await expect.poll(() => page.getByLabel('City').inputValue()).toBe('Example Hills');
    await page.getByLabel('Street').fill('1 New Street');
    await page.getByRole('button', { name: 'Save contact details' }).click();
    await page.getByText(/1 New Street/).waitFor();
    expect(sent('PATCH')).toEqual([{ address: { line1: '1 New Street' } }]);
  });

  it('keeps edits when the resource cannot be read again', async () => {
    const page = await open('member-b', 'Preferences');
    const get = await hold(page, 'GET', '/me/preferences', (route) => route.fulfill({ status: 502 }));
    await comeBack(page, 'Preferences');
    await get.arrived;
    const sms = page.getByRole('switch', { name: 'Text message' });
    const before = await sms.isChecked();
    await sms.click();
    get.release();
    await page.getByRole('button', { name: /Try again.*Notification preferences/ }).waitFor();
    expect(await sms.isChecked()).toBe(!before);
  });

  it('shows the saved value when the response is empty and the resource cannot be read again', async () => {
    const page = await open('member-b', 'Preferences');
    const sms = page.getByRole('switch', { name: 'Text message' });
    const before = await sms.isChecked();
    let isSaved = false;
    await page.route(isAt('/me/preferences'), async (route) => {
      if (route.request().method() !== 'PUT') return isSaved ? route.fulfill({ status: 503 }) : route.fallback();
      await route.fetch();
      isSaved = true;
      return route.fulfill({ status: 204 });
    });
    await sms.click();
    await page.getByRole('button', { name: 'Save preferences' }).click();
    const again = page.getByRole('button', { name: /Try again.*Notification preferences/ });
    await again.waitFor();
    await page.getByRole('button', { name: 'Save preferences' }).waitFor();
    expect(await sms.isChecked()).toBe(!before);
    expect(await page.getByText('Saved.', { exact: true }).count()).toBe(0);
    await page.unrouteAll();
    await again.click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await sms.isChecked()).toBe(!before);
  });

  it('lets a member whose profile lacks an address change the email', async () => {
    await elsewhere('member-b', 'PATCH', '/me/profile', () => ({ address: null, phones: null }));
    const page = await open('member-b', 'Account');
    await page.getByRole('button', { name: 'Edit contact details' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill('new@example.org');
    await page.getByRole('button', { name: 'Save contact details' }).click();
    await page.getByText('new@example.org').waitFor();
  });

  it('opens the next page when a pending save succeeds', async () => {
    const page = await open('member-b', 'Preferences');
    const put = await hold(page, 'PUT', '/me/preferences');
    await page.getByRole('switch', { name: 'Text message' }).click();
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await put.arrived;
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    put.release();
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  });
});

interface Consents {
  readonly consents: readonly { readonly purpose: string; readonly state: string; readonly locator?: string }[];
}

const setConsent =
  (purpose: string, state: string) =>
  ({ consents }: Consents): Consents => ({
    consents: consents.map((item) => (item.purpose === purpose ? { ...item, state } : item)),
  });

const isAt = (path: string) => (url: URL) => url.pathname === path;

/** Holds requests until they are released. */
const hold = async (
  page: Page,
  method: string,
  path: string,
  goOn: (route: Route) => Promise<void> = (route) => route.continue(),
) => {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  await page.route(isAt(path), async (route) => {
    if (route.request().method() !== method) return route.fallback();
    arrived.resolve();
    await released.promise;
    // The page may have cancelled the request.
    await goOn(route).catch(() => {});
    done.resolve();
  });
  return { arrived: arrived.promise, release: released.resolve, done: done.promise };
};

/** Leaves a page and returns half a minute later, when its data is stale. */
const comeBack = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('link', { name: 'Search' }).click();
  // The page is left only when the module of the next one has been loaded.
  await page.getByRole('heading', { name: 'Search', exact: true }).waitFor();
  await page.clock.fastForward(31_000);
  await page.getByRole('link', { name }).click();
  await page.getByRole('heading', { name, exact: true }).waitFor();
};

/** Makes a page read a resource again. Returns a function that changes the response and sends it. */
const readAgain = async (page: Page, name: string, path: string) => {
  const changed = Promise.withResolvers<(value: never) => object>();
  const get = await hold(page, 'GET', path, async (route) => {
    const response = await route.fetch();
    const change = await changed.promise;
    await route.fulfill({ response, json: change((await response.json()) as never) });
  });
  await comeBack(page, name);
  await get.arrived;
  return async (change: (value: never) => object) => {
    changed.resolve(change);
    get.release();
    await get.done;
    await page.unroute(isAt(path));
  };
};

import { describe, expect, it } from 'vitest';
import { browserPath, submitSignIn, violations } from './browser.ts';
import { usePages } from './pages.ts';

describe.skipIf(browserPath === undefined)('pages whose tokens the server does not accept', () => {
  const pages = usePages({
    settings: {
      identity: { audience: ['not-portico'] },
      pages: { scope: 'openid profile', authorizeParameters: { audience: 'https://portal.example/api' } },
    },
  });

  /** The requests to the authorization endpoint so far. */
  const signIns = () =>
    pages.member.requests
      .map(({ url }) => new URL(url))
      .filter(({ searchParams }) => searchParams.has('code_challenge'));

  const signInAndWait = async () => {
    const page = await pages.open();
    await submitSignIn(page, 'member-a');
    await page.getByText('You are signed in, but this service does not accept your sign-in.').waitFor();
    return page;
  };

  it('shows an error with the reference and a way to sign out, instead of signing in again', async () => {
    const page = await signInAndWait();
    expect(signIns()).toHaveLength(1);
    expect(await violations(page)).toEqual([]);
    const reference = await page.getByRole('alert').locator('.mono').innerText();
    expect(reference).toMatch(/^[0-9a-f-]{36}$/);
    await expect.poll(() => pages.environment.log()).toContain(reference);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.origin !== pages.environment.portico.url);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(signIns()).toHaveLength(1);
  });

  it('signs in once per reload of the page', async () => {
    const page = await signInAndWait();
    await page.reload();
    await page.getByText('You are signed in, but this service does not accept your sign-in.').waitFor();
    expect(signIns()).toHaveLength(2);
  });

  it('sends the configured scope and parameters to the provider', async () => {
    await signInAndWait();
    expect(Object.fromEntries(signIns()[0]!.searchParams)).toMatchObject({
      scope: 'openid profile',
      audience: 'https://portal.example/api',
    });
  });
});

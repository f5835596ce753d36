import { describe, expect, it } from 'vitest';
import { browserPath, signOut, submitSignIn, violations } from './browser.ts';
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

  const refused = 'You are signed in, but this service does not accept your sign-in.';

  it('shows an error with the reference and a way to sign out, and signs in again only after a reload, with the configured scope and parameters', async () => {
    const page = await pages.open();
    await submitSignIn(page, 'member-a');
    await page.getByText(refused).waitFor();
    expect(signIns().map(({ searchParams }) => Object.fromEntries(searchParams))).toEqual([
      expect.objectContaining({ scope: 'openid profile', audience: 'https://portal.example/api' }),
    ]);
    expect(await violations(page)).toEqual([]);
    const reference = await page.getByRole('alert').locator('.mono').innerText();
    expect(reference).toMatch(/^[0-9a-f-]{36}$/);
    await expect.poll(() => pages.environment.log()).toContain(reference);
    await page.reload();
    await page.getByText(refused).waitFor();
    expect(signIns()).toHaveLength(2);
    await signOut(page);
    expect(signIns()).toHaveLength(2);
  });
});

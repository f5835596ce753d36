const element = (id) => document.getElementById(id);

const show = async () => {
  const response = await fetch('/me/coverage').catch(() => undefined);
  const isSignedOut = response?.status === 401;
  element('sign-in').hidden = !isSignedOut;
  element('sign-out').hidden = isSignedOut;
  if (isSignedOut) element('status').textContent = 'You are not signed in.';
  else if (response?.ok) {
    element('status').textContent = 'Your coverage:';
    element('coverage').textContent = JSON.stringify(await response.json(), undefined, 2);
  } else element('status').textContent = 'Your coverage cannot be shown right now. Try again later.';
};

element('sign-out').addEventListener('click', async () => {
  // Every request that is not GET needs this header (docs: Browser sessions).
  const request = { method: 'POST', headers: { 'X-Portico-Csrf': '1' } };
  const response = await fetch('/session/logout', request).catch(() => undefined);
  // A proxy may send a page of its own.
  const ended = response?.ok ? await response.json().catch(() => undefined) : undefined;
  if (!ended) {
    element('status').textContent = 'Signing out failed: you are still signed in. Try again later.';
    return;
  }
  element('coverage').textContent = '';
  location.assign(ended.logout_url ?? '/');
});

// The browser may have kept this page: Back must not show it to the next person.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

await show();

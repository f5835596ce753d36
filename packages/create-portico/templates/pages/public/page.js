const element = (id) => document.getElementById(id);

const show = async () => {
  const response = await fetch('/me/coverage');
  const isSignedOut = response.status === 401;
  element('sign-in').hidden = !isSignedOut;
  element('sign-out').hidden = isSignedOut;
  if (isSignedOut) element('status').textContent = 'You are not signed in.';
  else if (response.ok) {
    element('status').textContent = 'Your coverage:';
    element('coverage').textContent = JSON.stringify(await response.json(), undefined, 2);
  } else element('status').textContent = 'Your coverage cannot be shown right now. Try again later.';
};

element('sign-out').addEventListener('click', async () => {
  // Every request that is not GET needs this header (docs: Browser sessions).
  const response = await fetch('/session/logout', { method: 'POST', headers: { 'X-Portico-Csrf': '1' } });
  const { logout_url: url } = await response.json();
  location.assign(url ?? '/');
});

await show();

import { describe, expect, it } from 'vitest';
import { ownPage, portal, signedIn } from '../portal.test.support.ts';

const post = { method: 'POST', headers: ownPage };

describe('a logout', () => {
  it('succeeds without a session', async () => {
    const { browser, provider } = await portal();
    const { status, json, headers } = await browser().send('/session/logout', post);
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(json['logout_url']).toMatch(/^https:\/\/id\.example\/logout\?/);
    expect(provider.revoked).toEqual([]);
  });

  it('ends the session when the provider does not revoke its refresh token', async () => {
    const { send, cookies, provider, events } = await signedIn();
    provider.behaviour.fault = (path) => (path === '/revoke' ? new Response('', { status: 503 }) : undefined);
    expect((await send('/session/logout', post)).status).toBe(200);
    expect(cookies.size).toBe(0);
    expect(events.slice(1)).toEqual([{ name: 'revocation-failed', reason: 'status' }, { name: 'sign-out' }]);
  });

  it('does not wait longer than five seconds for the provider', async () => {
    const { send, clock, provider, events } = await signedIn();
    provider.behaviour.fault = (path) => (path === '/revoke' ? new Promise(() => {}) : undefined);
    const response = send('/session/logout', post);
    await expect.poll(() => clock.scheduled).toBe(1);
    clock.advance(5000);
    expect((await response).status).toBe(200);
    expect(events[1]).toEqual({ name: 'revocation-failed', reason: 'timeout' });
  });

  it.each([
    ['has no logout page', { end_session_endpoint: undefined }],
    ['has a logout page without TLS', { end_session_endpoint: 'http://id.example/logout' }],
    ['has a logout page that is a script', { end_session_endpoint: 'javascript:alert(1)' }],
  ])('leads to the first page when the provider %s', async (_, metadata) => {
    const { send } = await signedIn({}, { metadata });
    expect((await send('/session/logout', post)).json).toEqual({ logout_url: 'https://portal.example/' });
  });

  it('leads to the page in the settings, and refuses one without TLS', async () => {
    const logoutUrl = 'https://id.example/bye?to=https%3A%2F%2Fportal.example%2F';
    const { browser } = await portal({ logoutUrl });
    expect((await browser().send('/session/logout', post)).json).toEqual({ logout_url: logoutUrl });
    for (const refused of ['http://id.example/bye', ''])
      await expect(portal({ logoutUrl: refused })).rejects.toThrow('logoutUrl must be an https URL');
  });

  it('revokes nothing when the provider has no revocation endpoint', async () => {
    const { send, names } = await signedIn({}, { metadata: { revocation_endpoint: undefined } });
    expect((await send('/session/logout', post)).status).toBe(200);
    expect(names()).toEqual(['sign-in', 'sign-out']);
  });
});

it('no response and no event shows a token', async () => {
  const { browser, provider, clock, events } = await portal();
  const { send, signIn } = browser();
  const responses = [await signIn(), await send('/session')];
  clock.advance(280_000);
  const coverage = await send('/me/coverage');
  responses.push(await send('/session'), await send('/session/logout', post), await send('/session/other'));
  const shown = responses.map(({ headers, text }) => JSON.stringify([...headers]) + text).join('\n');
  for (const token of provider.issued) {
    expect(shown + JSON.stringify([...coverage.headers])).not.toContain(token);
    expect(JSON.stringify(events)).not.toContain(token);
  }
});

it('sessions serve requests and refresh tokens when the report of an event fails', async () => {
  const { send, clock } = await signedIn({
    onEvent: () => {
      throw new Error('the log is full');
    },
  });
  clock.advance(280_000);
  expect((await send('/me/coverage')).status).toBe(200);
});

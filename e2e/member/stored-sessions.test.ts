import { hasRedis, type Redis, startRedis } from '@portico/demo/cluster';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type SessionPortal, startSessionPortal } from './session-portal.ts';

const csrf = { 'x-portico-csrf': '1' };
const cookieName = 'portico-session';

/** The keys of a Redis, and the fields of its hashes. */
const everythingIn = ({ port }: Redis): Promise<string> => {
  const script = `local all = {}
    for _, key in ipairs(redis.call('KEYS', '*')) do
      local isHash = redis.call('TYPE', key)['ok'] == 'hash'
      all[#all + 1] = key .. ' ' .. (isHash and table.concat(redis.call('HGETALL', key), ' ') or '')
    end
    return table.concat(all, ' ')`;
  const socket = connect(port, '127.0.0.1');
  socket.write(`EVAL "${script.replaceAll(/\s+/g, ' ')}" 0\r\nQUIT\r\n`);
  return text(socket);
};

describe.skipIf(!hasRedis)('sessions in Redis, on two instances', () => {
  let redis: Redis;
  let portal: SessionPortal;

  beforeAll(async () => {
    redis = await startRedis();
    portal = await startSessionPortal({ instances: 2, redisUrl: `redis://127.0.0.1:${redis.port}` });
  });
  afterAll(async () => {
    await portal.close();
    await redis.stop();
  });
  afterEach(() => void vi.useRealTimers());

  /** The status of a request to each instance. */
  const statuses = (browser: Awaited<ReturnType<SessionPortal['signedIn']>>) =>
    Promise.all(portal.urls.map(async (url) => (await browser.request(`${url}/me/coverage`)).status));

  it('are served by both, with a cookie that holds only an id', async () => {
    const browser = await portal.signedIn();
    expect(await statuses(browser)).toEqual([200, 200]);
    expect(browser.cookies('127.0.0.1').get(cookieName)).toMatch(/^[\w-]{43}$/);
  });

  it('are encrypted in Redis, under ids that are no cookies', async () => {
    const browser = await portal.signedIn();
    expect(await statuses(browser)).toEqual([200, 200]);
    const stored = await everythingIn(redis);
    expect(stored).toMatch(/portico:\{sessions\}:session:/);
    const secrets = [browser.cookies('127.0.0.1').get(cookieName), 'member-a', 'PTY-1001'];
    for (const token of portal.sandbox.identity.tokens) secrets.push(token.split('.').at(-1));
    for (const secret of secrets) expect(stored).not.toContain(secret);
  });

  it('refresh their token once, when both instances need it at the same time', async () => {
    const browser = await portal.signedIn();
    const refreshes = portal.sandbox.identity.issued('refresh_token');
    // The access token has expired: every request has to wait for the new one.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000_000 });
    const found = await Promise.all([statuses(browser), statuses(browser), statuses(browser)]);
    expect(found.flat()).toEqual([200, 200, 200, 200, 200, 200]);
    expect(portal.sandbox.identity.issued('refresh_token')).toBe(refreshes + 1);
  });

  it('end on both when the member signs out on one', async () => {
    const browser = await portal.signedIn();
    const cookie = browser.cookies('127.0.0.1').get(cookieName);
    expect((await browser.request(`${portal.url}/session/logout`, { method: 'POST', headers: csrf })).status).toBe(200);
    for (const url of portal.urls) {
      const response = await fetch(`${url}/me/coverage`, { headers: { cookie: `${cookieName}=${cookie}` } });
      expect(response.status).toBe(401);
    }
  });

  it('end on both when the member signs out at the identity provider, and those of other browsers do not', async () => {
    const [browser, other] = [await portal.signedIn(), await portal.signedIn()];
    await browser.signOut(`${portal.sandbox.identity.issuer}/protocol/openid-connect/logout?client_id=portico-portal`);
    expect(await statuses(browser)).toEqual([401, 401]);
    expect(await statuses(other)).toEqual([200, 200]);
    expect(await portal.metrics()).toContain('portico_session_events_total{event="back-channel-logout"} 1');
  });

  it('are not reported as ended while Redis is down', async () => {
    const browser = await portal.signedIn();
    await redis.stop();
    const response = await browser.request(`${portal.url}/me/coverage`);
    expect([response.status, await response.json()]).toMatchObject([502, { service: 'sessions' }]);
    expect(browser.cookies('127.0.0.1').has(cookieName)).toBe(true);
  });
});

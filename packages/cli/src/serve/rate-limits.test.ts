import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { koaModule, serverToken } from '@portico/adapters-koa/inversify';
import { createServer } from '@portico/adapters-koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compose } from './compose.ts';
import {
  bearer,
  identityProvider,
  memberEnvironment,
  sendJson,
  webServer,
} from '../program/outside-world.test.support.ts';
import { rateLimits } from './rate-limits.ts';
import { memberApi, settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';

const test = { onTestFinished };
const nowhere = 'redis://127.0.0.1:9';

/** What a server is told with these settings. */
const limitsOf = async (file: object, env: Readonly<Record<string, string>> = {}) => {
  const { settings } = settingsOf({ flags: { '--config': settingsFile(file) }, env });
  const container = compose(settings);
  onTestFinished(() => container.unbindAllAsync());
  return rateLimits(settings, container);
};

/** A portico with a member half, on loopback, and whether it lets a member through. */
const serving = async (file: object) => {
  const identity = await identityProvider(test);
  const outside = await webServer(test, (response) => sendJson(response, {}));
  const env = memberEnvironment(identity.issuer, outside.url);
  const { settings } = settingsOf({ flags: { '--config': settingsFile(file) }, env });
  const container = compose(settings);
  container.load(koaModule(await rateLimits(settings, container)));
  const server = container.get(serverToken);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return async (sub: string, from = '198.51.100.1') => {
    const { headers } = bearer(identity.token({ sub }));
    const response = await fetch(`http://127.0.0.1:${port}/me/coverage`, {
      headers: { ...headers, 'x-forwarded-for': from },
    });
    return response.status;
  };
};

const oneAMinute = { requests: 1, seconds: 60 };

describe('limits that are set', () => {
  it('hold for each member', async () => {
    const ask = await serving({ limits: { memberRequests: oneAMinute } });
    expect([await ask('PTY-1'), await ask('PTY-1'), await ask('PTY-2')]).toEqual([200, 429, 200]);
  });

  it('hold for each address that a trusted proxy has seen', async () => {
    const ask = await serving({ listen: { trustedProxies: ['127.0.0.1'] }, limits: { addressRequests: oneAMinute } });
    expect([await ask('PTY-1'), await ask('PTY-2'), await ask('PTY-1', '198.51.100.2')]).toEqual([200, 429, 200]);
  });

  it('are 600 requests of a member in a minute, and none of an address, unless somebody says otherwise', async () => {
    const { memberLimiter, addressLimiter, trustedProxies } = await limitsOf(memberApi);
    const ask = async () => memberLimiter?.take('PTY-1');
    const allowances = await Promise.all(Array.from({ length: 601 }, ask));
    expect(allowances.findIndex((allowance) => !allowance?.isAllowed)).toBe(600);
    expect(allowances[600]).toEqual({ isAllowed: false, retryAfterSeconds: 60 });
    expect([addressLimiter, trustedProxies]).toEqual([undefined, []]);
  });

  it.each(['', nowhere])('are taken away by null, with a Redis and without: "%s"', async (REDIS_URL) => {
    const limits = { memberRequests: null, addressRequests: null };
    expect(await limitsOf({ ...memberApi, limits }, { REDIS_URL })).toEqual({ trustedProxies: [] });
  });

  it('count no members where none are served', async () => {
    expect(await limitsOf({ ...memberApi, roles: ['search', 'callbacks'] })).toEqual({ trustedProxies: [] });
    expect(await limitsOf({})).toEqual({ trustedProxies: [] });
  });
});

describe('with a Redis', () => {
  it('limits are counted there', async () => {
    const limits = { memberRequests: oneAMinute, addressRequests: oneAMinute };
    const { memberLimiter, addressLimiter } = await limitsOf({ ...memberApi, limits }, { REDIS_URL: nowhere });
    for (const limiter of [memberLimiter, addressLimiter]) {
      expect(limiter?.degradedReason).toBe('Redis cannot be reached: nobody is limited');
      for (let time = 0; time < 3; time++) expect(await limiter?.take('one')).toEqual({ isAllowed: true });
    }
  });
});

describe('the proxies that the settings allow', () => {
  it.each(['192.0.2.7', '10.0.0.0/8', '::ffff:10.0.0.0/104', '::1', '2001:db8::/32', 'fd00::1/128'])(
    'are proxies to the server: %s',
    (network) => {
      const { listen } = settingsOf({ env: { TRUSTED_PROXIES: network } }).settings;
      expect(listen.trustedProxies).toEqual([network]);
      const addressLimiter = { take: async () => ({ isAllowed: true }) as const };
      expect(createServer({}, { addressLimiter, trustedProxies: listen.trustedProxies }).listening).toBe(false);
    },
  );
});

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
import { listening } from './running-server.test.support.ts';
import { memberApi, settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';

const test = { onTestFinished };
const unreachableRedis = 'redis://127.0.0.1:9';

/** Creates the rate limit settings of a server. */
const limitsOf = async (file: object, env: Readonly<Record<string, string>> = {}) => {
  const { settings } = settingsOf({ flags: { '--config': settingsFile(file) }, env });
  const container = compose(settings);
  onTestFinished(() => container.unbindAllAsync());
  return rateLimits(settings, container);
};

/** Starts a server with the member API. Returns a function that sends a request and returns its status. */
const memberServer = async (file: object) => {
  const identity = await identityProvider(test);
  const upstream = await webServer(test, (response) => sendJson(response, {}));
  const env = memberEnvironment(identity.issuer, upstream.url);
  const { settings } = settingsOf({ flags: { '--config': settingsFile(file) }, env });
  const container = compose(settings);
  const url = await listening(test, container, await rateLimits(settings, container));
  return async (sub: string, from = '198.51.100.1') => {
    const { headers } = bearer(identity.token({ sub }));
    const response = await fetch(`${url}/me/coverage`, {
      headers: { ...headers, 'x-forwarded-for': from },
    });
    return response.status;
  };
};

const oneAMinute = { requests: 1, seconds: 60 };

describe('rate limits', () => {
  it('limits each IP address that a trusted proxy forwards', async () => {
    const statusFor = await memberServer({
      listen: { trustedProxies: ['127.0.0.1'] },
      limits: { addressRequests: oneAMinute },
    });
    expect([await statusFor('PTY-1'), await statusFor('PTY-2'), await statusFor('PTY-1', '198.51.100.2')]).toEqual([
      200, 429, 200,
    ]);
  });

  it('limits members to 600 requests per minute by default, and does not limit IP addresses', async () => {
    const { memberLimiter, addressLimiter, trustedProxies } = await limitsOf(memberApi);
    const take = async () => memberLimiter?.take('PTY-1');
    const allowances = await Promise.all(Array.from({ length: 601 }, take));
    expect(allowances.findIndex((allowance) => !allowance?.isAllowed)).toBe(600);
    expect(allowances[600]).toEqual({ isAllowed: false, retryAfterSeconds: 60 });
    expect([addressLimiter, trustedProxies]).toEqual([undefined, []]);
  });

  it.each(['', unreachableRedis])('disables the limits that are null, with Redis URL "%s"', async (REDIS_URL) => {
    const limits = { memberRequests: null, addressRequests: null };
    expect(await limitsOf({ ...memberApi, limits }, { REDIS_URL })).toEqual({ trustedProxies: [] });
  });

  it('does not limit members when the member API is disabled', async () => {
    expect(await limitsOf({ ...memberApi, roles: ['search', 'callbacks'] })).toEqual({ trustedProxies: [] });
    expect(await limitsOf({})).toEqual({ trustedProxies: [] });
  });
});

describe('rate limits in Redis', () => {
  it('counts requests in Redis, and allows all of them while Redis is unreachable', async () => {
    const limits = { memberRequests: oneAMinute, addressRequests: oneAMinute };
    const { memberLimiter, addressLimiter } = await limitsOf({ ...memberApi, limits }, { REDIS_URL: unreachableRedis });
    for (const limiter of [memberLimiter, addressLimiter]) {
      expect(limiter?.degradedReason).toMatch(/Redis/);
      for (let time = 0; time < 3; time++) expect(await limiter?.take('one')).toEqual({ isAllowed: true });
    }
  });
});

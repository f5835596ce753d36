import { describe, expect, it } from 'vitest';
import { problemsOf, settingsFile, settingsOf } from './settings-file.test.support.ts';

const inFile = (content: object) => ({ flags: { '--config': settingsFile(content) } });
const invalidIn = (content: object) => problemsOf(inFile(content)).map(({ setting, message }) => [setting, message]);

describe('trusted proxies', () => {
  const message =
    'must be an IP address such as 192.0.2.7, or a network such as 10.0.0.0/8; larger networks are not allowed';

  it('trusts no proxies by default', () => {
    expect(settingsOf({}).settings.listen.trustedProxies).toEqual([]);
  });

  it('accepts IPv4 and IPv6 addresses and networks', () => {
    const trustedProxies = ['192.0.2.7', '10.0.0.0/8', '::1', 'fd00::/8', '::ffff:10.0.0.1'];
    expect(settingsOf(inFile({ listen: { trustedProxies } })).settings.listen.trustedProxies).toEqual(trustedProxies);
  });

  it('reads comma-separated proxies from a variable or a flag', () => {
    const env = { TRUSTED_PROXIES: '192.0.2.7, 10.0.0.0/8 ,' };
    expect(settingsOf({ env }).settings.listen.trustedProxies).toEqual(['192.0.2.7', '10.0.0.0/8']);
    const flags = { '--trusted-proxies': '::1' };
    expect(settingsOf({ env, flags }).settings.listen.trustedProxies).toEqual(['::1']);
  });

  it.each(['', 'proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10.0.0/8', '::/129', 'fe80::1%eth0', '*'])(
    'rejects the proxy "%s"',
    (network) => {
      expect(invalidIn({ listen: { trustedProxies: ['::1', network] } })).toEqual([
        ['listen.trustedProxies.1', message],
      ]);
    },
  );

  it.each(['0.0.0.0/0', '::/0', '0.0.0.0/1', '::ffff:0:0/96', '::/64'])(
    'rejects a network that is too large: %s',
    (network) => {
      expect(problemsOf({ env: { TRUSTED_PROXIES: network } })).toEqual([
        { setting: 'listen.trustedProxies.0', source: 'TRUSTED_PROXIES', message },
      ]);
    },
  );

  it('rejects a string instead of an array of proxies', () => {
    expect(invalidIn({ listen: { trustedProxies: '10.0.0.0/8' } })).toEqual([
      ['listen.trustedProxies', 'must be an array of IP addresses and networks'],
    ]);
  });
});

describe.each(['memberRequests', 'addressRequests'] as const)('limits.%s', (name) => {
  const limitOf = (limit: unknown) => settingsOf(inFile({ limits: { [name]: limit } })).settings.limits[name];

  it('limits requests per window, of a minute by default', () => {
    expect(limitOf({ requests: 10 })).toEqual({ requests: 10, seconds: 60 });
    expect(limitOf({ requests: 10, seconds: 1 })).toEqual({ requests: 10, seconds: 1 });
    expect(limitOf(null)).toBeUndefined();
  });

  it.each([
    [{}, '.requests', 'required; must be an integer from 1 to 1000000000'],
    [{ requests: 0 }, '.requests', 'must be an integer from 1 to 1000000000'],
    [{ requests: 1.5 }, '.requests', 'must be an integer from 1 to 1000000000'],
    [{ requests: 1, seconds: 0 }, '.seconds', 'must be an integer from 1 to 86400'],
    [{ requests: 1, seconds: 86_401 }, '.seconds', 'must be an integer from 1 to 86400'],
    [{ requests: 1, minutes: 1 }, '.minutes', 'unknown setting; expected one of: requests, seconds'],
    [600, '', 'must be an object'],
    [false, '', 'must be an object'],
  ])('rejects the limit %j', (limit, setting, message) => {
    expect(invalidIn({ limits: { [name]: limit } })).toEqual([[`limits.${name}${setting}`, message]]);
  });
});

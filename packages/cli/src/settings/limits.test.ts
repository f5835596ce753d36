import { describe, expect, it } from 'vitest';
import { problemsOf, settingsFile, settingsOf } from './settings-file.test.support.ts';

const inFile = (content: object) => ({ flags: { '--config': settingsFile(content) } });
const wrongIn = (content: object) => problemsOf(inFile(content)).map(({ setting, message }) => [setting, message]);

describe('trusted proxies', () => {
  const message = 'must be an address such as 192.0.2.7, or a network such as 10.0.0.0/8, and no larger one';

  it('are nobody unless somebody says otherwise', () => {
    expect(settingsOf({}).settings.listen.trustedProxies).toEqual([]);
  });

  it('are addresses and networks, of either family', () => {
    const trustedProxies = ['192.0.2.7', '10.0.0.0/8', '::1', 'fd00::/8', '::ffff:10.0.0.1'];
    expect(settingsOf(inFile({ listen: { trustedProxies } })).settings.listen.trustedProxies).toEqual(trustedProxies);
  });

  it('come in a variable or a flag, separated by commas', () => {
    const env = { TRUSTED_PROXIES: '192.0.2.7, 10.0.0.0/8 ,' };
    expect(settingsOf({ env }).settings.listen.trustedProxies).toEqual(['192.0.2.7', '10.0.0.0/8']);
    const flags = { '--trusted-proxies': '::1' };
    expect(settingsOf({ env, flags }).settings.listen.trustedProxies).toEqual(['::1']);
  });

  it.each(['', 'proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10.0.0/8', '::/129', 'fe80::1%eth0', '*'])(
    'are nothing else: "%s"',
    (network) => {
      expect(wrongIn({ listen: { trustedProxies: ['::1', network] } })).toEqual([['listen.trustedProxies.1', message]]);
    },
  );

  it.each(['0.0.0.0/0', '::/0', '0.0.0.0/1', '::ffff:0:0/96', '::/64'])(
    'do not hold a large part of all addresses: %s',
    (network) => {
      expect(problemsOf({ env: { TRUSTED_PROXIES: network } })).toEqual([
        { setting: 'listen.trustedProxies.0', source: 'TRUSTED_PROXIES', message },
      ]);
    },
  );

  it('are a list', () => {
    expect(wrongIn({ listen: { trustedProxies: '10.0.0.0/8' } })).toEqual([
      ['listen.trustedProxies', 'must be a list of addresses and networks'],
    ]);
  });
});

describe.each(['memberRequests', 'addressRequests'] as const)('limits.%s', (name) => {
  const limitOf = (limit: unknown) => settingsOf(inFile({ limits: { [name]: limit } })).settings.limits[name];

  it('is so many requests in a window, of a minute unless told', () => {
    expect(limitOf({ requests: 10 })).toEqual({ requests: 10, seconds: 60 });
    expect(limitOf({ requests: 10, seconds: 1 })).toEqual({ requests: 10, seconds: 1 });
    expect(limitOf(null)).toBeNull();
  });

  it.each([
    [{}, '.requests', 'must be a whole number from 1 to 1000000000'],
    [{ requests: 0 }, '.requests', 'must be a whole number from 1 to 1000000000'],
    [{ requests: 1.5 }, '.requests', 'must be a whole number from 1 to 1000000000'],
    [{ requests: 1, seconds: 0 }, '.seconds', 'must be a whole number from 1 to 86400'],
    [{ requests: 1, seconds: 86_401 }, '.seconds', 'must be a whole number from 1 to 86400'],
    [{ requests: 1, minutes: 1 }, '.minutes', 'is not a setting; known here: requests, seconds'],
    [600, '', 'must be an object'],
    [false, '', 'must be an object'],
  ])('is nothing else: %j', (limit, setting, message) => {
    expect(wrongIn({ limits: { [name]: limit } })).toEqual([[`limits.${name}${setting}`, message]]);
  });
});

import { describe, expect, it } from 'vitest';
import { environmentProxy, fixedProxy } from './proxy.ts';

const proxies = { HTTPS_PROXY: 'http://secure.proxy:3128', HTTP_PROXY: 'http://plain.proxy:3128' };

describe('environmentProxy', () => {
  it('selects HTTPS_PROXY for https origins and HTTP_PROXY for http ones', () => {
    const proxyFor = environmentProxy(proxies)!;
    expect(proxyFor('https://claims.internal')).toBe('http://secure.proxy:3128');
    expect(proxyFor('http://claims.internal:8080')).toBe('http://plain.proxy:3128');
    const onlyHttp = environmentProxy({ HTTP_PROXY: proxies.HTTP_PROXY })!;
    expect(onlyHttp('https://claims.internal')).toBeUndefined();
  });

  it('prefers a variable in lower case, unless it is empty', () => {
    expect(environmentProxy({ ...proxies, https_proxy: 'http://lower.proxy' })!('https://a.test')).toBe(
      'http://lower.proxy',
    );
    expect(environmentProxy({ ...proxies, https_proxy: '' })!('https://a.test')).toBe(proxies.HTTPS_PROXY);
    expect(environmentProxy({ ...proxies, no_proxy: 'a.test', NO_PROXY: '*' })!('https://b.test')).toBeDefined();
  });

  it('reads a proxy without a scheme as http', () => {
    expect(environmentProxy({ HTTPS_PROXY: 'proxy.corp:3128' })!('https://a.test')).toBe('http://proxy.corp:3128');
  });

  it('selects no proxy when none is set', () => {
    expect(environmentProxy({})).toBeUndefined();
    expect(environmentProxy({ HTTPS_PROXY: '', NO_PROXY: '*' })).toBeUndefined();
  });

  it.each([
    ['internal.test', 'https://internal.test', true],
    ['internal.test', 'https://claims.internal.test', true],
    ['.internal.test', 'https://claims.internal.test:8443', true],
    ['*.internal.test', 'https://claims.internal.test', true],
    ['INTERNAL.test.', 'https://claims.Internal.TEST', true],
    ['internal.test', 'https://notinternal.test', false],
    ['internal.test', 'https://internal.test.example', false],
    ['other.test, internal.test', 'http://internal.test', true],
    ['other.test internal.test', 'http://internal.test', true],
    ['internal.test:8443', 'https://internal.test:8443', true],
    ['internal.test:8443', 'https://internal.test', false],
    ['internal.test:443', 'https://internal.test', true],
    ['internal.test:80', 'http://internal.test', true],
    ['*', 'https://anything.test', true],
    ['*:8443', 'https://anything.test:8443', true],
    ['*:8443', 'https://anything.test', false],
    ['internal.test.', 'https://claims.internal.test', true],
    ['internal.test', 'https://internal.test.', true],
    ['internal.test:port', 'https://internal.test', false],
    ['a..internal.test', 'https://internal.test', false],
    ['127.0.0.1', 'http://127.0.0.1:9000', true],
    ['127.0.0.1', 'http://127.0.0.2', false],
    ['10.0.0.0/8', 'http://10.20.30.40', true],
    ['10.0.0.0/8', 'http://11.0.0.1', false],
    ['10.0.0.0/99', 'http://10.0.0.1', false],
    ['10.0.0.0/', 'http://11.0.0.1', false],
    ['10.0.0.0/0', 'http://11.0.0.1', true],
    ['10.0.0.0/8', 'http://claims.test', false],
    ['10.0.0.0/8', 'http://[::a00:1]', false],
    ['10.0.0.0/8:80', 'http://10.0.0.1', true],
    ['10.0.0.0/8:80', 'https://10.0.0.1', false],
    ['::1', 'http://[::1]:9000', true],
    ['::1', 'http://[::2]', false],
    ['::1', 'http://claims.test', false],
    ['::1:9000', 'http://[::1]:9000', false],
    ['[::1]', 'http://[::1]:9000', true],
    ['fd00::/128', 'http://[fd00::1]', false],
    ['[::1]:9000', 'http://[::1]:9000', true],
    ['[::1]:9001', 'http://[::1]:9000', false],
    ['fd00::/8', 'http://[fd12::1]', true],
    ['fd00::/8', 'http://10.0.0.1', false],
    ['', 'http://internal.test', false],
    [',', 'http://internal.test', false],
  ])('reads the exception %j for %s', (exceptions, origin, isDirect) => {
    const proxy = environmentProxy({ ...proxies, NO_PROXY: exceptions })!(origin);
    expect(proxy === undefined).toBe(isDirect);
  });

  it.each([
    'ftp://user:hunter2@proxy',
    'xhttp://hunter2',
    'httpx://hunter2',
    'http://',
    'socks5://hunter2',
    'http://%zz:hunter2@proxy',
    'http://hunter2:%zz@proxy',
  ])('names the variable of an invalid proxy, but not its value %s', (value) => {
    const message = 'HTTPS_PROXY must be an http or https URL.';
    expect(() => environmentProxy({ HTTPS_PROXY: value })).toThrow(new TypeError(message));
  });
});

describe('fixedProxy', () => {
  it('selects the same proxy for every origin', () => {
    const proxyFor = fixedProxy('https://proxy.corp');
    expect([proxyFor('http://127.0.0.1'), proxyFor('https://a.test')]).toEqual([
      'https://proxy.corp',
      'https://proxy.corp',
    ]);
  });

  it.each(['socks5://user:hunter2@proxy', 'hunter2', 'proxy.corp:3128'])('does not show the invalid URL %s', (url) => {
    expect(() => fixedProxy(url)).toThrow(new TypeError('The proxy must be an http or https URL.'));
  });
});

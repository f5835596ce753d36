import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { err } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { aMember, fakeClock } from '@portico/core/testing';
import { upstream } from '@portico/core';
import { httpEligibility } from '../downstreams/eligibility.ts';
import { httpSearchTransport } from '../beckn/search-transport.ts';
import { becknRegistry } from '../beckn/registry.ts';
import { httpIdentity } from '../identity/identity.ts';
import { checkTls, type TlsSettings } from './connection.ts';
import { fixedProxy } from './proxy.ts';
import type { HttpSettings } from '../http/client.ts';
import { describeOnce, loopbackTls, tcpServer } from '../http/local-servers.test.support.ts';
import { ca, clientTls, forwardProxy, mutualTlsService, pemFile, plainService } from './tls-servers.test.support.ts';

const unreachable = { error: upstream('eligibility', 'unreachable') };

const coverageFrom = (url: string, settings: HttpSettings) => {
  const member = aMember();
  const { coverage } = httpEligibility({ url, ...settings });
  return () => coverage(member);
};

/** Only the connection has a deadline. */
const waiting = () => ({ clock: fakeClock(), timeoutMs: 1 });

const overTls = (port: number, settings: TlsSettings) =>
  coverageFrom(`https://127.0.0.1:${port}`, { tls: { serverName: 'service.test', ...settings } })();

const namedTls = (name: 'client-1' | 'client-2') => ({ ...clientTls(name), serverName: 'service.test' });

describe('TLS to a service', () => {
  it('identifies Portico by its client certificate to a service that demands one', async () => {
    const { port, clients } = await mutualTlsService();
    expect(await overTls(port, clientTls('client-1'))).toMatchObject({ value: { value: {} } });
    expect(clients).toEqual(['client-1']);
  });

  it('cannot call a service that demands a client certificate without one', async () => {
    const { port, received } = await mutualTlsService();
    expect(await overTls(port, { ca })).toMatchObject(unreachable);
    expect(received).toEqual([]);
  });

  it('does not trust the CA of a service that is not in the settings', async () => {
    const { port, received } = await mutualTlsService({ requestCert: false });
    expect(await overTls(port, {})).toMatchObject(unreachable);
    expect(received).toEqual([]);
    expect(await overTls(port, { ca })).toMatchObject({ value: { value: {} } });
  });

  it('trusts only the CAs in the settings, not those of Node too', async () => {
    const { port, received } = await mutualTlsService({ requestCert: false });
    const own = new URL('../http/loopback-certificate.test.pem', import.meta.url);
    expect(await overTls(port, { ca: readFileSync(own, 'utf8') })).toMatchObject(unreachable);
    expect(received).toEqual([]);
  });

  it('refuses a certificate for another name, unless it is the configured server name', async () => {
    const { port, received } = await mutualTlsService({ requestCert: false });
    expect(await overTls(port, { ca, serverName: 'other.test' })).toMatchObject(unreachable);
    expect(received).toEqual([]);
    expect(await overTls(port, { ca, serverName: 'renamed.test' })).toMatchObject({ value: { value: {} } });
  });

  it('refuses unverified certificates even when a variable of Node permits them', async () => {
    const { port, received } = await mutualTlsService({ requestCert: false });
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const results = await Promise.all([overTls(port, {}), coverageFrom(`https://127.0.0.1:${port}`, {})()]);
    vi.unstubAllEnvs();
    expect(results).toMatchObject([unreachable, unreachable]);
    expect(received).toEqual([]);
  });

  it('refuses a server that speaks only TLS 1.1, even when the defaults of Node permit it', async () => {
    const ciphers = 'DEFAULT:@SECLEVEL=0';
    const { port, received } = await mutualTlsService({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers });
    const defaults = [tls.DEFAULT_MIN_VERSION, tls.DEFAULT_CIPHERS] as const;
    [tls.DEFAULT_MIN_VERSION, tls.DEFAULT_CIPHERS] = ['TLSv1', ciphers];
    const result = await overTls(port, clientTls('client-1'));
    [tls.DEFAULT_MIN_VERSION, tls.DEFAULT_CIPHERS] = defaults;
    expect(result).toMatchObject(unreachable);
    expect(received).toEqual([]);
  });

  it('uses a changed certificate for the next request, and keeps its connection as long as nothing changes', async () => {
    const { port, clients } = await mutualTlsService();
    let current = namedTls('client-1');
    const call = coverageFrom(`https://127.0.0.1:${port}`, { tls: () => current });
    await call();
    await nextTurn();
    await call();
    expect(clients).toEqual(['client-1']);
    current = namedTls('client-2');
    expect(await call()).toMatchObject({ value: { value: {} } });
    expect(clients).toEqual(['client-1', 'client-2']);
  });

  it('finishes a request in flight when the certificate changes', async () => {
    const { promise: held, resolve: respond } = Promise.withResolvers<void>();
    const { port, clients, received } = await mutualTlsService({}, held);
    let current = namedTls('client-1');
    const call = coverageFrom(`https://127.0.0.1:${port}`, { tls: () => current });
    const first = call();
    await expect.poll(() => received.length, { interval: 1 }).toBe(1);
    current = namedTls('client-2');
    const second = call();
    await expect.poll(() => clients, { interval: 1 }).toEqual(['client-1', 'client-2']);
    respond();
    expect(await Promise.all([first, second])).toMatchObject([{ value: { value: {} } }, { value: { value: {} } }]);
  });
});

describe('checkTls', () => {
  it('accepts a CA, a certificate with its key, and no settings', () => {
    expect(() => [checkTls({ ca }), checkTls(clientTls('client-1')), checkTls({})]).not.toThrow();
  });

  it.each([
    ['a CA with an invalid certificate', { ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }],
    ['a key of another certificate', { cert: pemFile('client-1'), key: pemFile('client-2') }],
    ['a certificate that is not PEM', { cert: 'no certificate', key: pemFile('client-1') }],
  ])('rejects %s', (_, settings) => {
    expect(() => checkTls(settings)).toThrow();
  });

  it.each([
    ['a certificate without a key', { cert: pemFile('client-1') }, 'A certificate and its key belong together.'],
    ['a key without a certificate', { key: pemFile('client-1') }, 'A certificate and its key belong together.'],
    ['an empty certificate', { cert: '', key: pemFile('client-1') }, 'A certificate and its key must not be empty.'],
    ['an empty key', { cert: pemFile('client-1'), key: '' }, 'A certificate and its key must not be empty.'],
    ['an empty CA', { ca: '' }, 'A CA must have at least one certificate in PEM.'],
    ['a CA that is not PEM', { ca: 'canary' }, 'A CA must have at least one certificate in PEM.'],
  ])('states why it rejects %s', (_, settings, message) => {
    expect(() => checkTls(settings)).toThrow(new TypeError(message));
  });

  it('rejects a CA whose second certificate is invalid', () => {
    const invalid = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    expect(() => checkTls({ ca: `${ca}\n${invalid}\n` })).toThrow();
    expect(() => checkTls({ ca: `${ca}\n${ca}\n` })).not.toThrow();
  });
});

describeOnce('a connection that cannot be opened', () => {
  it.each([
    ['the TLS handshake', (url: string) => coverageFrom(url.replace('http:', 'https:'), waiting())],
    ['the tunnel', (url: string) => coverageFrom('https://service.test', { ...waiting(), proxy: fixedProxy(url) })],
  ])('is closed when the deadline of the call has passed and %s has no response', async (_, callTo) => {
    const silent = await tcpServer(() => {});
    expect(await callTo(silent.url)()).toEqual(err(upstream('eligibility', 'timeout')));
    await silent.until(() => silent.open === 0);
    expect(silent.requests).toHaveLength(1);
  });
});

describe('a proxy', () => {
  it('carries requests to an https service through a tunnel, with the client certificate inside', async () => {
    const { port, clients, received } = await mutualTlsService();
    const proxy = await forwardProxy();
    const call = coverageFrom(`https://service.test:${port}`, {
      tls: clientTls('client-1'),
      proxy: fixedProxy(proxy.url),
    });
    expect(await call()).toMatchObject({ value: { value: {} } });
    expect(proxy.received).toEqual([{ method: 'CONNECT', target: `service.test:${port}`, authorization: undefined }]);
    expect(clients).toEqual(['client-1']);
    expect(received[0]?.headers).toMatchObject({ host: `service.test:${port}`, 'accept-encoding': 'identity' });
    await nextTurn();
    await call();
    expect(proxy.received).toHaveLength(1);
  });

  it('receives the credentials in its URL, and the service does not', async () => {
    const { port, received } = await mutualTlsService();
    const plain = await plainService();
    const proxy = await forwardProxy();
    const settings = {
      tls: clientTls('client-1'),
      proxy: fixedProxy(`http://portico:p%40ss@127.0.0.1:${proxy.port}`),
    };
    await coverageFrom(`https://service.test:${port}`, settings)();
    await coverageFrom(`http://service.test:${plain.port}`, settings)();
    const authorization = `Basic ${Buffer.from('portico:p@ss').toString('base64')}`;
    expect(proxy.received.map((request) => request.authorization)).toEqual([authorization, authorization]);
    expect(received[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('receives the whole URL of a request to a plain http service', async () => {
    const { port, received } = await plainService();
    const proxy = await forwardProxy();
    const call = coverageFrom(`http://service.test:${port}`, { proxy: fixedProxy(proxy.url) });
    expect(await call()).toMatchObject({ value: { value: {} } });
    expect(proxy.received).toMatchObject([
      { method: 'GET', target: expect.stringContaining(`http://service.test:${port}/members/`) },
    ]);
    expect(received[0]?.headers.host).toBe(`service.test:${port}`);
  });

  it('can itself be reached over TLS', async () => {
    const { port } = await mutualTlsService();
    const plain = await plainService();
    const proxy = await forwardProxy(undefined, loopbackTls);
    const settings = { tls: clientTls('client-1'), proxy: fixedProxy(proxy.url.replace('127.0.0.1', 'localhost')) };
    expect(await coverageFrom(`https://service.test:${port}`, settings)()).toMatchObject({ value: { value: {} } });
    expect(await coverageFrom(`http://service.test:${plain.port}`, settings)()).toMatchObject({ value: { value: {} } });
    expect(proxy.received.map(({ method }) => method)).toEqual(['CONNECT', 'GET']);
  });

  it('a proxy with a certificate that is not trusted receives no request', async () => {
    const proxy = await forwardProxy(undefined, { cert: pemFile('server'), key: pemFile('server') });
    const call = coverageFrom('https://service.test', { tls: { ca }, proxy: fixedProxy(proxy.url) });
    expect(await call()).toMatchObject(unreachable);
    expect(proxy.received).toEqual([]);
  });

  it.each([407, 503])('makes a service unreachable when it refuses the tunnel with %d', async (status) => {
    const proxy = await forwardProxy(status);
    const call = coverageFrom('https://service.test', { proxy: fixedProxy(proxy.url) });
    expect(await call()).toMatchObject(unreachable);
  });

  it('makes a plain http service unreachable when it demands other credentials', async () => {
    const proxy = await forwardProxy(407);
    const call = coverageFrom('http://service.test', { proxy: fixedProxy(proxy.url) });
    expect(await call()).toMatchObject(unreachable);
  });

  it('does not hide a certificate for another name', async () => {
    const { port, received } = await mutualTlsService({ requestCert: false });
    const proxy = await forwardProxy();
    const call = coverageFrom(`https://other.test:${port}`, { tls: { ca }, proxy: fixedProxy(proxy.url) });
    expect(await call()).toMatchObject(unreachable);
    expect(received).toEqual([]);
  });

  it('carries searches, registry lookups and requests to the identity provider too', async () => {
    const { port } = await plainService();
    const proxy = await forwardProxy();
    const url = `http://service.test:${port}`;
    const connection = { proxy: fixedProxy(proxy.url) };
    const leg = { id: 'mh', gatewayUrl: url, gatewayPath: '/search' };
    const signal = new AbortController().signal;
    await httpSearchTransport(connection).post(leg as never, {} as never, signal);
    await becknRegistry({ url, ...connection }).publicKeys('seller.test', 'k1');
    await httpIdentity({ issuer: url, audience: ['portico'], ...connection }).warm();
    expect(proxy.received.map(({ target }) => target)).toEqual([
      `${url}/search`,
      `${url}/lookup`,
      `${url}/.well-known/openid-configuration`,
    ]);
  });
});

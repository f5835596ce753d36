import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { transportOf } from '@portico/adapters-http';
import { systemClock } from '@portico/core/system';
import { searchUseCasesToken, useCasesToken } from '@portico/core/inversify';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkRunner } from '../doctor/check.ts';
import { examine } from '../doctor/doctor.ts';
import { freePort, identityProvider, legAt, sendJson, webServer } from '../program/outside-world.test.support.ts';
import { compose, composeIdentity } from '../serve/compose.ts';
import { deviceEndpoints } from '../session/login/oauth-client.ts';
import { problemsOf, settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';
import { proxyOf } from './connections.ts';
import { serverClient } from './server-client.ts';
import { startTelemetry } from '../telemetry/telemetry.ts';
import { clientFiles, forwardProxy, mutualTlsService, pemOf, pemPath } from './remote-servers.test.support.ts';
import { signInProvider } from '../settings/sections/identity-schema.ts';

const test = { onTestFinished };

beforeEach(() => {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'])
    for (const variable of [name, name.toLowerCase()]) vi.stubEnv(variable, undefined);
  return () => void vi.unstubAllEnvs();
});

const loaded = (settings: object) => settingsOf({ flags: { '--config': settingsFile(settings) } });

/** A member's claims, as a server with these settings reads them. */
const claimsOf = (settings: object, token: string) => {
  const use = compose(loaded(settings).settings).get(useCasesToken);
  return use.authenticate(token).andThen((member) => use.listClaims!(member, []));
};

const named = (url: string, host: string): string => url.replace('127.0.0.1', host);

describe('a service with TLS settings', () => {
  it('is named in the log when its files changed, with the reason when they cannot be used', async () => {
    const lines: unknown[] = [];
    const log = Object.assign((...line: readonly unknown[]) => lines.push(line), { flush: () => {} });
    const { settings, sourceOf } = loaded({});
    const { observer } = await startTelemetry(settings, sourceOf, log, { version: '1' });
    observer.tlsReloaded?.('listen.tls', undefined);
    observer.tlsReloaded?.('downstreams.claims.tls', 'certFile cannot be read (ENOENT)');
    expect(lines).toEqual([
      ['info', 'TLS files changed', { setting: 'listen.tls' }],
      [
        'warn',
        'TLS files changed, but the previous ones stay in use',
        { setting: 'downstreams.claims.tls', problem: 'certFile cannot be read (ENOENT)' },
      ],
    ]);
  });

  it('gets requests over TLS with the client certificate', async () => {
    const { issuer, token } = await identityProvider(test);
    const { port } = await mutualTlsService();
    const tls = { ...clientFiles('client-1'), serverName: 'service.test' };
    const downstreams = { claims: { url: `https://127.0.0.1:${port}`, tls } };
    expect(await claimsOf({ identity: { issuer }, downstreams }, token())).toMatchObject({
      value: { value: { client: 'client-1', url: '/members/PTY-1/claims' } },
    });
  });

  it('is checked by portico doctor over the same connection', async () => {
    const { issuer } = await identityProvider(test);
    const { port } = await mutualTlsService();
    const proxy = await forwardProxy();
    const url = `https://service.test:${port}`;
    const settings = (tls: object) => ({
      identity: { issuer },
      downstreams: { claims: { url, tls } },
      proxy: proxy.url,
    });
    const check = checkRunner(systemClock, new AbortController().signal, 60_000);
    const doctorFinds = async (tls: object) => {
      const { checks } = await examine(loaded(settings(tls)), undefined, systemClock, check);
      return checks.find(({ name }) => name === 'claims service');
    };
    expect(await doctorFinds(clientFiles('client-1'))).toMatchObject({ outcome: 'ok', detail: 'HTTP 200' });
    expect(proxy.received).toContain(`CONNECT service.test:${port}`);
    const { caFile } = clientFiles('client-1');
    expect(await doctorFinds({ caFile })).toMatchObject({
      outcome: 'failed',
      advice: expect.stringContaining('certificate'),
    });
  });
});

it('the TLS files of a service with an http URL are a problem: they would have no effect', () => {
  const downstreams = { claims: { url: 'http://claims.example', tls: clientFiles('client-1') } };
  const file = { identity: { issuer: 'https://id.example' }, downstreams };
  expect(problemsOf({ flags: { '--config': settingsFile(file) } })).toMatchObject([
    { setting: 'downstreams.claims.tls', message: 'requires an https url' },
  ]);
});

it('portico doctor tests the callback URL of a leg over TLS when listen.tls is set', async () => {
  const authorities = getCACertificates('default');
  setDefaultCACertificates([...authorities, pemOf('ca')]);
  onTestFinished(() => setDefaultCACertificates(authorities));
  const network = await webServer(test, (response) => response.end());
  const proxy = await forwardProxy();
  const port = await freePort();
  const settings = {
    listen: { port, tls: { certFile: pemPath('server'), keyFile: pemPath('server') } },
    search: { legs: { mh: legAt(network.url, { bapUri: `https://service.test:${port}` }) } },
    proxy: proxy.url,
  };
  const check = checkRunner(systemClock, new AbortController().signal, 60_000);
  const { checks } = await examine(loaded(settings), undefined, systemClock, check);
  expect(checks.find(({ name }) => name === 'callback URL of leg mh')).toMatchObject({
    outcome: 'ok',
    detail: 'leads to this machine',
  });
});

describe('a proxy', () => {
  it('gets the requests to services, the identity provider and legs', async () => {
    const identity = await identityProvider(test);
    const service = await webServer(test, (response) => sendJson(response, []));
    const network = await webServer(test, (response) => sendJson(response, { message: { catalog: {} } }));
    const proxy = await forwardProxy();
    const url = named(service.url, 'service.test');
    const settings = {
      identity: { issuer: identity.issuer },
      downstreams: { claims: { url } },
      search: { legs: { mh: legAt(named(network.url, 'network.test')) } },
      proxy: proxy.url,
    };
    expect(await claimsOf(settings, identity.token())).toMatchObject({ value: { text: '[]' } });
    const { search } = compose(loaded(settings).settings).get(searchUseCasesToken);
    await search({ persona: 'member', query: 'dental', user_id: 'u-1' });
    await network.firstRequest;
    expect(proxy.received).toEqual([
      `GET ${identity.issuer}/.well-known/openid-configuration`,
      `GET ${identity.issuer}/keys`,
      `GET ${url}/members/PTY-1/claims`,
      `POST ${named(network.url, 'network.test')}/search`,
    ]);
  });

  it('is read from the variables by default, with exceptions', async () => {
    const identity = await identityProvider(test);
    const service = await webServer(test, (response) => sendJson(response, []));
    const proxy = await forwardProxy();
    vi.stubEnv('HTTP_PROXY', proxy.url);
    vi.stubEnv('NO_PROXY', '127.0.0.1');
    const url = named(service.url, 'service.test');
    const settings = { identity: { issuer: identity.issuer }, downstreams: { claims: { url } } };
    expect(await claimsOf(settings, identity.token())).toMatchObject({ value: { text: '[]' } });
    expect(proxy.received).toEqual([`GET ${url}/members/PTY-1/claims`]);
  });

  it('gets the requests for the tokens of services', async () => {
    const provider = await webServer(test, (response) =>
      sendJson(response, { access_token: 'a.b.c', token_type: 'Bearer', expires_in: 300 }),
    );
    const { issuer, token } = await identityProvider(test);
    const service = await webServer(test, (response) => sendJson(response, []));
    const proxy = await forwardProxy();
    const tokenUrl = `${named(provider.url, 'identity.test')}/token`;
    const settings = {
      identity: { issuer, tokenUrl, client: { id: 'portico', secret: 'hunter2' } },
      downstreams: { claims: { url: service.url, credentials: { kind: 'client-credentials' } } },
      proxy: proxy.url,
    };
    expect(await claimsOf(settings, token())).toMatchObject({ value: { text: '[]' } });
    expect(proxy.received).toContain(`POST ${tokenUrl}`);
  });

  it('gets the requests of a sign-in by device code', async () => {
    const { issuer } = await identityProvider(test);
    const proxy = await forwardProxy();
    const transport = transportOf(proxyOf(proxy.url));
    await deviceEndpoints(transport, issuer, new AbortController().signal);
    expect(proxy.received).toEqual([`GET ${issuer}/.well-known/openid-configuration`]);
  });

  it('gets the requests to a running Portico', async () => {
    const server = await webServer(test, (response) => sendJson(response, { legs: [] }));
    const proxy = await forwardProxy();
    const url = named(server.url, 'portico.test');
    await serverClient(loaded({ proxy: proxy.url }).settings, { url }).asyncAndThen((client) => client.listLegs());
    expect(proxy.received).toEqual([`GET ${url}/api/legs`]);
  });

  it('a proxy from the variables is not used when the setting is null', async () => {
    const identity = await identityProvider(test);
    const proxy = await forwardProxy();
    vi.stubEnv('HTTP_PROXY', proxy.url);
    expect(
      await composeIdentity(identitySettings(identity.issuer)!, loaded({ proxy: null }).settings.proxy).verify(
        identity.token(),
      ),
    ).toMatchObject({
      value: { sub: 'PTY-1' },
    });
    expect(proxy.received).toEqual([]);
  });

  it.each(['socks5://user:hunter2@proxy', 'hunter2', ''])('cannot be %j', (proxy) => {
    const problems = problemsOf({ flags: { '--config': settingsFile({ proxy }) } });
    expect(problems).toMatchObject([{ setting: 'proxy', message: expect.stringContaining('http or https URL') }]);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it('an invalid proxy in a variable is a problem that names the variable', () => {
    expect(problemsOf({ env: { HTTPS_PROXY: 'ftp://hunter2' } })).toEqual([
      { setting: 'proxy', source: 'not set', message: 'HTTPS_PROXY must be an http or https URL.' },
    ]);
  });
});

const identitySettings = (issuer: string) =>
  signInProvider(loaded({ identity: { issuer }, downstreams: { claims: { url: issuer } } }).settings);

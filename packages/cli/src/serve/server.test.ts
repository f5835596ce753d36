import { okAsync } from 'neverthrow';
import { httpClaims, noCredentials, type ServiceObserver } from '@portico/adapters-http';
import { serviceObserverToken } from '@portico/adapters-http/inversify';
import { portTokens } from '@portico/core/inversify';
import { type Claims, declareService, type Identity, ownService, type ServicePort, toJson } from '@portico/core';
import { ContainerModule } from 'inversify';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  bearer,
  identityProvider,
  memberEnvironment,
  sendJson,
  webServer,
} from '../program/outside-world.test.support.ts';
import { exitSignals } from '../output/exit-code.ts';
import { problemsOf, settingsOf } from '../settings/settings-file.test.support.ts';
import { logInto, startedServer } from './running-server.test.support.ts';
import { serve, type ServeOptions } from './server.ts';

const test = { onTestFinished };

const settingsWith = (values: object, env: Readonly<Record<string, string>> = {}) =>
  settingsOf({ values: { listen: { port: 0 }, ...values }, env, hasModules: true });

const started = (options: ServeOptions) => startedServer(test, options);

/** Starts a server with the member API. One upstream server plays all services. */
const memberServer = async (options: Omit<ServeOptions, 'settings'> = {}, values: object = {}) => {
  const identity = await identityProvider(test);
  const services = await webServer(test, (response) => sendJson(response, { from: 'the service' }));
  const lines: string[] = [];
  const { settings } = settingsWith(values, memberEnvironment(identity.issuer, services.url));
  const server = await started({ settings, log: logInto(lines), ...options });
  const get = async (path: string) => {
    const response = await fetch(server.url + path, bearer(identity.token()));
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return { server, identity, services, lines, get };
};

const ourClaims = { list: () => okAsync(toJson({ from: 'our adapter' })) } as unknown as Claims;
const withOurClaims = new ContainerModule(({ rebind }) => void rebind(portTokens.claims).toConstantValue(ourClaims));

const listeners = () => exitSignals.map((signal) => process.listenerCount(signal));

describe('serve', () => {
  it('serves on a free port, and closes everything that it opened', async () => {
    const { server, get } = await memberServer();
    expect(server.serves).toEqual(['member portal']);
    expect(await get('/me/coverage')).toMatchObject({ status: 200, body: { from: 'the service' } });
    const closing = server.close();
    expect(server.close()).toBe(closing);
    await closing;
    await expect(server.closed).resolves.toBeUndefined();
    await expect(fetch(server.url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it('uses the adapter of a module in place of its own', async () => {
    const { get, services } = await memberServer({ modules: [withOurClaims] });
    expect((await get('/me/claims')).body).toEqual({ from: 'our adapter' });
    expect((await get('/me/coverage')).body).toEqual({ from: 'the service' });
    expect(services.received).toEqual(['GET /eligibility/members/PTY-1/coverage']);
  });

  it('serves a service that only a module has', async () => {
    const identity = await identityProvider(test);
    const { settings } = settingsWith({ identity: { issuer: identity.issuer } });
    const { url, serves } = await started({ settings, log: logInto([]), modules: [withOurClaims] });
    const statusOf = async (path: string) => (await fetch(url + path, bearer(identity.token()))).status;
    expect(serves).toEqual(['member portal']);
    expect([await statusOf('/me/claims'), await statusOf('/me/coverage')]).toEqual([200, 404]);
  });

  it('serves a service of its own with its adapter, and the services of the settings beside it', async () => {
    const visits = declareService('visits', {
      list: { route: 'GET /me/visits', path: '/members/{partyLocator}/visits' },
    });
    const adapter: ServicePort<typeof visits> = {
      list: ({ locator }) => okAsync({ ...toJson({ visitsOf: locator }), status: 200 }),
    };
    const { get } = await memberServer({ services: [ownService(visits, adapter)] });
    expect((await get('/me/visits')).body).toEqual({ visitsOf: 'PTY-1' });
    expect((await get('/me/coverage')).body).toEqual({ from: 'the service' });
  });

  it('runs middleware before the routes, and adds request id and security headers to its responses', async () => {
    const { get, lines, services } = await memberServer({
      middleware: [
        async (ctx, next) => {
          ctx.set('X-Ours', 'yes');
          await next();
        },
        (ctx, next) => {
          if (ctx.path !== '/me/claims') return next();
          ctx.body = { from: 'the middleware' };
          return undefined;
        },
      ],
    });
    const own = await get('/me/claims');
    expect(own.body).toEqual({ from: 'the middleware' });
    expect(own.headers.get('x-content-type-options')).toBe('nosniff');
    expect(services.received).toEqual([]);
    expect((await get('/me/coverage')).headers.get('x-ours')).toBe('yes');
    await expect.poll(() => lines.length).toBe(2);
    expect(lines[0]).toContain(own.headers.get('x-request-id'));
  });

  it('responds with 500 when middleware throws, without its message', async () => {
    const { get, lines } = await memberServer({
      middleware: [
        () => {
          throw new Error('hunter2');
        },
      ],
    });
    const { status, body } = await get('/me/claims');
    expect([status, body]).toMatchObject([500, { code: 'internal' }]);
    await expect.poll(() => lines.join()).toContain('unexpected error');
    expect(JSON.stringify(body) + lines.join()).not.toContain('hunter2');
  });

  it('logs and returns the reason when middleware has read the body of a claim', async () => {
    const { server, identity, lines } = await memberServer({
      middleware: [
        async ({ req }, next) => {
          for await (const _ of req) {
            // discarded
          }
          await next();
        },
      ],
    });
    const { headers } = bearer(identity.token());
    const response = await fetch(`${server.url}/me/claims`, {
      method: 'POST',
      body: '{"type":"dental"}',
      headers: { ...headers, 'content-type': 'application/json' },
    });
    const reason = 'The request body was read before the routes of Portico.';
    expect([response.status, await response.json()]).toMatchObject([500, { detail: expect.stringContaining(reason) }]);
    await expect.poll(() => lines.join()).toContain(reason);
  });

  it.skipIf(process.platform !== 'linux')('shares its port with reusePort only', async () => {
    const first = await started({ ...settingsWith({ listen: { port: 0, reusePort: true } }), log: logInto([]) });
    const port = Number(new URL(first.url).port);

    const second = await started({ ...settingsWith({ listen: { port, reusePort: true } }), log: logInto([]) });
    const third = await serve({ ...settingsWith({ listen: { port } }), log: logInto([]) });

    expect(second.url).toBe(first.url);
    expect(third).toMatchObject({ error: { problems: [{ setting: 'listen.port' }] } });
  });

  it('returns the problem of a port in use, and can be started again', async () => {
    const other = await webServer(test, () => {});
    const { settings, sourceOf } = settingsWith({ listen: { port: Number(new URL(other.url).port) } });
    const failed = await serve({ settings, sourceOf, log: logInto([]) });
    expect(failed).toMatchObject({
      error: {
        message: 'Cannot start the server.',
        problems: [{ setting: 'listen.port', source: 'settings', message: expect.stringContaining('already in use') }],
      },
    });
    await started({ ...settingsWith({}), log: logInto([]) });
  });

  it('rejects when a module throws', async () => {
    const broken = new ContainerModule(() => {
      throw new Error('a bug');
    });
    await expect(serve({ ...settingsWith({}), log: logInto([]), modules: [broken] })).rejects.toThrow('a bug');
  });

  it('keeps serving when the identity adapter of a module throws while its keys are fetched', async () => {
    const identity = {
      warm: () => {
        throw new Error('hunter2');
      },
    } as unknown as Identity;
    const withOurIdentity = new ContainerModule(
      ({ rebind }) => void rebind(portTokens.identity).toConstantValue(identity),
    );
    const { lines, server } = await memberServer({ modules: [withOurIdentity] });
    await expect.poll(() => lines.join()).toContain('no keys from the identity provider yet');
    expect(lines.join()).not.toContain('hunter2');
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  });

  it('counts the calls of an adapter of a module that uses its observer', async () => {
    const gone = await webServer(test, (response) => void response.writeHead(500).end());
    const measured = new ContainerModule(
      ({ rebind }) =>
        void rebind(portTokens.claims).toResolvedValue(
          (observer: ServiceObserver) => httpClaims({ url: gone.url, credentials: noCredentials, observer }),
          [serviceObserverToken],
        ),
    );
    const { get, lines } = await memberServer({ modules: [measured] }, { metrics: { port: 0 } });
    expect((await get('/me/claims')).status).toBe(502);
    const [metricsUrl = ''] = /http:[^"]+metrics/.exec(lines.join()) ?? [];
    const metrics = await (await fetch(metricsUrl)).text();
    expect(metrics).toMatch(/^portico_downstream_calls_total\{service="claims",outcome="status"\} [1-9]/m);
  });

  it('ends metrics and log when a module throws while it is deactivated', async () => {
    const broken = new ContainerModule(
      ({ rebind }) =>
        void rebind(portTokens.claims)
          .toDynamicValue(() => ourClaims)
          .inSingletonScope()
          .onDeactivation(() => {
            throw new Error('a bug');
          }),
    );
    const identity = await identityProvider(test);
    const values = { identity: { issuer: identity.issuer }, downstreams: { claims: { url: identity.issuer } } };
    const metrics = { port: 0 };
    const lines: string[] = [];
    const { settings } = settingsWith({ ...values, metrics });
    const result = await serve({ settings, log: logInto(lines), modules: [broken] });
    const server = result.unwrapOr(undefined);
    await fetch(`${server?.url}/me/claims`, bearer(identity.token()));
    await expect(server?.close()).rejects.toThrow('a bug');
    const [metricsUrl = ''] = /http:[^"]+metrics/.exec(lines.join()) ?? [];
    expect(metricsUrl).not.toBe('');
    await expect(fetch(metricsUrl)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it('the server listens for signals only with `signals: true`, and only until it is closed', async () => {
    const before = listeners();
    const quiet = await started({ ...settingsWith({}), log: logInto([]) });
    expect(listeners()).toEqual(before);
    const watching = await started({ ...settingsWith({}), log: logInto([]), signals: true });
    expect(listeners()).toEqual(before.map((count) => count + 1));
    await Promise.all([quiet.close(), watching.close()]);
    expect(listeners()).toEqual(before);
  });
});

describe('settings from a program', () => {
  it('are overridden by variables, and are not changed', () => {
    const values = { listen: { host: '127.0.0.1', port: 1 } };
    const { settings, sourceOf } = settingsOf({ values, env: { PORT: '2' } });
    expect([settings.listen.port, sourceOf('listen.port'), sourceOf('listen.host')]).toEqual([2, 'PORT', 'settings']);
    expect(values.listen.port).toBe(1);
  });

  it('are checked as a file is', () => {
    expect(problemsOf({ values: { listen: { prt: 1 } } })).toMatchObject([
      { setting: 'listen.prt', source: 'settings', message: expect.stringContaining('did you mean port?') },
    ]);
  });
});

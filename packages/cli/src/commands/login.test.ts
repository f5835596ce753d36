import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  directory,
  documentIn,
  fileWith,
  inShell,
  memberSetup,
  portico,
  sendStatus,
  startPortico,
  type Test,
} from '../program/binary.test.support.ts';
import { sendJson, webServer } from '../program/outside-world.test.support.ts';

type Body = Readonly<Record<string, unknown>>;

/** Starts a provider whose token endpoint sends these responses in order, and services that accept its tokens. */
const setUp = async (
  test: Test,
  responses: readonly (readonly [status: number, body: Body])[],
  metadata: Body = {},
  device: Body = {},
) => {
  const { identity, service, withoutToken } = await memberSetup(test);
  const forms: Body[] = [];
  const left = [...responses];
  const { url: issuer } = await webServer(test, (response, request) => {
    void bodyOf(request).then((body) => {
      if (request.method === 'POST') forms.push(Object.fromEntries(new URLSearchParams(body.toString())));
      const path = request.url ?? '';
      if (path.endsWith('/openid-configuration'))
        return sendJson(response, {
          issuer,
          jwks_uri: identity.jwksUrl,
          token_endpoint: `${issuer}/token`,
          device_authorization_endpoint: `${issuer}/device`,
          ...metadata,
        });
      if (path === '/device')
        return sendJson(response, {
          device_code: 'd-1',
          user_code: 'WDJB-MJHT',
          verification_uri: 'https://id.example/device',
          interval: 0,
          ...device,
        });
      const [status, reply] = left.shift() ?? [500, {}];
      if (status === 0) response.destroy();
      else sendStatus(response, status, reply);
    });
  });
  const home = directory(test);
  const file = join(home, 'portico', 'token.json');
  const env = { ...withoutToken, IDENTITY_ISSUER: issuer, XDG_STATE_HOME: home };
  return { env, file, forms, service, issuer, token: identity.token({ iss: issuer }) };
};

const pending = [400, { error: 'authorization_pending' }] as const;
/** The provider closes the connection without a response. */
const lost = [0, {}] as const;

describe.concurrent('portico login', () => {
  it('prints a code, waits until it is confirmed, and saves the token for its owner only', async (test) => {
    const { env, file, forms } = await setUp(test, [pending, pending, [200, { access_token: 'secret-token' }]]);
    const ended = await portico(test, 'login --json', { env });

    expect([ended.exitCode, documentIn(ended)]).toEqual([0, { file }]);
    expect(ended.stderr).toBe('Open https://id.example/device\nand confirm the code WDJB-MJHT\n');
    expect(forms).toEqual([
      { client_id: 'portico-cli', scope: 'openid' },
      ...Array.from({ length: 3 }, () => ({
        client_id: 'portico-cli',
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: 'd-1',
      })),
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ accessToken: 'secret-token' });
    expect(ended.stdout + ended.stderr).not.toContain('secret-token');
  });

  it.for(['300', 0, 'soon'] as const)('stores when a token with the lifetime %j expires', async (lifetime, test) => {
    const { env, file } = await setUp(test, [[200, { access_token: 'secret-token', expires_in: lifetime }]]);
    const before = Date.now();
    await portico(test, 'login', { env });
    const { expiresAt } = JSON.parse(readFileSync(file, 'utf8')) as Body;

    if (lifetime !== '300') return expect(expiresAt).toBeUndefined();
    expect(expiresAt).toBeGreaterThanOrEqual(before + 300_000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 300_000);
  });

  it('keeps polling when the connection to the provider fails', async (test) => {
    const { env, file } = await setUp(test, [pending, lost, lost, pending, [200, { access_token: 'secret-token' }]]);

    expect(await portico(test, 'login', { env })).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ accessToken: 'secret-token' });
  });

  it('keeps polling when the provider is overloaded or fails', async (test) => {
    const overloaded = [429, { error: 'slow' }] as const;
    const failing = [503, { error: 'down' }] as const;
    const { env, file } = await setUp(test, [overloaded, failing, [200, { access_token: 'secret-token' }]]);

    expect(await portico(test, 'login', { env })).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ accessToken: 'secret-token' });
  });

  it('exits with 4 when the provider stays unreachable', async (test) => {
    const { env, forms } = await setUp(
      test,
      Array.from({ length: 20 }, () => lost),
    );

    expect(await portico(test, 'login', { env })).toMatchObject({ exitCode: 4 });
    expect(forms).toHaveLength(1 + 6);
  });

  it.for([
    ['access_denied', 'The sign-in was refused.'],
    ['expired_token', 'The code expired before it was confirmed.'],
    ['invalid_client', 'The identity provider rejected the sign-in.'],
  ] as const)('exits with 5 after the error %s', async ([error, detail], test) => {
    const { env, file } = await setUp(test, [pending, [400, { error, error_description: 'canary' }]]);
    const { exitCode, stderr } = await portico(test, 'login', { env });

    expect(exitCode).toBe(5);
    expect(stderr).toContain(`portico: ${detail}\n`);
    expect(stderr).not.toContain('canary');
    expect(existsSync(file)).toBe(false);
  });

  it('stops when the code has expired, also if the provider reports it as pending forever', async (test) => {
    const responses = Array.from({ length: 10_000 }, () => pending);
    const { env } = await setUp(test, responses, {}, { expires_in: 0.3 });
    const { exitCode, stderr } = await portico(test, 'login', { env });

    expect(exitCode).toBe(5);
    expect(stderr).toContain('portico: The code expired before it was confirmed.\n');
  });

  it('does not poll without a pause when the provider names a very long one', async (test) => {
    const device = { interval: 1e10, expires_in: 0.3 };
    const { env, forms } = await setUp(test, [[200, { access_token: 'secret-token' }]], {}, device);

    expect(await portico(test, 'login', { env })).toMatchObject({ exitCode: 5 });
    expect(forms).toHaveLength(1);
  });

  it('exits with 2 when the provider has no device codes', async (test) => {
    const { env } = await setUp(test, [], { device_authorization_endpoint: undefined });
    const { exitCode, stderr } = await portico(test, 'login', { env });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('does not support sign-in by device code');
  });

  it('exits with 4 when the discovery document names another issuer', async (test) => {
    const { env, forms } = await setUp(test, [], { issuer: 'https://other.example' });

    expect(await portico(test, 'login', { env })).toMatchObject({ exitCode: 4 });
    expect(forms).toEqual([]);
  });
});

const signedIn = async (test: Test, saved: (setup: { issuer: string; token: string }) => Body, refreshed?: Body) => {
  const setup = await setUp(test, [[200, { access_token: 'old' }], ...(refreshed ? [[200, refreshed] as const] : [])]);
  await portico(test, 'login', { env: setup.env });
  const content = { clientId: 'portico-cli', issuer: setup.issuer, ...saved(setup) };
  writeFileSync(setup.file, JSON.stringify(content), { mode: 0o600 });
  return setup;
};

/** An expired saved token, and a provider that replaces the refresh token `r-1` and accepts it only once. */
const expiring = async (test: Test, when: 'now' | 'later' = 'now') => {
  const { identity, service, withoutToken } = await memberSetup(test);
  const home = directory(test);
  const file = join(home, 'portico', 'token.json');
  const forms: (string | null)[] = [];
  const requested = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  if (when === 'now') released.resolve();
  const { url: issuer } = await webServer(test, (response, request) => {
    if (request.url?.endsWith('/openid-configuration'))
      return sendJson(response, {
        issuer,
        jwks_uri: identity.jwksUrl,
        token_endpoint: `${issuer}/token`,
        device_authorization_endpoint: `${issuer}/device`,
      });
    void bodyOf(request).then(async (body) => {
      forms.push(new URLSearchParams(body.toString()).get('refresh_token'));
      requested.resolve();
      await released.promise;
      const replaced = { access_token: identity.token({ iss: issuer }), expires_in: 300, refresh_token: 'r-2' };
      sendStatus(response, forms.length === 1 ? 200 : 400, forms.length === 1 ? replaced : { error: 'invalid_grant' });
    });
  });
  mkdirSync(join(home, 'portico'));
  const saved = { issuer, clientId: 'portico-cli', accessToken: 'old', expiresAt: 1, refreshToken: 'r-1' };
  writeFileSync(file, JSON.stringify(saved), { mode: 0o600 });
  return {
    env: { ...withoutToken, IDENTITY_ISSUER: issuer, XDG_STATE_HOME: home },
    file,
    forms,
    service,
    requested: requested.promise,
    respond: released.resolve,
    saved: () => JSON.parse(readFileSync(file, 'utf8')) as Body,
  };
};

describe.concurrent('the saved token', () => {
  it('the saved token is used by a command without another token', async (test) => {
    const { env } = await signedIn(test, ({ token }) => ({ accessToken: token }));

    expect(await portico(test, 'me coverage --json', { env })).toMatchObject({
      exitCode: 0,
      stdout: '{"locator":"COV-1"}\n',
    });
  });

  it('gives way to PORTICO_TOKEN', async (test) => {
    const { env, token } = await signedIn(test, () => ({ accessToken: 'not-a-token' }));

    expect(await portico(test, 'me coverage', { env })).toMatchObject({ exitCode: 5 });
    expect(await portico(test, 'me coverage', { env: { ...env, PORTICO_TOKEN: token } })).toMatchObject({
      exitCode: 0,
    });
  });

  it('the saved token is not used for another issuer', async (test) => {
    const { env, service } = await signedIn(test, ({ token }) => ({
      accessToken: token,
      issuer: 'https://other.example',
    }));

    expect(await portico(test, 'me coverage', { env })).toMatchObject({ exitCode: 5 });
    expect(service.received).toEqual([]);
  });

  it.for([
    { PORTICO_TOKEN: '' },
    { PORTICO_USERNAME: '' },
    { PORTICO_USERNAME: '', PORTICO_PASSWORD: 'secret' },
    { PORTICO_PASSWORD: 'secret' },
  ])('the saved token is not used beside credentials that are empty: %j', async (given, test) => {
    const { env, service } = await signedIn(test, ({ issuer, token }) => ({ accessToken: token, issuer }));

    expect(await portico(test, 'me coverage', { env: { ...env, ...given } })).toMatchObject({ exitCode: 5 });
    expect(service.received).toEqual([]);
  });

  it('the saved token that has expired is reported, with what to do', async (test) => {
    const { env } = await signedIn(test, ({ token }) => ({ accessToken: token, expiresAt: 1 }));

    expect(await portico(test, 'me coverage', { env })).toMatchObject({
      exitCode: 5,
      stderr: 'portico: The saved sign-in has expired.\n  Run "portico login" again.\n',
    });
  });

  it('the saved token that has expired is renewed with its refresh token', async (test) => {
    const later = await setUp(test, []);
    const refreshed = { access_token: later.token, expires_in: 300 };
    const { env, file, forms } = await signedIn(
      test,
      () => ({ accessToken: 'old', expiresAt: 1, refreshToken: 'r-1' }),
      refreshed,
    );
    await portico(test, 'me coverage', { env });

    expect(forms.at(-1)).toEqual({ client_id: 'portico-cli', grant_type: 'refresh_token', refresh_token: 'r-1' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ accessToken: later.token, refreshToken: 'r-1' });
  });

  it('the saved token is renewed without the secret of another client', async (test) => {
    const { env, forms } = await signedIn(test, () => ({ accessToken: 'old', expiresAt: 1, refreshToken: 'r-1' }), {
      access_token: 'new',
    });
    const given = { PORTICO_CLIENT_ID: 'batch', PORTICO_CLIENT_SECRET: 'secret-of-batch' };
    await portico(test, 'me coverage', { env: { ...env, ...given } });

    expect(forms.at(-1)).toEqual({ client_id: 'portico-cli', grant_type: 'refresh_token', refresh_token: 'r-1' });
  });

  it('the saved token is renewed with the secret of its client, which the command need not name again', async (test) => {
    const { env, forms } = await signedIn(
      test,
      () => ({ accessToken: 'old', expiresAt: 1, refreshToken: 'r-1', clientId: 'own' }),
      { access_token: 'new' },
    );
    await portico(test, 'me coverage', { env: { ...env, PORTICO_CLIENT_SECRET: 'secret' } });

    expect(forms.at(-1)).toMatchObject({ client_id: 'own', client_secret: 'secret' });
  });

  it('the saved token that has expired is renewed, also if the provider reports no lifetime', async (test) => {
    const later = await setUp(test, []);
    const claims = Buffer.from('{"exp":1}').toString('base64url');
    const saved = { accessToken: `e30.${claims}.c2ln`, refreshToken: 'r-1' };
    const { env, file } = await signedIn(test, () => saved, { access_token: later.token });
    await portico(test, 'me coverage', { env });

    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ accessToken: later.token, refreshToken: 'r-1' });
  });

  it('sends no request after Ctrl-C, although it waits for the refresh of the sign-in', async (test) => {
    const { env, service, requested, respond } = await expiring(test, 'later');
    const args = ['me', 'api', 'POST', '/me/claims', '--input', fileWith(test, '{"type":"dental"}')];
    const { until, interrupt } = startPortico(test, args, { env });
    await requested;
    const ended = interrupt();
    await until('stderr', /^portico: Waiting for the refresh of the saved sign-in\.\n/);
    respond();

    expect((await ended).exitCode).toBe(130);
    expect(service.received).toEqual([]);
  });

  it('the saved token is refreshed once by commands that run at the same time', async (test) => {
    const { env, forms, saved } = await expiring(test);
    const ended = await Promise.all([portico(test, 'me coverage', { env }), portico(test, 'me coverage', { env })]);

    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(forms).toEqual(['r-1']);
    expect(saved()).toMatchObject({ refreshToken: 'r-2' });
  });

  it('keeps a replaced refresh token when Ctrl-C interrupts the refresh, however long the provider takes', async (test) => {
    const { env, requested, respond, saved } = await expiring(test, 'later');
    const { until, interrupt } = startPortico(test, 'me coverage', { env });
    await requested;
    const ended = interrupt();
    await until('stderr', /^portico: Waiting for the refresh of the saved sign-in\.\n/);
    // As npm does when it forwards Ctrl-C.
    void interrupt();
    respond();

    expect((await ended).exitCode).toBe(130);
    expect(saved()).toMatchObject({ refreshToken: 'r-2' });
  });

  it('keeps its refresh token when a new one could not be saved', async (test) => {
    const { env, forms, saved } = await expiring(test);
    // No file may grow, which also holds for root.
    const { exitCode, stdout, stderr } = await inShell(test, 'ulimit -f 0; portico me coverage', { env }).ended;

    expect([exitCode, stdout, forms]).toEqual([1, '', []]);
    expect(stderr).toMatch(
      /^portico: The saved sign-in has expired, and a new token cannot be saved: .+ \(EFBIG\)\.\n/,
    );
    expect(saved()).toMatchObject({ refreshToken: 'r-1' });
  });

  it('stays removed when portico logout runs during a refresh', async (test) => {
    const { env, file, requested, respond } = await expiring(test, 'later');
    const reading = portico(test, 'me coverage', { env });
    await requested;
    await portico(test, 'logout', { env });
    respond();

    expect(await reading).toMatchObject({ exitCode: 0 });
    expect(existsSync(file)).toBe(false);
  });

  it('the saved token is not reported as expired when the provider fails', async (test) => {
    const { env, file } = await signedIn(test, () => ({ accessToken: 'old', expiresAt: 1, refreshToken: 'r-1' }));

    expect(await portico(test, 'me coverage', { env })).toMatchObject({ exitCode: 4 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ refreshToken: 'r-1' });
  });

  it.for([null, ''])('keeps its refresh token when the provider returns %j', async (none, test) => {
    const later = await setUp(test, []);
    const { env, file } = await signedIn(test, () => ({ accessToken: 'old', expiresAt: 1, refreshToken: 'r-1' }), {
      access_token: later.token,
      refresh_token: none,
    });
    await portico(test, 'me coverage', { env });

    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ accessToken: later.token, refreshToken: 'r-1' });
  });

  it('exits with 1 and names the file when portico logout cannot remove it', async (test) => {
    const { env, file } = await setUp(test, []);
    mkdirSync(file, { recursive: true });
    const { exitCode, stderr } = await portico(test, 'logout', { env });

    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Cannot remove ${file} (`);
  });

  it('the saved token is removed by portico logout', async (test) => {
    const { env, file } = await signedIn(test, ({ token }) => ({ accessToken: token }));

    expect(await portico(test, 'logout', { env })).toMatchObject({ exitCode: 0 });
    expect(existsSync(file)).toBe(false);
    expect(await portico(test, 'logout', { env })).toMatchObject({ exitCode: 0 });
  });
});

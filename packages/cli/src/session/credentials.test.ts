import { problemOf, unauthenticated, upstream } from '@portico/core';
import { describe, expect, it } from 'vitest';
import {
  documentIn,
  type Environment,
  fileWith,
  inShell,
  memberSetup,
  portico,
  type Test,
  tokenEndpoint,
  sendStatus,
  startPortico,
} from '../program/binary.test.support.ts';
import { closedPort, sendJson, webServer } from '../program/outside-world.test.support.ts';

const noToken = { ok: false, code: 'unauthenticated', detail: problemOf(unauthenticated('missing')).detail };

/** Starts a token endpoint with one user and one client, for a member without a token. */
const withTokenEndpoint = async (test: Test) => {
  const setup = await memberSetup(test);
  const token = setup.identity.token();
  const endpoint = await tokenEndpoint(test, (response, form) => {
    const isKnown =
      form.get('grant_type') === 'password'
        ? form.get('username') === 'sample-a' && form.get('password') === 'p@ss w&rd='
        : form.get('client_secret') === 's3cret/+';
    if (isKnown) sendJson(response, { access_token: token, token_type: 'Bearer', expires_in: 300 });
    else
      sendStatus(response, form.get('grant_type') === 'password' ? 400 : 401, {
        error: form.get('grant_type') === 'password' ? 'invalid_grant' : 'invalid_client',
        error_description: `no: ${form.get('password')} ${form.get('client_secret')}`,
      });
  });
  const env: Environment = { ...setup.withoutToken, IDENTITY_TOKEN_URL: `${endpoint.url}/token` };
  return { ...setup, ...endpoint, env, token };
};

describe.concurrent('the access token', () => {
  it.for([
    ['PORTICO_TOKEN', (_: Test, token: string) => ({ env: { PORTICO_TOKEN: ` ${token}\n` } })],
    ['--token-file', (test: Test, token: string) => ({ args: ` --token-file ${fileWith(test, `${token}\n`)}` })],
    ['--token-stdin', (_: Test, token: string) => ({ args: ' --token-stdin', input: `${token}\r\n` })],
  ] as const)('reads the token from %s and sends it to the service', async ([, sourceOf], test) => {
    let authorization: string | undefined;
    const { withoutToken, identity } = await memberSetup(test, (response, request) => {
      ({ authorization } = request.headers);
      sendJson(response, { locator: 'COV-1' });
    });
    const token = identity.token();
    const {
      args = '',
      env = {},
      ...started
    } = sourceOf(test, token) as { args?: string; env?: Environment; input?: string };

    expect(await portico(test, `me coverage${args}`, { ...started, env: { ...withoutToken, ...env } })).toMatchObject({
      exitCode: 0,
      stdout: 'Locator  COV-1\n',
      stderr: '',
    });
    expect(authorization).toBe(`Bearer ${token}`);
  });

  it('prefers the token of --token-file over PORTICO_TOKEN', async (test) => {
    const { env, identity, service } = await memberSetup(test);
    const file = fileWith(test, identity.token({ sub: 'PTY-2' }));

    expect(await portico(test, `me coverage --token-file ${file}`, { env })).toMatchObject({ exitCode: 0 });
    expect(service.received).toEqual(['GET /eligibility/members/PTY-2/coverage']);
  });

  it('does not use PORTICO_TOKEN with --grant client_credentials', async (test) => {
    const { env, forms, token } = await withTokenEndpoint(test);
    const secrets = { PORTICO_TOKEN: 'not-a-token', PORTICO_CLIENT_SECRET: 's3cret/+' };
    const ended = await portico(test, 'me coverage --grant client_credentials', { env: { ...env, ...secrets } });

    expect([ended.exitCode, forms.map(({ grant_type }) => grant_type)]).toEqual([0, ['client_credentials']]);
    expect(ended.stdout + ended.stderr).not.toContain(token);
  });

  it('exits with 5 without a token, and prints how to set one', async (test) => {
    const { withoutToken } = await memberSetup(test);
    const { exitCode, stdout, stderr } = await portico(test, 'me coverage --json', { env: withoutToken });

    expect([exitCode, documentIn({ stdout })]).toEqual([5, noToken]);
    expect(stderr).toBe(
      `portico: ${noToken.detail}\n  Sign in with "portico login", or set PORTICO_TOKEN, or use --token-file or --token-stdin. To sign in with a password, set PORTICO_USERNAME and PORTICO_PASSWORD.\n`,
    );
  });

  it.for([
    [
      'an empty file',
      (test: Test) => ({ args: `--token-file ${fileWith(test, ' \n')}` }),
      /The access token is missing: the file .* is empty/,
    ],
    ['an empty stdin', () => ({ args: '--token-stdin' }), /The access token is missing: stdin is empty/],
  ] as const)('exits with 5 for a token from %s', async ([, argsFor, message], test) => {
    // Must not fall back to PORTICO_TOKEN.
    const { env } = await memberSetup(test);
    const { exitCode, stdout, stderr } = await portico(test, `me coverage --json ${argsFor(test).args}`, { env });

    expect([exitCode, documentIn({ stdout })]).toEqual([
      5,
      { ok: false, code: 'unauthenticated', detail: expect.stringMatching(message) },
    ]);
    expect(stderr).toMatch(message);
  });

  it.for([
    ['a missing file', '--token-file /nowhere/token', /Cannot read .* \(ENOENT\)/],
    ['a directory', '--token-file /', /Cannot read .* \(EISDIR\)/],
    ['an endless file', '--token-file /dev/zero', /larger than the limit of 65536 bytes/],
    ['a file and stdin', '--token-file token --token-stdin', /--token-file or --token-stdin, not both/],
    ['an option without a value', '--token-file --json', /--token-file.*value is required/],
    // A shell passes an unset variable as an empty value.
    ['a file without a name', '--token-file ', /--token-file/],
  ] as const)('exits with 2 for a token from %s', async ([, args, message], test) => {
    const { env, service } = await memberSetup(test);
    const { exitCode, stderr } = await portico(test, `me coverage ${args}`, { env });

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(service.received).toEqual([]);
  });

  it('warns about a token file that other users can read', async (test) => {
    const { withoutToken, identity } = await memberSetup(test);
    const file = fileWith(test, identity.token(), { mode: 0o644 });
    const { exitCode, stdout, stderr } = await portico(test, `me coverage --json --token-file ${file}`, {
      env: withoutToken,
    });

    expect([exitCode, documentIn({ stdout })]).toEqual([0, { locator: 'COV-1' }]);
    expect(stderr).toBe(`portico: warning: Other users can read the access token in ${file}. Run: chmod 600 ${file}\n`);
  });

  it('reads the token from a process substitution', async (test) => {
    const { withoutToken, identity } = await memberSetup(test);
    const script = 'portico me coverage --json --token-file <(echo "$TOKEN")';
    const { exitCode, stdout } = await inShell(test, script, { env: { ...withoutToken, TOKEN: identity.token() } })
      .ended;

    expect([exitCode, stdout]).toEqual([0, '{"locator":"COV-1"}\n']);
  });

  it('exits with 2 when both the token and the request body are read from stdin', async (test) => {
    const { withoutToken, identity, service } = await memberSetup(test);
    const started = { env: withoutToken, input: identity.token() };
    const { exitCode, stdout, stderr } = await portico(test, 'me claims submit - --token-stdin --json', started);

    expect([exitCode, documentIn({ stdout })]).toMatchObject([2, { code: 'invalid-request' }]);
    expect(stderr).toMatch(/cannot both be read from stdin/);
    expect(service.received).toEqual([]);
  });
});

describe.concurrent('user name and password', () => {
  it('signs in with user name and password instead of a token', async (test) => {
    const { env, forms } = await withTokenEndpoint(test);
    const user = { PORTICO_USERNAME: 'sample-a', PORTICO_PASSWORD: 'p@ss w&rd=' };

    expect(await portico(test, 'me coverage --json --scope openid', { env: { ...env, ...user } })).toMatchObject({
      exitCode: 0,
      stdout: '{"locator":"COV-1"}\n',
      stderr: '',
    });
    expect(forms).toEqual([
      {
        grant_type: 'password',
        client_id: 'portico-cli',
        username: 'sample-a',
        password: 'p@ss w&rd=',
        scope: 'openid',
      },
    ]);
  });

  it('exits with 5 for a wrong password, and does not print it', async (test) => {
    const { env } = await withTokenEndpoint(test);
    const user = { PORTICO_USERNAME: 'sample-a', PORTICO_PASSWORD: 'hunter2' };
    const all = await Promise.all([
      portico(test, 'me coverage --json', { env: { ...env, ...user } }),
      portico(test, 'token --json --verbose', { env: { ...env, ...user } }),
    ]);

    for (const { exitCode, stdout, stderr } of all) {
      expect([exitCode, documentIn({ stdout })]).toEqual([
        5,
        { ok: false, code: 'unauthenticated', detail: problemOf(unauthenticated('invalid-grant')).detail },
      ]);
      expect(stderr).toContain('Check PORTICO_USERNAME and PORTICO_PASSWORD.');
      expect(stdout + stderr).not.toContain('hunter2');
    }
  });

  it('exits with 5 when the password is missing and there is no terminal for a prompt', async (test) => {
    const { env, forms } = await withTokenEndpoint(test);
    const { exitCode, stderr } = await portico(test, 'token', { env: { ...env, PORTICO_USERNAME: 'sample-a' } });

    expect(exitCode).toBe(5);
    expect(stderr).toMatch(/The password is missing[^]*PORTICO_PASSWORD/);
    expect(forms).toEqual([]);
  });
});

describe.concurrent('portico token', () => {
  const user = { PORTICO_USERNAME: 'sample-a', PORTICO_PASSWORD: 'p@ss w&rd=' };

  it('prints only the token, and needs no settings of the services', async (test) => {
    const { identity, url, token } = await withTokenEndpoint(test);
    const env = { ...user, IDENTITY_ISSUER: identity.issuer, IDENTITY_TOKEN_URL: `${url}/token` };
    const [people, programs] = await Promise.all([
      portico(test, 'token', { env }),
      portico(test, 'token --json', { env }),
    ]);

    expect(people).toMatchObject({ exitCode: 0, stdout: `${token}\n`, stderr: '' });
    expect([programs.exitCode, documentIn(programs)]).toEqual([
      0,
      { access_token: token, token_type: 'Bearer', expires_in: 300 },
    ]);
  });

  it('requests a token with client credentials', async (test) => {
    const { env, forms, token } = await withTokenEndpoint(test);
    const client = { PORTICO_CLIENT_ID: 'batch', PORTICO_CLIENT_SECRET: 's3cret/+' };
    const args = 'token --grant client_credentials --client-id nightly';

    expect(await portico(test, args, { env: { ...env, ...client } })).toMatchObject({
      exitCode: 0,
      stdout: `${token}\n`,
    });
    expect(forms).toEqual([{ grant_type: 'client_credentials', client_id: 'nightly', client_secret: 's3cret/+' }]);
  });

  it('reports rejected client credentials without the secret', async (test) => {
    const { env } = await withTokenEndpoint(test);
    const client = { PORTICO_CLIENT_SECRET: 'hunter2' };
    const { exitCode, stdout, stderr } = await portico(test, 'token --grant client_credentials', {
      env: { ...env, ...client },
    });

    expect([exitCode, stdout]).toEqual([5, '']);
    expect(stderr).toMatch(/^portico: .*\n {2}.*PORTICO_CLIENT_SECRET/);
    expect(stderr).not.toContain('hunter2');
  });

  it('exits with 4 when the identity provider is unreachable', async (test) => {
    const issuer = `http://127.0.0.1:${closedPort}/realms/portico`;
    const { exitCode, stdout, stderr } = await portico(test, 'token --json', {
      env: { ...user, IDENTITY_ISSUER: issuer },
    });

    expect([exitCode, documentIn({ stdout })]).toMatchObject([
      4,
      { code: 'upstream-failure', service: 'identity', reason: 'unreachable' },
    ]);
    expect(stderr).toContain(
      `portico: ${problemOf(upstream('identity', 'unreachable')).detail}\n  Check that it is running`,
    );
    expect(stdout + stderr).not.toContain(user.PORTICO_PASSWORD);
  });

  it('exits with 130 on Ctrl-C while the token endpoint does not respond', async (test) => {
    const { env } = await withTokenEndpoint(test);
    const silent = await webServer(test, () => {});
    const { interrupt } = startPortico(test, 'token --json', {
      env: { ...env, ...user, IDENTITY_TOKEN_URL: silent.url },
    });
    await silent.firstRequest;
    const { exitCode, stdout } = await interrupt();

    expect([exitCode, stdout]).toEqual([130, '']);
  });

  it('rejects options with a secret, and does not print the secret', async (test) => {
    const all = await Promise.all(
      [
        ['token', '--password=hunter2'],
        ['token', '--client-secret', 'hunter2'],
        ['me', 'coverage', '--token=hunter2'],
      ].map((args) => portico(test, [...args, '--json'])),
    );

    for (const { exitCode, stdout, stderr } of all) {
      expect([exitCode, stdout + stderr]).toEqual([2, expect.stringContaining('unknown option')]);
      expect(stdout + stderr).not.toContain('hunter2');
    }
  });
});

import getPort from 'get-port';
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
import { sendJson, webServer } from '../program/outside-world.test.support.ts';

const noToken = { ok: false, code: 'unauthenticated', detail: 'There is no access token.' };

/** A member without a token, and a token endpoint that knows one user and one client. */
const withTokenEndpoint = async (test: Test) => {
  const world = await memberSetup(test);
  const token = world.identity.token();
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
  const env: Environment = { ...world.withoutToken, IDENTITY_TOKEN_URL: `${endpoint.url}/token` };
  return { ...world, ...endpoint, env, token };
};

describe.concurrent("the member's token", () => {
  it.for([
    ['PORTICO_TOKEN', (_: Test, token: string) => ({ env: { PORTICO_TOKEN: ` ${token}\n` } })],
    ['--token-file', (test: Test, token: string) => ({ args: ` --token-file ${fileWith(test, `${token}\n`)}` })],
    ['--token-stdin', (_: Test, token: string) => ({ args: ' --token-stdin', input: `${token}\r\n` })],
  ] as const)('comes from %s, and goes to the service', async ([, given], test) => {
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
    } = given(test, token) as { args?: string; env?: Environment; input?: string };

    expect(await portico(test, `me coverage${args}`, { ...started, env: { ...withoutToken, ...env } })).toMatchObject({
      exitCode: 0,
      stdout: 'Locator  COV-1\n',
      stderr: '',
    });
    expect(authorization).toBe(`Bearer ${token}`);
  });

  it('that is given at the command line is the one that is taken, before the one in the environment', async (test) => {
    const { env, identity, service } = await memberSetup(test);
    const file = fileWith(test, identity.token({ sub: 'PTY-2' }));

    expect(await portico(test, `me coverage --token-file ${file}`, { env })).toMatchObject({ exitCode: 0 });
    expect(service.heard).toEqual(['GET /eligibility/members/PTY-2/coverage']);
  });

  it('that nobody gave makes it 5, and says what to do', async (test) => {
    const { withoutToken } = await memberSetup(test);
    const { exitCode, stdout, stderr } = await portico(test, 'me coverage --json', { env: withoutToken });

    expect([exitCode, documentIn({ stdout })]).toEqual([5, noToken]);
    expect(stderr).toBe(
      'portico: There is no access token.\n  Set PORTICO_TOKEN, or give --token-file or --token-stdin; or set PORTICO_USERNAME and PORTICO_PASSWORD to have one asked for.\n',
    );
  });

  it.for([
    [
      'an empty file',
      (test: Test) => ({ args: `--token-file ${fileWith(test, ' \n')}` }),
      /There is no token in the file .*: it is empty/,
    ],
    ['an empty stdin', () => ({ args: '--token-stdin' }), /There is no token in stdin: it is empty/],
  ] as const)('that should come from %s makes it 5', async ([, given, message], test) => {
    // The member's other token is not what was asked for.
    const { env } = await memberSetup(test);
    const { exitCode, stdout, stderr } = await portico(test, `me coverage --json ${given(test).args}`, { env });

    expect([exitCode, documentIn({ stdout })]).toEqual([
      5,
      { ok: false, code: 'unauthenticated', detail: expect.stringMatching(message) },
    ]);
    expect(stderr).toMatch(message);
  });

  it.for([
    ['a file that is not there', '--token-file /nowhere/token', /cannot be read \(ENOENT\)/],
    ['a directory', '--token-file /', /cannot be read \(EISDIR\)/],
    ['a file without an end', '--token-file /dev/zero', /holds more than the 65536 bytes/],
    ['a file and stdin', '--token-file token --token-stdin', /--token-file or --token-stdin, not both/],
    ['an option that has no value', '--token-file --json', /--token-file.*value is missing/],
    // As a shell passes on a variable that is not set.
    ['a file without a name', '--token-file ', /--token-file/],
  ] as const)('that should come from %s makes it 2', async ([, args, message], test) => {
    const { env, service } = await memberSetup(test);
    const { exitCode, stderr } = await portico(test, `me coverage ${args}`, { env });

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(service.heard).toEqual([]);
  });

  it('in a file that others can read is used, with a warning', async (test) => {
    const { withoutToken, identity } = await memberSetup(test);
    const file = fileWith(test, identity.token(), { mode: 0o644 });
    const { exitCode, stdout, stderr } = await portico(test, `me coverage --json --token-file ${file}`, {
      env: withoutToken,
    });

    expect([exitCode, documentIn({ stdout })]).toEqual([0, { locator: 'COV-1' }]);
    expect(stderr).toBe(`portico: warning: others can read the token in ${file}; chmod 600 ${file}\n`);
  });

  it('may come from another command, as a file that is none', async (test) => {
    const { withoutToken, identity } = await memberSetup(test);
    const script = 'portico me coverage --json --token-file <(echo "$TOKEN")';
    const { exitCode, stdout } = await inShell(test, script, { env: { ...withoutToken, TOKEN: identity.token() } })
      .ended;

    expect([exitCode, stdout]).toEqual([0, '{"locator":"COV-1"}\n']);
  });

  it('and the body cannot both come from stdin', async (test) => {
    const { withoutToken, identity, service } = await memberSetup(test);
    const started = { env: withoutToken, input: identity.token() };
    const { exitCode, stdout, stderr } = await portico(test, 'me claims submit - --token-stdin --json', started);

    expect([exitCode, documentIn({ stdout })]).toMatchObject([2, { code: 'invalid-request' }]);
    expect(stderr).toMatch(/Both the token and the body are to come from stdin/);
    expect(service.heard).toEqual([]);
  });
});

describe.concurrent('user name and password', () => {
  it('do in place of a token, for a command of the member', async (test) => {
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

  it('that are wrong make it 5, and are never shown', async (test) => {
    const { env } = await withTokenEndpoint(test);
    const user = { PORTICO_USERNAME: 'sample-a', PORTICO_PASSWORD: 'hunter2' };
    const all = await Promise.all([
      portico(test, 'me coverage --json', { env: { ...env, ...user } }),
      portico(test, 'token --json --verbose', { env: { ...env, ...user } }),
    ]);

    for (const { exitCode, stdout, stderr } of all) {
      expect([exitCode, documentIn({ stdout })]).toEqual([
        5,
        { ok: false, code: 'unauthenticated', detail: 'The identity provider refused the credentials.' },
      ]);
      expect(stderr).toContain('Check PORTICO_USERNAME and PORTICO_PASSWORD.');
      expect(stdout + stderr).not.toContain('hunter2');
    }
  });

  it('where the password is missing make it 5, without asking where there is no terminal', async (test) => {
    const { env, forms } = await withTokenEndpoint(test);
    const { exitCode, stderr } = await portico(test, 'token', { env: { ...env, PORTICO_USERNAME: 'sample-a' } });

    expect(exitCode).toBe(5);
    expect(stderr).toMatch(/user name but no password[^]*PORTICO_PASSWORD/);
    expect(forms).toEqual([]);
  });
});

describe.concurrent('portico token', () => {
  const user = { PORTICO_USERNAME: 'sample-a', PORTICO_PASSWORD: 'p@ss w&rd=' };

  it('prints the token and nothing else, and needs no services in the settings', async (test) => {
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

  it('asks in the name of a client, which has a secret of its own', async (test) => {
    const { env, forms, token } = await withTokenEndpoint(test);
    const client = { PORTICO_CLIENT_ID: 'batch', PORTICO_CLIENT_SECRET: 's3cret/+' };
    const args = 'token --grant client_credentials --client-id nightly';

    expect(await portico(test, args, { env: { ...env, ...client } })).toMatchObject({
      exitCode: 0,
      stdout: `${token}\n`,
    });
    expect(forms).toEqual([{ grant_type: 'client_credentials', client_id: 'nightly', client_secret: 's3cret/+' }]);
  });

  it('says when the client is refused, without its secret', async (test) => {
    const { env } = await withTokenEndpoint(test);
    const client = { PORTICO_CLIENT_SECRET: 'hunter2' };
    const { exitCode, stdout, stderr } = await portico(test, 'token --grant client_credentials', {
      env: { ...env, ...client },
    });

    expect([exitCode, stdout]).toEqual([5, '']);
    expect(stderr).toMatch(/refused the client[^]*PORTICO_CLIENT_SECRET/);
    expect(stderr).not.toContain('hunter2');
  });

  it('makes it 4 when the identity provider cannot be reached', async (test) => {
    const address = `http://127.0.0.1:${await getPort()}/realms/portico`;
    const { exitCode, stdout, stderr } = await portico(test, 'token --json', {
      env: { ...user, IDENTITY_ISSUER: address },
    });

    expect([exitCode, documentIn({ stdout })]).toMatchObject([
      4,
      { code: 'upstream-failure', service: 'identity', reason: 'unreachable' },
    ]);
    expect(stderr).toMatch(/^portico: The identity service could not be reached\.\n {2}Is it running/);
    expect(stdout + stderr).not.toContain(user.PORTICO_PASSWORD);
  });

  it('is given up on Ctrl-C', async (test) => {
    const { env } = await withTokenEndpoint(test);
    const silent = await webServer(test, () => {});
    const { interrupt } = startPortico(test, 'token --json', {
      env: { ...env, ...user, IDENTITY_TOKEN_URL: silent.url },
    });
    await silent.asked;
    const { exitCode, stdout } = await interrupt();

    expect([exitCode, stdout]).toEqual([130, '']);
  });

  it('makes it 2 when there is no identity provider in the settings', async (test) => {
    expect(await portico(test, 'token', { env: user })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/no identity provider in the settings[^]*IDENTITY_ISSUER/),
    });
  });

  it('has no option for a secret, and does not repeat one that was given all the same', async (test) => {
    const all = await Promise.all(
      [
        ['token', '--password=hunter2'],
        ['token', '--client-secret', 'hunter2'],
        ['me', 'coverage', '--token=hunter2'],
      ].map((args) => portico(test, [...args, '--json'])),
    );

    for (const { exitCode, stdout, stderr } of all) {
      expect(exitCode).toBe(2);
      expect(stdout + stderr).not.toContain('hunter2');
    }
  });
});

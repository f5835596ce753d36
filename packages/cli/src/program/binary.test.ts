import getPort from 'get-port';
import { describe, expect, it } from 'vitest';
import {
  documentIn,
  type Environment,
  fileWith,
  inShell,
  memberSetup,
  porticoProcess,
  sendStatus,
  startPortico,
} from './binary.test.support.ts';
import { sendJson, webServer } from './outside-world.test.support.ts';

/** Plants a bug where the answer is printed. */
const planted = `
  const { stdout } = process;
  const { write } = stdout;
  stdout.write = () => { stdout.write = write; throw new TypeError('hunter2'); };
`;
const withBug = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(planted)}` };

describe.concurrent('what went wrong is told by the exit code, one message and, with --json, one document', () => {
  const rows: readonly {
    readonly exitCode: number;
    readonly for: string;
    readonly args: string;
    readonly env?: Environment;
    readonly status?: number;
    readonly message: RegExp;
    readonly document: object;
  }[] = [
    {
      exitCode: 1,
      for: 'an internal error',
      args: 'me coverage',
      env: withBug,
      message: /^portico: Something went wrong on our side\.$/,
      document: { code: 'internal' },
    },
    {
      exitCode: 2,
      for: 'a locator that cannot be one',
      args: 'me claims get ../1',
      message: /^portico: .*locator/,
      document: { code: 'invalid-request', errors: expect.any(Array) },
    },
    {
      exitCode: 3,
      for: 'a claim that is not there',
      args: 'me claims get CLM-1',
      status: 404,
      message: /^portico: The claims service found nothing\.$/,
      document: { code: 'not-found', service: 'claims' },
    },
    {
      exitCode: 4,
      for: 'a service that fails',
      args: 'me claims',
      status: 500,
      message: /^portico: The claims service answered with an error\.$/,
      document: { code: 'upstream-failure', service: 'claims', reason: 'status' },
    },
    {
      exitCode: 5,
      for: 'a bad token',
      args: 'me claims',
      env: { PORTICO_TOKEN: 'hunter2' },
      message: /^portico: The access token is not valid\.$/,
      document: { code: 'unauthenticated' },
    },
  ];

  it.for(rows)('$exitCode for $for', async ({ exitCode, args, env = {}, status = 200, message, document }, test) => {
    const world = await memberSetup(test, (response) => sendStatus(response, status, { secret: 'hunter2' }));
    const started = { env: { ...world.env, ...env } };
    const { stdout, stderr, ...ended } = await porticoProcess(test, `${args} --json`, started);

    expect(ended.exitCode).toBe(exitCode);
    expect(stderr.match(/^portico: .*/gm)).toEqual([expect.stringMatching(message)]);
    expect(documentIn({ stdout })).toEqual({ ok: false, detail: expect.any(String), ...document });
    expect(stdout + stderr).not.toContain('hunter2');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('to people on stderr only', async (test) => {
    const { env } = await memberSetup(test, (response) => sendStatus(response, 500));

    expect(await porticoProcess(test, 'me claims', { env })).toMatchObject({
      exitCode: 4,
      stdout: '',
      stderr: 'portico: The claims service answered with an error.\n',
    });
  });

  it('0 when all is well: an answer on stdout, and nothing else anywhere', async (test) => {
    const { env, service } = await memberSetup(test);

    expect(await porticoProcess(test, 'me coverage', { env })).toMatchObject({
      exitCode: 0,
      stdout: 'Locator  COV-1\n',
      stderr: '',
    });
    expect(service.heard).toEqual(['GET /eligibility/members/PTY-1/coverage']);
  });

  it('130 for Ctrl-C and 143 for SIGTERM, while a service does not answer', async (test) => {
    const { env, service } = await memberSetup(test, () => {});
    const one = startPortico(test, 'me coverage', { env });
    const other = startPortico(test, 'me claims --json', { env });
    await expect.poll(() => service.heard.length, { interval: 5 }).toBe(2);
    const [interrupted, terminated] = await Promise.all([one.interrupt('SIGINT'), other.interrupt('SIGTERM')]);

    expect([interrupted.exitCode, terminated.exitCode]).toEqual([130, 143]);
    expect([interrupted.stdout + interrupted.stderr, terminated.stdout + terminated.stderr]).toEqual(['', '']);
  });

  it('130 while the identity provider does not answer', async (test) => {
    const { env } = await memberSetup(test);
    const silent = await webServer(test, () => {});
    const { interrupt } = startPortico(test, 'me coverage', {
      env: { ...env, IDENTITY_JWKS_URL: `${silent.url}/keys` },
    });
    await silent.asked;

    expect(await interrupt()).toMatchObject({ exitCode: 130, stdout: '' });
  });
});

describe.concurrent('an internal error', () => {
  it('shows where it happened only with --verbose', async (test) => {
    const { env } = await memberSetup(test);
    const started = { env: { ...env, ...withBug } };
    const { exitCode, stdout, stderr } = await porticoProcess(test, 'me coverage --verbose --json', started);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^TypeError: hunter2\n {4}at /m);
    expect(documentIn({ stdout })).toEqual({ ok: false, code: 'internal', detail: expect.any(String) });
  });
});

describe.concurrent('a service', () => {
  it.for([
    ['that times out', 'timeout', /did not answer in time/, /deadline/],
    ['that refuses connections', 'unreachable', /could not be reached/, /config print/],
    ['that answers with HTML', 'malformed', /cannot be passed on/, /./],
  ] as const)('%s makes it 4, and says why', async ([, reason, message, hint], test) => {
    const { env } = await memberSetup(test, (response) => {
      if (reason === 'malformed') response.setHeader('Content-Type', 'text/html').end('<p>hunter2</p>');
    });
    const { exitCode, stdout, stderr } = await porticoProcess(test, 'me coverage --json', {
      env: {
        ...env,
        ...(reason === 'timeout' && { DOWNSTREAM_TIMEOUT_MS: '50' }),
        ...(reason === 'unreachable' && { ELIGIBILITY_URL: `http://127.0.0.1:${await getPort()}` }),
      },
    });

    expect([exitCode, documentIn({ stdout })]).toEqual([
      4,
      { ok: false, code: 'upstream-failure', service: 'eligibility', reason, detail: expect.stringMatching(message) },
    ]);
    expect(stderr).toMatch(hint);
    expect(stdout + stderr).not.toContain('hunter2');
  });

  it.for([
    ['reading', 'me preferences --json'],
    ['naming fewer than six', 'me preferences set email=on sms=off --json'],
  ] as const)(
    'of preferences that were never set exits with 3 when %s, and suggests no values',
    async ([, args], test) => {
      const { env, service } = await memberSetup(test, (response) => sendStatus(response, 404));
      const { exitCode, stdout, stderr } = await porticoProcess(test, args, { env });

      expect([exitCode, documentIn({ stdout })]).toEqual([
        3,
        {
          ok: false,
          code: 'preferences-not-set',
          service: 'notifications',
          detail: 'The member has never set preferences.',
        },
      ]);
      expect(stderr).toContain(
        'name all six, each on or off: portico me preferences set email=… sms=… push=… claimsUpdates=… billingAlerts=… enrollmentReminders=…\n',
      );
      expect(service.heard.filter((request) => !request.startsWith('GET '))).toEqual([]);
    },
  );
});

describe.concurrent('an answer', () => {
  it('with --json is what the service said, byte for byte', async (test) => {
    const text = '{ "b":1,"a":12345678901234567890.10, "unknown":{"Grüße":"\\u00e9 字 😀"},\n\t"a":1e400}';
    const { env } = await memberSetup(test, (response) => {
      response.setHeader('Content-Type', 'application/json; charset=utf-8').end(text);
    });

    expect(await porticoProcess(test, 'me coverage --json', { env })).toMatchObject({
      exitCode: 0,
      stdout: `${text}\n`,
      stderr: '',
    });
  });

  it('without content is null for programs, and a word for people', async (test) => {
    const { env } = await memberSetup(test, (response) => response.writeHead(204).end());
    const [people, programs] = await Promise.all([
      porticoProcess(test, 'me consent set -', { env, input: '{"marketing":true}' }),
      porticoProcess(test, 'me consent set - --json', { env, input: '{"marketing":true}' }),
    ]);

    expect(people).toMatchObject({ exitCode: 0, stdout: 'Done.\n', stderr: '' });
    expect(programs).toMatchObject({ exitCode: 0, stdout: 'null\n', stderr: '' });
  });

  it('of five megabytes comes whole, also to a reader that takes its time', async (test) => {
    const log = Array.from({ length: 60_000 }, (_, index) => ({ locator: `LOG-${index}`, text: 'x'.repeat(60) }));
    const { env } = await memberSetup(test, (response) => sendJson(response, { log }));
    const { child, ended } = startPortico(test, 'me notifications log --json', { env });
    child.stdout.pause();
    // Longer than the command takes, and waits for what is left open when it has ended.
    setTimeout(() => child.stdout.resume(), 2000);

    expect(await ended.then(documentIn)).toEqual({ log });
  });

  it('brings no escape sequence to the terminal, whichever field holds it', async (test) => {
    const { env } = await memberSetup(test, (response) =>
      sendJson(response, {
        locator: '\u001b[2Jvalue\u202e',
        dependents: [{ name: 'cell\r\u0007' }],
        '\u001b]0;owned\u0007name': '\u009b31mrest\u202e',
      }),
    );
    const { stdout } = await porticoProcess(test, 'me coverage', { env });

    expect(stdout).toMatch(/^Locator {2}value\nDependents\nName\ncell\n{\n.*rest/);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it('of which a reader wants only the beginning is no error', async (test) => {
    const { env } = await memberSetup(test, (response) => sendJson(response, { text: 'x'.repeat(2_000_000) }));
    const { child, ended } = startPortico(test, 'me coverage --json', { env });
    child.stdout.once('data', () => child.stdout.destroy());

    expect(await ended).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

it.concurrent('every list option goes to the service under the name that the contract gives it', async (test) => {
  const { env, service } = await memberSetup(test);
  const options =
    '--page 1 --page-size 2 --limit 3 --cursor c/4 --offset 5 --sort -date --status paid --type eob --from 2026-01-01 --to 2026-12-31';
  await Promise.all(
    ['me claims', 'me notifications log'].map((command) => porticoProcess(test, `${command} ${options}`, { env })),
  );
  const query =
    'page=1&pageSize=2&limit=3&cursor=c%2F4&offset=5&sort=-date&status=paid&type=eob&from=2026-01-01&to=2026-12-31';

  expect(service.heard.toSorted()).toEqual([
    `GET /claims/members/PTY-1/claims?${query}`,
    `GET /notifications/log/list?${query}`,
  ]);
});

describe.concurrent('settings', () => {
  it('with three mistakes have all three told at once, and nothing is asked', async (test) => {
    const { env, service } = await memberSetup(test);
    const config = fileWith(
      test,
      JSON.stringify({ listen: { port: 'hunter2' }, limits: { maxRequestBytes: 0 }, serach: {} }),
    );
    const { exitCode, stdout, stderr } = await porticoProcess(test, `me coverage --json --config ${config}`, { env });

    expect(exitCode).toBe(2);
    expect(stderr.split('\n')).toEqual([
      'portico: 3 problems with the settings',
      expect.stringMatching(/^ {2}listen\.port \(.*\): must be a whole number/),
      expect.stringMatching(/^ {2}limits\.maxRequestBytes \(.*\): must be a whole number/),
      expect.stringMatching(/^ {2}serach \(.*\): is not a setting/),
      '',
    ]);
    expect(documentIn({ stdout })).toMatchObject({
      ok: false,
      problems: [{ setting: 'listen.port' }, { setting: 'limits.maxRequestBytes' }, { setting: 'serach' }],
    });
    expect(stdout + stderr).not.toContain('hunter2');
    expect(service.heard).toEqual([]);
  });

  it('without a member portal say what is missing', async (test) => {
    const { exitCode, stdout, stderr } = await porticoProcess(test, 'me coverage --json');

    expect([exitCode, documentIn({ stdout })]).toEqual([
      2,
      { ok: false, code: 'invalid-request', detail: expect.any(String) },
    ]);
    expect(stderr).toMatch(/identity and downstreams/);
  });
});

describe.concurrent('an answer that cannot be written', () => {
  it.runIf(process.platform === 'linux')('because the disk is full is not passed over in silence', async (test) => {
    const { env } = await memberSetup(test);
    const { exitCode, stderr } = await inShell(test, 'portico me coverage --json > /dev/full', { env }).ended;

    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/^portico: .*\n/);
  });
});

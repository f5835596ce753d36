import { spawnSync } from 'node:child_process';
import { constants, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Failure, problemOf, unauthenticated, upstream } from '@portico/core';
import { describe, expect, it } from 'vitest';
import {
  directory,
  documentIn,
  type Environment,
  fileWith,
  inShell,
  memberSetup,
  nodeArguments,
  patient,
  portico,
  porticoProcess,
  sendStatus,
  start,
  startPortico,
} from './binary.test.support.ts';
import { closedPort, sendJson, webServer } from './outside-world.test.support.ts';

/** Injects a bug into the first write to stdout. */
const bug = `
  const { stdout } = process;
  const { write } = stdout;
  stdout.write = () => { stdout.write = write; throw new TypeError('hunter2'); };
`;
const withBug = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}` };

/** The first line that the command prints for a failure. */
const messageOf = (failure: Failure) => `portico: ${problemOf(failure).detail}`;

describe.concurrent('exit codes', () => {
  const rows: readonly {
    readonly exitCode: number;
    readonly cause: string;
    readonly args: string;
    readonly env?: Environment;
    readonly status?: number;
    /** The first line on stderr, or a matcher for it. */
    readonly message: unknown;
    readonly document: object;
  }[] = [
    {
      exitCode: 1,
      cause: 'an internal error',
      args: 'me coverage',
      env: withBug,
      message: 'portico: Internal error: this is a bug in portico.',
      document: { code: 'internal' },
    },
    {
      exitCode: 2,
      cause: 'an invalid locator',
      args: 'me claims get ../1',
      message: expect.stringMatching(/^portico: .*locator/),
      document: { code: 'invalid-request', errors: expect.any(Array) },
    },
    {
      exitCode: 3,
      cause: 'a missing claim',
      args: 'me claims get CLM-1',
      status: 404,
      message: 'portico: There is no claim CLM-1.',
      document: { code: 'not-found', service: 'claims' },
    },
    {
      exitCode: 4,
      cause: 'a service that responds with 500',
      args: 'me claims',
      status: 500,
      message: messageOf(upstream('claims', 'status')),
      document: { code: 'upstream-failure', service: 'claims', reason: 'status' },
    },
    {
      exitCode: 5,
      cause: 'an invalid token',
      args: 'me claims',
      env: { PORTICO_TOKEN: 'hunter2' },
      message: messageOf(unauthenticated('invalid')),
      document: { code: 'unauthenticated' },
    },
  ];

  it.for(rows)(
    'exits with $exitCode for $cause, with one message and one --json document',
    async ({ exitCode, args, env = {}, status = 200, message, document }, test) => {
      const setup = await memberSetup(test, (response) => sendStatus(response, status, { secret: 'hunter2' }));
      const started = { env: { ...setup.env, ...env } };
      const { stdout, stderr, ...ended } = await portico(test, `${args} --json`, started);

      expect(ended.exitCode).toBe(exitCode);
      expect(stderr.match(/^portico: .*/gm)).toEqual([message]);
      expect(documentIn({ stdout })).toEqual({ ok: false, detail: expect.any(String), ...document });
      expect(stdout + stderr).not.toContain('hunter2');
      expect(stderr).not.toMatch(/^\s+at /m);
    },
  );

  it('prints an error only on stderr without --json', async (test) => {
    const { env } = await memberSetup(test, (response) => sendStatus(response, 500));

    expect(await portico(test, 'me claims', { env })).toMatchObject({
      exitCode: 4,
      stdout: '',
      stderr: `portico: ${problemOf(upstream('claims', 'status')).detail}\n`,
    });
  });

  it('exits with 0 on success, with the result on stdout and nothing on stderr', async (test) => {
    const { env, service } = await memberSetup(test);

    expect(await porticoProcess(test, 'me coverage', { env })).toMatchObject({
      exitCode: 0,
      stdout: 'Locator  COV-1\n',
      stderr: '',
    });
    expect(service.received).toEqual(['GET /eligibility/members/PTY-1/coverage']);
  });

  it.for([
    ['130 on Ctrl-C', 'me coverage', 'SIGINT', 130],
    ['143 on SIGTERM', 'me claims --json', 'SIGTERM', 143],
  ] as const)('exits with %s while a service does not respond', async ([, command, signal, code], test) => {
    const { env, service } = await memberSetup(test, () => {});
    const { interrupt } = startPortico(test, command, { env: { ...env, ...patient } });
    await service.firstRequest;

    expect(await interrupt(signal)).toMatchObject({ exitCode: code, stdout: '', stderr: '' });
  });

  it('exits with 130 on Ctrl-C while the identity provider does not respond', async (test) => {
    const { env } = await memberSetup(test);
    const silent = await webServer(test, () => {});
    const { interrupt } = startPortico(test, 'me coverage', {
      env: { ...env, ...patient, IDENTITY_JWKS_URL: `${silent.url}/keys` },
    });
    await silent.firstRequest;

    expect(await interrupt()).toMatchObject({ exitCode: 130, stdout: '', stderr: '' });
  });
});

describe.concurrent('a failing service', () => {
  it.for([
    ['times out', 'timeout', /The timeout is a setting.*config print/],
    ['refuses connections', 'unreachable', /its URL is correct.*config print/],
    ['responds with HTML', 'malformed', /returned a response that cannot be relayed/],
  ] as const)('exits with 4 and prints the reason when a service %s', async ([, reason, hint], test) => {
    const { env } = await memberSetup(test, (response) => {
      if (reason === 'malformed') response.setHeader('Content-Type', 'text/html').end('<p>hunter2</p>');
    });
    const { exitCode, stdout, stderr } = await portico(test, 'me coverage --json', {
      env: {
        ...env,
        ...(reason === 'timeout' && { DOWNSTREAM_TIMEOUT_MS: '50' }),
        ...(reason === 'unreachable' && { ELIGIBILITY_URL: `http://127.0.0.1:${closedPort}` }),
      },
    });

    expect([exitCode, documentIn({ stdout })]).toEqual([
      4,
      {
        ok: false,
        code: 'upstream-failure',
        service: 'eligibility',
        reason,
        detail: problemOf(upstream('eligibility', reason)).detail,
      },
    ]);
    expect(stderr).toMatch(hint);
    expect(stdout + stderr).not.toContain('hunter2');
  });

  it.for([
    ['reads them', 'me preferences --json'],
    ['sets fewer than six', 'me preferences set email=on sms=off --json'],
  ] as const)(
    'exits with 3 for preferences that were never set when it %s, and suggests no values',
    async ([, args], test) => {
      const { env, service } = await memberSetup(test, (response) => sendStatus(response, 404));
      const { exitCode, stdout, stderr } = await portico(test, args, { env });

      expect([exitCode, documentIn({ stdout })]).toEqual([
        3,
        {
          ok: false,
          code: 'preferences-not-set',
          service: 'notifications',
          detail: expect.any(String),
        },
      ]);
      expect(stderr).toContain(
        'set all six to on or off: portico me preferences set email=… sms=… push=… claimsUpdates=… billingAlerts=… enrollmentReminders=…\n',
      );
      expect(service.received.filter((request) => !request.startsWith('GET '))).toEqual([]);
    },
  );
});

describe.concurrent('a result', () => {
  it('prints the response of the service byte for byte with --json', async (test) => {
    const text = '{ "b":1,"a":12345678901234567890.10, "unknown":{"Grüße":"\\u00e9 字 😀"},\n\t"a":1e400}';
    const { env } = await memberSetup(test, (response) => {
      response.setHeader('Content-Type', 'application/json; charset=utf-8').end(text);
    });

    expect(await portico(test, 'me coverage --json', { env })).toMatchObject({
      exitCode: 0,
      stdout: `${text}\n`,
      stderr: '',
    });
  });

  it('prints a response without content as null with --json, otherwise as Done', async (test) => {
    const { env } = await memberSetup(test, (response) => response.writeHead(204).end());
    const [people, programs] = await Promise.all([
      portico(test, 'me consent set -', { env, input: '{"marketing":true}' }),
      portico(test, 'me consent set - --json', { env, input: '{"marketing":true}' }),
    ]);

    expect(people).toMatchObject({ exitCode: 0, stdout: 'Done.\n', stderr: '' });
    expect(programs).toMatchObject({ exitCode: 0, stdout: 'null\n', stderr: '' });
  });

  it('writes five megabytes completely to a slow reader', async (test) => {
    const log = Array.from({ length: 60_000 }, (_, index) => ({ locator: `LOG-${index}`, text: 'x'.repeat(60) }));
    const { env } = await memberSetup(test, (response) => sendJson(response, { log }));
    const { child, ended } = startPortico(test, 'me notifications log --json', { env });
    child.stdout.pause();
    // Longer than the command takes, and longer than it waits at exit for pending requests.
    setTimeout(() => child.stdout.resume(), 2000);

    expect(await ended.then(documentIn)).toEqual({ log });
  });

  it('removes escape sequences from every field', async (test) => {
    const { env } = await memberSetup(test, (response) =>
      sendJson(response, {
        locator: '\u001b[2Jvalue\u202e',
        dependents: [{ name: 'cell\r\u0007' }],
        '\u001b]0;owned\u0007name': '\u009b31mrest\u202e',
      }),
    );
    const { stdout } = await portico(test, 'me coverage', { env });

    expect(stdout).toMatch(/^Locator {2}value\nDependents\nName\ncell\n{\n.*rest/);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it('does not fail when the reader of stdout stops early', async (test) => {
    const { env } = await memberSetup(test, (response) => sendJson(response, { text: 'x'.repeat(2_000_000) }));
    const { child, ended } = startPortico(test, 'me coverage --json', { env });
    child.stdout.once('data', () => child.stdout.destroy());

    expect(await ended).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

it.concurrent('a list command sends every list option to the service under its name in the contract', async (test) => {
  const { env, service } = await memberSetup(test);
  const options =
    '--page 1 --page-size 2 --limit 3 --cursor c/4 --offset 5 --sort -date --status paid --type eob --from 2026-01-01 --to 2026-12-31';
  await Promise.all(
    ['me claims', 'me notifications log'].map((command) => portico(test, `${command} ${options}`, { env })),
  );
  const query =
    'page=1&pageSize=2&limit=3&cursor=c%2F4&offset=5&sort=-date&status=paid&type=eob&from=2026-01-01&to=2026-12-31';

  expect(service.received.toSorted()).toEqual([
    `GET /claims/members/PTY-1/claims?${query}`,
    `GET /notifications/log/list?${query}`,
  ]);
});

describe.concurrent('--jq', () => {
  it('is checked before anything is sent', async (test) => {
    const { env, service } = await memberSetup(test);
    const args = ['me', 'claims', 'submit', fileWith(test, '{"type":"dental"}'), '--jq', '.locator |'];
    const { exitCode, stderr } = await portico(test, args, { env });

    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^portico: jq cannot apply \.locator \|: /)]);
    expect(service.received).toEqual([]);
  });

  it('is no invalid usage when it fails on the result of a write, which must not be repeated', async (test) => {
    const { env } = await memberSetup(test, (response) => sendJson(response, { locator: 'CLM-1' }));
    const args = ['me', 'consent', 'set', fileWith(test, '{"marketing":true}'), '--jq', '.locator.foo'];
    const { exitCode, stderr } = await portico(test, args, { env });

    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/^portico: jq cannot apply .*\n {2}The command itself has succeeded\. /),
    ]);
  });

  it('and --output cannot be combined with --json, which would hide one of them', async (test) => {
    const { env, service } = await memberSetup(test);
    for (const option of ['--jq .', '-o csv'])
      expect(await portico(test, `me coverage --json ${option}`, { env })).toMatchObject({ exitCode: 2 });
    expect(service.received).toEqual([]);
  });
});

describe.concurrent('Ctrl-C', () => {
  it.skipIf(process.platform === 'win32')('ends a command that waits for data from a named pipe', async (test) => {
    const { env } = await memberSetup(test);
    const pipe = join(directory(test), 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const { interrupt } = startPortico(test, ['me', 'claims', 'submit', pipe], { env });
    // Resolves when the command has opened it.
    const writer = await open(pipe, 'w');
    test.onTestFinished(() => writer.close());

    expect((await interrupt()).exitCode).toBe(130);
  });
});

describe.concurrent('after Ctrl-C', () => {
  it.runIf(process.platform === 'linux')(
    'leaves the pipes of the shell blocking for the next program',
    async (test) => {
      const { env } = await memberSetup(test);
      const { url, firstRequest } = await webServer(test, () => {});
      const script = '"$@" & echo $! >&2; wait $!; grep -h flags: /proc/$$/fdinfo/1 /proc/$$/fdinfo/2 >&2';
      const args = ['--norc', '-c', script, 'bash', process.execPath, ...nodeArguments, 'me', 'coverage'];
      const { until, ended } = start(test, 'bash', args, {
        env: { ...env, PATH: process.env['PATH'] ?? '', ELIGIBILITY_URL: url },
      });
      await firstRequest;
      // Bash lets programs in the background ignore SIGINT.
      process.kill(Number.parseInt(await until('stderr', /^\d+\n/)), 'SIGTERM');

      const flags = Array.from((await ended).stderr.matchAll(/flags:\s+(\d+)/g), ([, octal = '']) => octal);
      expect(flags.map((octal) => Number.parseInt(octal, 8) & constants.O_NONBLOCK)).toEqual([0, 0]);
    },
  );
});

describe.concurrent('a result that cannot be written', () => {
  it.runIf(process.platform === 'linux')('reports a full disk on stderr and fails', async (test) => {
    const { env } = await memberSetup(test);
    const { exitCode, stderr } = await inShell(test, 'portico me coverage --json > /dev/full', { env }).ended;

    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/^portico: Cannot write to stdout \(ENOSPC\)\. Output was lost\.\n/);
  });

  it('reports that the end of the output does not fit on the disk, and fails', async (test) => {
    const file = join(directory(test), 'schema.json');
    // The schema is larger.
    const script = 'ulimit -f 100; portico config schema > "$FILE"';
    const { exitCode, stderr } = await inShell(test, script, { env: { FILE: file } }).ended;

    expect([exitCode, readFileSync(file).length]).toEqual([1, 102_400]);
    expect(stderr).toMatch(/^portico: Cannot write to stdout \(EFBIG\)\. Output was lost\.\n/);
  });
});

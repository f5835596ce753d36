import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { expandDefaultSubcommands } from './member-program.ts';
import { buildProgram } from './program.ts';
import { run } from './run.ts';
import { contractSample, memberApi, settingsFile } from '../settings/settings-file.test.support.ts';

/** Runs the command in this process and takes down what it says. */
const portico = async (args: string, env: Readonly<Record<string, string | undefined>> = {}) => {
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    const spy = vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text);
      return true;
    });
    onTestFinished(() => spy.mockRestore());
  }
  return { exitCode: await run(args.split(' ').filter(Boolean), env), ...said };
};

/** Every command that the help shows, each by what is typed for it. */
const commandsIn = (command: Command, typed = ''): readonly (readonly [typed: string, command: Command])[] => [
  [typed, command],
  ...command
    .createHelp()
    .visibleCommands(command)
    .filter((inner) => inner.name() !== 'help')
    .flatMap((inner) => commandsIn(inner, `${typed} ${inner.name()}`.trim())),
];

const commands = commandsIn(buildProgram('0.0.0', () => async () => {}));

describe('the help', () => {
  it.each(commands)('of portico %s is shown on stdout, with an example', async (typed, command) => {
    const { exitCode, stdout, stderr } = await portico(`${typed} --help`);

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: ${`portico ${typed}`.trim()} `));
    expect(stdout).toMatch(/\nExamples?:\n {2}\$ \S/);
    expect(command.description()).not.toBe('');
  });

  // A script for the shell reads no settings, and is no document.
  it.each(commands.filter(([typed, { commands }]) => commands.length === 0 && typed !== 'completion'))(
    'of portico %s names the file of the settings and the way to one document',
    async (typed) => {
      const { stdout } = await portico(`${typed} --help`);

      expect(stdout).toMatch(/^ {2}--config <file> /m);
      expect(stdout).toMatch(/^ {2}--json /m);
    },
  );

  it('knows every command that there is', () => {
    expect(commands.map(([typed]) => typed).toSorted()).toEqual([
      '',
      'completion',
      'config',
      'config check',
      'config print',
      'config schema',
      'journey',
      'legs',
      'me',
      'me accumulators',
      'me claims',
      'me claims get',
      'me claims list',
      'me claims submit',
      'me consent',
      'me consent set',
      'me consent show',
      'me coverage',
      'me documents',
      'me documents get',
      'me documents list',
      'me notifications',
      'me notifications list',
      'me notifications log',
      'me preferences',
      'me preferences set',
      'me preferences show',
      'me profile',
      'me profile set',
      'me profile show',
      'search',
      'serve',
      'token',
    ]);
  });

  it.each(commands)('of portico %s gives examples that can be typed', async (typed) => {
    const { stdout } = await portico(`${typed} --help`);
    const examples = [...stdout.slice(stdout.indexOf('\nExample')).matchAll(/\bportico ([^|>)\n]+)/g)];

    expect(examples).not.toEqual([]);
    for (const [, args = ''] of examples) {
      if (args.startsWith('completion ')) continue;
      const called: string[] = [];
      const program = buildProgram(
        '0.0.0',
        () =>
          async function (this: Command) {
            called.push(this.name());
          },
      );
      for (const [, command] of commandsIn(program)) command.exitOverride();
      await program.parseAsync(expandDefaultSubcommands(args.trim().split(' ')), { from: 'user' });

      expect(called).toHaveLength(1);
    }
  });

  it.each(['help', 'help serve', 'help me', '-h', 'me claims -h'])('is also there by portico %s', async (args) => {
    const { exitCode, stdout, stderr } = await portico(args);

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: portico /);
  });

  it.each(['--help', 'me claims list --help', '--version'])(
    'does not wait for what only a command needs: portico %s',
    async (args) => {
      expect(await packagesLoadedBy(args.split(' '))).toEqual(['cli', 'commander']);
    },
  );
});

/** The packages, ours by their folders, of which a whole run of the command loads anything. */
const packagesLoadedBy = async (args: readonly string[]) => {
  const listening = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    process.on('exit', () => process.stderr.write(JSON.stringify(urls)));`;
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const hooks = `data:text/javascript,${encodeURIComponent(listening)}`;
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@portico/source', '--import', hooks, main, ...args],
    { env: {} },
  );
  const names = (JSON.parse(stderr) as readonly string[]).flatMap((url) => {
    const [, name] =
      /.*\/(?:node_modules\/((?:@[^/]+\/)?[^/]+)|packages\/([^/]+)\/(?:src|dist))\//.exec(url)?.filter(Boolean) ?? [];
    return name === undefined ? [] : [name];
  });
  return [...new Set(names)].toSorted();
};

describe('what the user asked for is shown on stdout, and nothing else', () => {
  it('the version', async () => {
    expect(await portico('--version')).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });

  it('that the settings are right, and what they would serve', async () => {
    const config = settingsFile(memberApi);

    expect(await portico(`config check --config ${config}`)).toEqual({
      exitCode: 0,
      stdout: 'The settings are right; portico serve would serve member portal.\n',
      stderr: '',
    });
    expect(await portico(`config check --json --config ${config}`)).toEqual({
      exitCode: 0,
      stdout: '{"ok":true,"serves":["member portal"]}\n',
      stderr: '',
    });
  });

  it("that the contract's whole sample is right, and serves both halves", async () => {
    const config = settingsFile(contractSample);

    expect(await portico(`config check --config ${config}`)).toEqual({
      exitCode: 0,
      stdout: 'The settings are right; portico serve would serve member portal and federated search.\n',
      stderr: '',
    });
    expect((await portico(`config check --json --config ${config}`)).stdout).toBe(
      '{"ok":true,"serves":["member portal","federated search"]}\n',
    );
  });

  it('that the search half alone is right', async () => {
    const config = settingsFile({ search: contractSample.search });

    expect((await portico(`config check --config ${config}`)).stdout).toBe(
      'The settings are right; portico serve would serve federated search.\n',
    );
    expect((await portico(`config check --json --config ${config}`)).stdout).toBe(
      '{"ok":true,"serves":["federated search"]}\n',
    );
  });

  it('that there is nothing to serve', async () => {
    const { exitCode, stdout } = await portico('config check');

    expect([exitCode, stdout]).toEqual([
      0,
      'The settings are right; portico serve would serve nothing: set identity and downstreams, or search.legs.\n',
    ]);
  });

  it('the settings in force, with their sources', async () => {
    const { exitCode, stdout, stderr } = await portico('config print --port 1', { HOST: '::1' });

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^listen\.host = "::1" {2}\(HOST\)\nlisten\.port = 1 {2}\(--port\)\n/);
  });

  it('the settings in force as one document', async () => {
    const { exitCode, stdout, stderr } = await portico(`config print --json --config ${settingsFile(contractSample)}`);

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ ...contractSample, log: { level: 'info' } });
  });

  it('the schema of the file, whether or not the settings are right', async () => {
    const { exitCode, stdout, stderr } = await portico('config schema --json', { PORT: 'wrong' });

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'object', properties: { listen: { type: 'object' } } });
  });
});

it.each(['config print', 'config print --json'])('portico %s keeps secrets to itself', async (args) => {
  const { moa } = contractSample.search.legs;
  const privateKey = Buffer.alloc(32, 'hunter2').toString('base64');
  const config = settingsFile({
    ...contractSample,
    identity: { ...memberApi.identity, jwksUrl: 'https://keys.example/?key=hunter2' },
    search: {
      legs: {
        moa: {
          ...moa,
          bapUri: 'https://user:hunter2@bap.example',
          signing: { subscriberId: 'bap.example', uniqueKeyId: 'k1', privateKey },
        },
      },
    },
    redis: { url: 'redis://user:hunter2@redis.example' },
  });
  const { exitCode, stdout } = await portico(`${args} --config ${config}`);

  expect(exitCode).toBe(0);
  expect(stdout).toContain('redis://***@redis.example');
  expect(stdout).toContain('https://keys.example/?***');
  expect(stdout).toContain('https://***@bap.example');
  expect(stdout).not.toContain('hunter2');
  expect(stdout).not.toContain(privateKey);
});

describe('settings that are wrong', () => {
  const wrong = { PORT: 'http', LOG_LEVEL: 'loud' };
  const problems = [
    { setting: 'listen.port', source: 'PORT', message: 'must be a whole number from 0 to 65535' },
    { setting: 'log.level', source: 'LOG_LEVEL', message: 'must be one of error, warn, info, silent' },
  ];
  const forPeople = `portico: 2 problems with the settings
  listen.port (PORT): must be a whole number from 0 to 65535
  log.level (LOG_LEVEL): must be one of error, warn, info, silent
`;

  it.each(['config check', 'config print', 'serve'])('stop portico %s before it has begun', async (args) => {
    expect(await portico(args, wrong)).toEqual({ exitCode: 2, stdout: '', stderr: forPeople });
  });

  it.each(['config check', 'config print', 'serve'])('are one document of portico %s --json', async (args) => {
    const { exitCode, stdout, stderr } = await portico(`${args} --json`, wrong);

    expect([exitCode, stderr]).toEqual([2, forPeople]);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      code: 'invalid-request',
      detail: '2 problems with the settings',
      problems,
    });
  });

  it('may be one problem', async () => {
    expect((await portico('config check --port http')).stderr).toMatch(/^portico: 1 problem with the settings\n/);
  });

  it('never show what is in a broken file', async () => {
    const { exitCode, stdout, stderr } = await portico(`config check --json --config ${settingsFile('hunter2')}`);

    expect(exitCode).toBe(2);
    expect(stderr + stdout).toContain('is not valid JSON');
    expect(stderr + stdout).not.toContain('hunter2');
  });
});

describe('a command that cannot be understood', () => {
  it.each([
    ['serv', "unknown command 'serv'", 'Did you mean serve?', 'portico --help lists the commands'],
    ['config chekc', "unknown command 'chekc'", 'Did you mean check?', 'portico config --help lists the commands'],
    ['jorney', "unknown command 'jorney'", 'Did you mean journey?', 'portico --help lists the commands'],
    ['me clams', "unknown command 'clams'", 'Did you mean claims?', 'portico me --help lists the commands'],
    ['me claims lst', "unknown command 'lst'", 'Did you mean list?', 'portico me claims --help lists the commands'],
    [
      'me preferences sett',
      "unknown command 'sett'",
      'Did you mean set?',
      'portico me preferences --help lists the commands',
    ],
    [
      'me coverage --jsn',
      "unknown option '--jsn'",
      'Did you mean --json?',
      'portico me coverage --help lists the options',
    ],
    [
      'me claims --stauts paid',
      "unknown option '--stauts'",
      'Did you mean --status?',
      'portico me claims list --help lists the options',
    ],
    ['serve --prot 1', "unknown option '--prot'", 'Did you mean --port?', 'portico serve --help lists the options'],
    [
      'config check --clams-url x',
      "unknown option '--clams-url'",
      'Did you mean --claims-url?',
      'portico config check --help lists the options',
    ],
  ])('portico %s is told the nearest', async (args, mistake, nearest, help) => {
    expect(await portico(args)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `portico: ${mistake}\n(${nearest})\n(${help})\n`,
    });
    expect(JSON.parse((await portico(`${args} --json`)).stdout)).toEqual({
      ok: false,
      code: 'invalid-request',
      detail: 'The command line is not right.',
      problems: [{ setting: '(arguments)', source: 'command line', message: `${mistake} (${nearest})` }],
    });
  });

  it.each([
    ['serve --port', "option '--port <value>' argument missing"],
    ['serve extra', "too many arguments for 'serve'. Expected 0 arguments but got 1."],
    ['--nonsense', "unknown option '--nonsense'"],
    ['me claims get', "missing required argument 'locator'"],
    ['me claims list CLM-1', "too many arguments for 'list'. Expected 0 arguments but got 1."],
    ['search dental --user-id u-1', "required option '--persona <persona>' not specified"],
    [
      'token --grant magic',
      "option '--grant <type>' argument 'magic' is invalid. Allowed choices are password, client_credentials.",
    ],
  ])('portico %s', async (args, mistake) => {
    const { exitCode, stdout, stderr } = await portico(args);

    expect([exitCode, stdout, stderr.split('\n')[0]]).toEqual([2, '', `portico: ${mistake}`]);
  });

  it.each(['', 'config', 'me'])('portico %s gets the help on stderr', async (args) => {
    const { exitCode, stdout, stderr } = await portico(args);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Usage: portico /);
  });

  it.each([
    '--json',
    'config --json',
    'me --json',
    'serve --port --json',
    'config check --json --config',
    'me claims get --json',
    'search dental --json',
    'nonsense --json',
  ])('portico %s answers with one document all the same', async (args) => {
    const { exitCode, stdout } = await portico(args);

    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      code: 'invalid-request',
      detail: 'The command line is not right.',
      problems: [{ setting: '(arguments)', source: 'command line', message: expect.any(String) }],
    });
  });

  it('does not take the next option for a value', async () => {
    expect((await portico('config print --host --json')).stderr).toContain("option '--host <value>' argument '--json'");
  });

  it('is not repeated with a password in it', async () => {
    const { stdout, stderr } = await portico('serve --json --redis-url=redis://user:hunter2@redis.example');

    expect(stderr).toMatch(/^portico: unknown option '--redis-url'\n/);
    expect(stdout + stderr).not.toContain('hunter2');
  });
});

describe('a command whose settings are right, but not enough', () => {
  const noPortal = 'There is no member portal in the settings.';

  it.each([
    ['me claims', noPortal],
    ['me claims --status paid', noPortal],
    ['me preferences', noPortal],
    ['journey', noPortal],
    ['token', 'There is no identity provider in the settings.'],
    ['legs', 'There are no search legs in the settings.'],
  ])('portico %s is told what to set', async (args, detail) => {
    const { exitCode, stdout, stderr } = await portico(args);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^portico: ${detail}\n {2}Set `));
    expect(JSON.parse((await portico(`${args} --json`)).stdout)).toEqual({
      ok: false,
      code: 'invalid-request',
      detail,
    });
  });

  it('portico token does not look at the services', async () => {
    const env = { CLAIMS_URL: 'claims', DOWNSTREAM_TIMEOUT_MS: 'soon' };

    expect((await portico('token', env)).stderr).toMatch(/^portico: There is no identity provider in the settings/);
    expect((await portico('me claims', env)).stderr).toMatch(/^portico: \d+ problems with the settings/);
  });
});

describe('a fault of our own', () => {
  const broken: Readonly<Record<string, string | undefined>> = new Proxy(
    {},
    {
      get: () => {
        throw new Error('hunter2');
      },
    },
  );
  const forPeople = `portico: Something went wrong on our side.
  This is a fault of portico itself. --verbose shows where it happened.
`;

  it('is told without its message, which may quote what a member sent', async () => {
    expect(await portico('config check', broken)).toEqual({ exitCode: 1, stdout: '', stderr: forPeople });
  });

  it('is one document with --json', async () => {
    const { exitCode, stdout, stderr } = await portico('config check --json', broken);

    expect([exitCode, stderr]).toEqual([1, forPeople]);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      code: 'internal',
      detail: 'Something went wrong on our side.',
    });
  });

  it('is shown with its place to whoever asks with --verbose', async () => {
    const { exitCode, stdout, stderr } = await portico('config check --verbose', broken);

    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/\nError: hunter2\n +at /);
  });
});

it('says in one line that Node is too old', async () => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.19.1' } })`;
  const bin = fileURLToPath(new URL('../../bin/portico.js', import.meta.url));
  const started = promisify(execFile)(process.execPath, ['--import', `data:text/javascript,${old}`, bin, '--version']);

  await expect(started).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'portico needs Node 22.20 or newer; this is Node 22.19.1.\n',
  });
});

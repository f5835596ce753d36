import { execFile } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { expandDefaultSubcommands } from './member-program.ts';
import { buildProgram } from './program.ts';
import { run } from './run.ts';
import { contractSample, memberApi, settingsFile } from '../settings/settings-file.test.support.ts';

/** Runs the command in this process and captures its output. */
const portico = async (args: string, env: Readonly<Record<string, string | undefined>> = {}) => {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    const spy = vi.spyOn(process[name], 'write').mockImplementation((text) => {
      output[name] += String(text);
      return true;
    });
    onTestFinished(() => spy.mockRestore());
  }
  return { exitCode: await run(args.split(' ').filter(Boolean), env), ...output };
};

/** Returns all visible commands with their full names. */
const commandsIn = (command: Command, typed = ''): readonly (readonly [typed: string, command: Command])[] => [
  [typed, command],
  ...command
    .createHelp()
    .visibleCommands(command)
    .filter((inner) => inner.name() !== 'help')
    .flatMap((inner) => commandsIn(inner, `${typed} ${inner.name()}`.trim())),
];

const commands = commandsIn(buildProgram('0.0.0', () => async () => {}));

const helps = new Map<string, ReturnType<typeof portico>>();

/** The help of a command, which is printed once for all tests. */
const helpOf = (typed: string): ReturnType<typeof portico> => {
  const help = helps.get(typed) ?? portico(`${typed} --help`);
  helps.set(typed, help);
  return help;
};

describe('the help', () => {
  it.each(commands)('shows the help of portico %s on stdout, with an example', async (typed, command) => {
    const { exitCode, stdout, stderr } = await helpOf(typed);

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: ${`portico ${typed}`.trim()} `));
    expect(stdout).toMatch(/\nExamples?:\n {2}\$ \S/);
    expect(command.description()).not.toBe('');
  });

  // The completion script needs no settings and is not JSON.
  it.each(commands.filter(([typed, { commands }]) => commands.length === 0 && typed !== 'completion'))(
    'describes --config and --json in the complete help of portico %s',
    async (typed) => {
      const { exitCode, stdout } = await portico(`${typed} --help-all`);

      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^ {2}--config <file> /m);
      expect(stdout).toMatch(/^ {2}--json /m);
    },
  );

  it.each(commands.filter(([, { commands }]) => commands.length === 0))(
    'fits the help of portico %s on a screen of 24 lines and 80 columns, prompt included',
    async (typed) => {
      const { stdout } = await helpOf(typed);
      const lines = stdout.trimEnd().split('\n');

      expect(lines.length).toBeLessThan(24);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    },
  );

  it.each(commands.filter(([typed, { commands }]) => commands.length === 0 && typed !== 'completion'))(
    'describes or names every option in the help of portico %s, except the flags of settings',
    async (typed, { options }) => {
      const { stdout } = await helpOf(typed);
      const flags = options.filter(({ helpGroupHeading }) => helpGroupHeading !== 'Settings:').map(({ long }) => long);

      expect(flags.filter((flag) => !stdout.includes(flag ?? '?'))).toEqual([]);
    },
  );

  it.each(commands)('shows valid examples in the help of portico %s', async (typed) => {
    const { stdout } = await helpOf(typed);
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

  it.each(['help', 'help serve', 'help me', '-h', 'me claims -h'])('shows the help for portico %s', async (args) => {
    const { exitCode, stdout, stderr } = await portico(args);

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: portico /);
  });

  it.each(['me claims list --help', '--version'])('loads only commander for portico %s', async (args) => {
    expect(await packagesLoadedBy(args.split(' '))).toEqual(['cli', 'commander']);
  });
});

/** Returns the packages that a run of the command loads; our own packages by their directory. */
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

describe('output on stdout', () => {
  it('prints the version', async () => {
    expect(await portico('--version')).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });

  it('prints that the settings are valid, and which APIs they enable', async () => {
    const config = settingsFile(memberApi);

    expect(await portico(`config check --config ${config}`)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^Configuration is valid. Enabled: member API.\n {2}GET \/me\n {2}GET \/me\/coverage\n/,
      ),
      stderr: '',
    });
    expect(JSON.parse((await portico(`config check --json --config ${config}`)).stdout)).toMatchObject({
      ok: true,
      serves: ['member portal'],
    });
  });

  it('lists only the routes of the services that are configured', async () => {
    const { identity, downstreams } = memberApi;
    const config = settingsFile({ identity, downstreams: { claims: downstreams.claims } });

    expect((await portico(`config check --config ${config}`)).stdout).toBe(
      'Configuration is valid. Enabled: member API.\n  GET /me\n  GET /me/claims\n  POST /me/claims\n  GET /me/claims/{locator}\n',
    );
    expect(await portico(`me documents --config ${config}`, { PORTICO_TOKEN: 'any' })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'portico: The documents service is not configured.\n  Set downstreams.documents.url in the settings file, or DOCUMENTS_URL.\n',
    });
  });

  it("accepts the contract's sample settings, which enable both APIs", async () => {
    const config = settingsFile(contractSample);

    expect(await portico(`config check --config ${config}`)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Configuration is valid. Enabled: member API, search API.\n'),
      stderr: '',
    });
    expect(JSON.parse((await portico(`config check --json --config ${config}`)).stdout)).toMatchObject({
      ok: true,
      serves: ['member portal', 'federated search'],
    });
  });

  it('accepts settings for the search API alone', async () => {
    const config = settingsFile({ search: contractSample.search });

    expect((await portico(`config check --config ${config}`)).stdout).toBe(
      'Configuration is valid. Enabled: search API.\n',
    );
    expect((await portico(`config check --json --config ${config}`)).stdout).toBe(
      '{"ok":true,"serves":["federated search"],"routes":[]}\n',
    );
  });

  it('prints that no API is enabled, with --allow-empty', async () => {
    expect(await portico('config check --allow-empty')).toEqual({
      exitCode: 0,
      stdout: 'Configuration is valid. No API is enabled.\n',
      stderr: '',
    });
    expect((await portico('config check --allow-empty --json')).stdout).toBe('{"ok":true,"serves":[],"routes":[]}\n');
  });

  it('prints the effective settings with their sources', async () => {
    const { exitCode, stdout, stderr } = await portico('config print --port 1', { HOST: '::1' });

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^listen\.host = "::1" {2}\(HOST\)\nlisten\.port = 1 {2}\(--port\)\n/);
  });

  it('prints the effective settings as one document', async () => {
    const { exitCode, stdout, stderr } = await portico(`config print --json --config ${settingsFile(contractSample)}`);

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ ...contractSample, log: { level: 'info' } });
  });

  it('prints the JSON Schema even when the settings are invalid', async () => {
    const { exitCode, stdout, stderr } = await portico('config schema --json', { PORT: 'wrong' });

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'object', properties: { listen: { type: 'object' } } });
  });
});

it.each(['config print', 'config print --json'])('portico %s hides secrets', async (args) => {
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

describe('invalid settings', () => {
  const invalid = { PORT: 'http', LOG_LEVEL: 'loud' };
  const problems = [
    { setting: 'listen.port', source: 'PORT', message: 'must be an integer from 0 to 65535' },
    { setting: 'log.level', source: 'LOG_LEVEL', message: 'must be one of error, warn, info, silent' },
  ];
  const forPeople = `portico: 2 problems with the settings
  listen.port (PORT): must be an integer from 0 to 65535
  log.level (LOG_LEVEL): must be one of error, warn, info, silent
`;

  it.each(['config check', 'config print', 'doctor', 'serve'])(
    'exits with 2 for invalid settings: portico %s',
    async (args) => {
      expect(await portico(args, invalid)).toEqual({ exitCode: 2, stdout: '', stderr: forPeople });
    },
  );

  it.each(['config check', 'config print', 'serve'])(
    'prints invalid settings as one document: portico %s --json',
    async (args) => {
      const { exitCode, stdout, stderr } = await portico(`${args} --json`, invalid);

      expect([exitCode, stderr]).toEqual([2, forPeople]);
      expect(JSON.parse(stdout)).toEqual({
        ok: false,
        code: 'invalid-request',
        detail: '2 problems with the settings',
        problems,
      });
    },
  );

  it('end a command only when no module of it is being loaded any more', async () => {
    let isLoaded = false;
    vi.doMock('../commands/serve.ts', async () => {
      // Longer than the settings take.
      for (let turn = 0; turn < 1000; turn += 1) await setImmediate();
      isLoaded = true;
      return { serve: () => 0 };
    });
    onTestFinished(() => vi.doUnmock('../commands/serve.ts'));

    expect((await portico('serve', invalid)).exitCode).toBe(2);
    expect(isLoaded).toBe(true);
  });

  it('uses the singular for one problem', async () => {
    expect((await portico('config check --port http')).stderr).toMatch(/^portico: 1 problem with the settings\n/);
  });
});

describe('settings that enable no API', () => {
  it('fail portico config check', async () => {
    expect(await portico('config check')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'portico: These settings enable no API.\n  Give a settings file with --config or PORTICO_CONFIG. It needs identity and downstreams, or search.legs.\n',
    });
  });

  it('fail portico config check when the roles leave no API', async () => {
    const config = settingsFile({ ...memberApi, roles: ['search'], redis: { url: 'redis://redis.example' } });

    expect((await portico(`config check --config ${config}`)).exitCode).toBe(2);
  });
});

it('portico config check accepts the name of a schema for editors in a settings file', async () => {
  const $schema = './portico.schema.json';

  expect(await portico(`config check --config ${settingsFile({ $schema, ...memberApi })}`)).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
  expect((await portico(`config check --config ${settingsFile({ $schema: 1, ...memberApi })}`)).stderr).toContain(
    'must be a string',
  );
});

describe('an invalid command line', () => {
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
  ])('suggests the most similar name: portico %s', async (args, mistake, nearest, help) => {
    expect(await portico(args)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `portico: ${mistake}\n(${nearest})\n(${help})\n`,
    });
    expect(JSON.parse((await portico(`${args} --json`)).stdout)).toEqual({
      ok: false,
      code: 'invalid-request',
      detail: 'Invalid command line.',
      problems: [{ setting: '(arguments)', source: 'command line', message: `${mistake} (${nearest})` }],
    });
  });

  it.each([
    ['serve --port', "option '--port <value>' argument missing"],
    ['serve extra', "too many arguments for 'serve'. Expected 0 arguments but got 1."],
    ['--nonsense', "unknown option '--nonsense'"],
    ['me claims get', "missing required argument 'locator'"],
    ['me claims list CLM-1', "too many arguments for 'list'. Expected 0 arguments but got 1."],
    [
      'contract claims --timeout 600001',
      "option '--timeout <ms>' argument '600001' is invalid. It must be an integer from 1 to 600000.",
    ],
    ['search --user-id u-1', "missing required argument 'query'"],
    [
      'token --grant magic',
      "option '--grant <type>' argument 'magic' is invalid. Allowed choices are password, client_credentials.",
    ],
  ])('exits with 2 and names the mistake: portico %s', async (args, mistake) => {
    const { exitCode, stdout, stderr } = await portico(args);

    expect([exitCode, stdout, stderr.split('\n')[0]]).toEqual([2, '', `portico: ${mistake}`]);
  });

  it.each(['', 'config'])('prints the help on stderr when the command is missing: portico %s', async (args) => {
    const { exitCode, stdout, stderr } = await portico(args);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Usage: portico /);
  });

  it.each([
    '--json',
    'config --json',
    'serve --port --json',
    'config check --json --config',
    'me claims get --json',
    'search --json',
    'nonsense --json',
    'me coverage -o json --bogus',
    'me coverage -ojson --bogus',
    'me coverage --output json --bogus',
    'me coverage --output=json --bogus',
  ])('prints one document for an invalid command line: portico %s', async (args) => {
    const { exitCode, stdout } = await portico(args);

    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      code: 'invalid-request',
      detail: 'Invalid command line.',
      problems: [{ setting: '(arguments)', source: 'command line', message: expect.any(String) }],
    });
  });

  it('does not accept an option as the value of another option', async () => {
    expect((await portico('config print --host --json')).stderr).toContain("option '--host <value>' argument '--json'");
  });

  it('does not repeat the value of an unknown option, which may be a password', async () => {
    const { stdout, stderr } = await portico('serve --json --redis-url=redis://user:hunter2@redis.example');

    expect(stderr).toMatch(/^portico: unknown option '--redis-url'\n/);
    expect(stdout + stderr).not.toContain('hunter2');
  });
});

describe('missing settings', () => {
  const noMemberApi = ['The member API is not configured.', 'identity and downstreams'] as const;
  const noLegs = ['No search legs are configured.', 'search.legs'] as const;

  it.each([
    ['me claims', ...noMemberApi],
    ['me claims --status paid', ...noMemberApi],
    ['me preferences', ...noMemberApi],
    ['journey', ...noMemberApi],
    ['token', 'No identity provider is configured.', 'identity.issuer (IDENTITY_ISSUER)'],
    ['legs', ...noLegs],
    ['search x', ...noLegs],
  ])('names the settings to set: portico %s', async (args, detail, settings) => {
    const { exitCode, stdout, stderr } = await portico(args);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`portico: ${detail}\n  Set ${settings}`);
    expect(JSON.parse((await portico(`${args} --json`)).stdout)).toEqual({
      ok: false,
      code: 'invalid-request',
      detail,
    });
  });

  it('ignores the settings of the services for portico token', async () => {
    const env = { CLAIMS_URL: 'claims', DOWNSTREAM_TIMEOUT_MS: 'soon' };

    expect((await portico('token', env)).stderr).toMatch(/^portico: No identity provider is configured/);
    expect((await portico('me claims', env)).stderr).toMatch(/^portico: \d+ problems with the settings/);
  });
});

describe('an internal error', () => {
  const broken: Readonly<Record<string, string | undefined>> = new Proxy(
    {},
    {
      get: () => {
        throw new Error('hunter2');
      },
    },
  );
  const forPeople = `portico: Internal error: this is a bug in portico.
  Run the command again with --verbose for a stack trace.
`;

  it('hides the message of an internal error, which may contain private data', async () => {
    expect(await portico('config check', broken)).toEqual({ exitCode: 1, stdout: '', stderr: forPeople });
  });

  it('prints an internal error as one document with --json', async () => {
    const { exitCode, stdout, stderr } = await portico('config check --json', broken);

    expect([exitCode, stderr]).toEqual([1, forPeople]);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      code: 'internal',
      detail: 'Internal error: this is a bug in portico.',
    });
  });

  it('prints the stack trace of an internal error with --verbose', async () => {
    const { exitCode, stdout, stderr } = await portico('config check --verbose', broken);

    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/\nError: hunter2\n +at /);
  });
});

it('portico exits with 2 and one line when Node is too old', async () => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.19.1' } })`;
  const bin = fileURLToPath(new URL('../../bin/portico.js', import.meta.url));
  const started = promisify(execFile)(process.execPath, ['--import', `data:text/javascript,${old}`, bin, '--version']);

  await expect(started).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'portico requires Node 22.20 or newer; this is Node 22.19.1.\n',
  });
});

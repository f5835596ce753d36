import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { run } from './run.ts';
import { contractSample, memberHalf, settingsFile } from './settings/settings-file.test.support.ts';

/** Runs the command in this process and takes down what it says. */
const portico = async (args: string, env: Readonly<Record<string, string>> = {}) => {
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

describe('what the user asked for is shown on stdout, and nothing else', () => {
  it.each(['--help', 'help', 'serve --help', 'config --help', 'config check --help', 'help serve'])(
    'portico %s',
    async (args) => {
      const { exitCode, stdout, stderr } = await portico(args);

      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^Usage: portico /);
    },
  );

  it('the version', async () => {
    expect(await portico('--version')).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });

  it('that the settings are right, and what they would serve', async () => {
    const config = settingsFile(memberHalf);

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
    identity: { ...memberHalf.identity, jwksUrl: 'https://keys.example/?key=hunter2' },
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
    expect(JSON.parse(stdout)).toEqual({ ok: false, problems });
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
      problems: [{ setting: '(arguments)', source: 'command line', message: `${mistake} (${nearest})` }],
    });
  });

  it.each([
    ['serve --port', "option '--port <value>' argument missing"],
    ['serve extra', "too many arguments for 'serve'. Expected 0 arguments but got 1: extra."],
    ['--nonsense', "unknown option '--nonsense'"],
  ])('portico %s', async (args, mistake) => {
    const { exitCode, stdout, stderr } = await portico(args);

    expect([exitCode, stdout, stderr.split('\n')[0]]).toEqual([2, '', `portico: ${mistake}`]);
  });

  it.each(['', 'config'])('portico %s gets the help on stderr', async (args) => {
    const { exitCode, stdout, stderr } = await portico(args);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Usage: portico /);
  });

  it.each(['--json', 'config --json', 'serve --port --json', 'config check --json --config', 'nonsense --json'])(
    'portico %s answers with one document all the same',
    async (args) => {
      const { exitCode, stdout } = await portico(args);

      expect(exitCode).toBe(2);
      expect(JSON.parse(stdout)).toEqual({
        ok: false,
        problems: [{ setting: '(arguments)', source: 'command line', message: expect.any(String) }],
      });
    },
  );

  it('does not take the next option for a value', async () => {
    expect((await portico('config print --host --json')).stderr).toContain("option '--host <value>' argument '--json'");
  });

  it('is not repeated with a password in it', async () => {
    const { stdout, stderr } = await portico('serve --json --redis-url=redis://user:hunter2@redis.example');

    expect(stderr).toMatch(/^portico: unknown option '--redis-url'\n/);
    expect(stdout + stderr).not.toContain('hunter2');
  });
});

it('says in one line that Node is too old', async () => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.19.1' } })`;
  const bin = fileURLToPath(new URL('../bin/portico.js', import.meta.url));
  const started = promisify(execFile)(process.execPath, ['--import', `data:text/javascript,${old}`, bin, '--version']);

  await expect(started).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'portico needs Node 22.20 or newer; this is Node 22.19.1.\n',
  });
});

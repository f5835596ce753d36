import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { create, nextSteps } from './create.ts';
import { kinds } from './kinds.ts';
import { run } from './run.ts';

const aFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'create-portico-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

/** Runs the command; `lines` are typed on a terminal, and the input ends after them. */
const created = async (args: readonly string[], lines?: readonly string[]) => {
  const output: string[] = [];
  const errors: string[] = [];
  const questions: string[] = [];
  const exitCode = await run(args, '1.2.3', {
    print: (text) => void output.push(text),
    printError: (text) => void errors.push(text),
    ...(lines && {
      ask: async (question) => {
        questions.push(question);
        return lines[questions.length - 1];
      },
    }),
  });
  return { exitCode, output: output.join(''), errors: errors.join(''), questions };
};

const filesIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [[entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')]] : [],
    ),
  );

it.each(Object.keys(kinds))('a project of the kind %s has a package of this version and a test', async (kind) => {
  const folder = join(aFolder(), 'My Portal');
  const { exitCode, output, errors } = await created([
    folder,
    '--kind',
    kind,
    '--issuer',
    'https://id.test/r',
    '--yes',
  ]);
  const files = filesIn(folder);
  const { name, dependencies, scripts } = JSON.parse(files['package.json'] ?? '') as {
    readonly name: string;
    readonly dependencies: Readonly<Record<string, string>>;
    readonly scripts: object;
  };

  expect([exitCode, errors, name]).toEqual([0, '', 'my-portal']);
  expect(new Set(Object.values(dependencies))).toEqual(new Set(['^1.2.3']));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test', 'check']));
  expect(Object.keys(files).filter((file) => file.endsWith('.test.ts'))).toHaveLength(1);
  expect(Object.keys(files)).toEqual(
    expect.arrayContaining(['.gitignore', '.dockerignore', 'Dockerfile', 'README.md']),
  );
  expect(Object.values(files).join('')).not.toContain('{{');
  expect(files['README.md']).toMatch(/^# my-portal\n/);
  expect(output).toContain(`cd '${folder}'\n  npm install\n  npm test`);
});

it('create-portico keeps secrets out of the repository and of the image of a project', async () => {
  const folder = aFolder();
  await created([folder, '--yes']);
  const secrets = ['.env', '.env.local', '.env.production', '.npmrc', 'portal.pem', 'portal.key', 'keys/signing.key'];
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  const { stdout } = spawnSync('git', ['check-ignore', ...secrets, '.env.example', 'main.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const patterns = readFileSync(join(folder, '.dockerignore'), 'utf8').trim().split('\n');

  expect(stdout.trim().split('\n')).toEqual(secrets);
  expect(secrets.filter((path) => !patterns.some((pattern) => matchesGlob(path, pattern)))).toEqual([]);
});

it('create-portico writes the issuer into the settings', async () => {
  const folder = aFolder();
  await created([folder, '--issuer', 'https://id.test/realms/a', '--yes']);

  expect(JSON.parse(filesIn(folder)['portico.json'] ?? '')).toMatchObject({
    identity: { issuer: 'https://id.test/realms/a' },
  });
});

it('create-portico prompts for missing values, repeats questions with the problem, and has defaults for empty lines', async () => {
  const folder = join(aFolder(), 'new');
  const { exitCode, questions } = await created([], [folder, 'server', 'embed', 'id.test', '']);

  expect(exitCode).toBe(0);
  expect(questions.map((question) => question.split('\n').at(-1))).toEqual([
    'Folder [portal]: ',
    'What do you need [serve]: ',
    'What do you need [serve]: ',
    'Issuer of the access tokens [https://identity.example/realms/members]: ',
    'Issuer of the access tokens [https://identity.example/realms/members]: ',
  ]);
  expect(questions[2]).toMatch(/^ {2}must be one of serve, embed, network, pages\n/);
  expect(questions[4]).toMatch(/^ {2}must be an http or https URL without query\n/);
  expect(filesIn(folder)['main.ts']).toContain("issuer: 'https://identity.example/realms/members'");
});

it('create-portico does not prompt a network participant for an issuer', async () => {
  const { questions } = await created([join(aFolder(), 'new')], ['network']);

  expect(questions).toHaveLength(1);
});

it('create-portico creates nothing when the input ends before the last question', async () => {
  const folder = join(aFolder(), 'new');

  expect((await created([folder], ['embed'])).exitCode).toBe(1);
  expect(existsSync(folder)).toBe(false);
});

it('create-portico refuses a folder that is not empty, before the first question, and changes nothing in it', async () => {
  const folder = aFolder();
  writeFileSync(join(folder, 'package.json'), 'precious');
  const { exitCode, errors, questions } = await created([folder], []);

  expect([exitCode, errors]).toEqual([2, `${folder} is not empty. Give a new or an empty folder.\n`]);
  expect(questions).toEqual([]);
  expect(filesIn(folder)).toEqual({ 'package.json': 'precious' });
});

it('create-portico repeats the question about the folder when it is not empty', async () => {
  const folder = aFolder();
  writeFileSync(join(folder, 'package.json'), 'precious');
  const { exitCode, questions } = await created([], [folder, join(folder, 'new'), 'network']);

  expect(exitCode).toBe(0);
  expect(questions[1]).toBe(`  ${folder} is not empty. Give a new or an empty folder.\nFolder [portal]: `);
  expect(filesIn(join(folder, 'new'))['package.json']).toContain('"name": "new"');
});

it('create-portico does not overwrite a file that was created during the questions', async () => {
  const folder = aFolder();
  const lines = ['serve', 'https://id.test'];
  const { exitCode } = await created(
    [folder],
    new Proxy(lines, {
      get: (_, index) => {
        writeFileSync(join(folder, 'README.md'), 'precious');
        return lines[Number(String(index))];
      },
    }),
  );

  expect(exitCode).toBe(2);
  expect(filesIn(folder)).toEqual({ 'README.md': 'precious' });
});

it('create-portico never overwrites a file, even one that is created after the folder was checked', () => {
  const folder = aFolder();
  writeFileSync(join(folder, 'README.md'), 'precious');

  expect(() => create({ folder, kind: 'serve', issuer: 'https://id.test' }, '1.2.3')).toThrow(/EEXIST/);
  expect(filesIn(folder)['README.md']).toBe('precious');
});

it('create-portico prints the folder so that a shell reads it as one word', () => {
  expect(nextSteps({ folder: "it's mine", kind: 'embed', issuer: '' })).toContain(String.raw`cd 'it'\''s mine'`);
});

it.each(Object.keys(kinds))('a project of the kind %s declares the packages that its files import', async (kind) => {
  const folder = join(aFolder(), 'new');
  await created([folder, '--kind', kind, '--yes']);
  const files = filesIn(folder);
  const { dependencies, devDependencies } = JSON.parse(files['package.json'] ?? '') as Record<string, object>;
  const imported = (isTest: boolean) =>
    Object.entries(files)
      .filter(([name]) => name.endsWith('.ts') && name.endsWith('.test.ts') === isTest)
      .flatMap(([, text]) =>
        [...text.matchAll(/ from '((?:@[^/']+\/)?[^.:/'][^:/']*)(?:\/[^']*)?'/g)].map(([, name]) => name),
      );

  expect(Object.keys({ ...dependencies })).toEqual(expect.arrayContaining(imported(false)));
  expect(Object.keys({ ...dependencies, ...devDependencies })).toEqual(expect.arrayContaining(imported(true)));
  expect(imported(true)).not.toEqual([]);
});

it('create-portico accepts a new repository', async () => {
  const folder = aFolder();
  mkdirSync(join(folder, '.git'));

  expect((await created([folder, '--yes'])).exitCode).toBe(0);
});

it.each([
  [['--kind', 'server'], '--kind must be one of serve, embed, network, pages.'],
  [['--issuer', "https://id.test/'"], '--issuer must be an http or https URL without query.'],
  [['--issuer', 'https://id.test/"},'], '--issuer must be an http or https URL without query.'],
  [['--issuer', 'https://id.test:99999'], '--issuer must be an http or https URL without query.'],
  [['--issuer', 'https://user:secret@id.test'], '--issuer must be an http or https URL without query.'],
  [['--isuer', 'x'], "Unknown option '--isuer'."],
  [['--kind', '-x'], "Option '--kind' argument is ambiguous."],
  [['one', 'two'], 'Give one folder.'],
])('create-portico refuses %j', async (args, problem) => {
  const { exitCode, errors } = await created([...args, '--yes']);

  expect([exitCode, errors]).toEqual([2, `${problem} See: npm create portico -- --help\n`]);
});

it('create-portico reports a folder that is a file', async () => {
  const file = join(aFolder(), 'file');
  writeFileSync(file, '');

  expect(await created([file, '--yes'])).toMatchObject({ exitCode: 2, errors: `${file} cannot be used (ENOTDIR).\n` });
});

it('create-portico prints its help and its version', async () => {
  expect((await created(['--help'])).output).toContain('--kind <kind>   serve: the member API from a settings file');
  expect((await created(['--version'])).output).toBe('1.2.3\n');
});

/** Starts the program of a new project with the packages of this one. Resolves when it listens. */
const startedProgram = async (kind: string) => {
  const folder = join(aFolder(), 'new');
  await created([folder, '--kind', kind, '--yes']);
  symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'));
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const env = { PORT: String(port), CLIENT_SECRET: 'secret', SESSION_KEY: Buffer.alloc(32, 1).toString('base64') };
  const args = ['--conditions=@portico/source', 'main.ts'];
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...env }, stdio: 'inherit' });
  const ended = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const status = () => fetch(`http://127.0.0.1:${port}/livez`).then((response) => response.status);
  await expect.poll(status, { timeout: 30_000 }).toBe(200);
  return { child, ended };
};

it.each([
  ['embed', 'SIGTERM'],
  ['embed', 'SIGINT'],
  ['pages', 'SIGTERM'],
  ['pages', 'SIGINT'],
] as const)(
  'the program of a project of the kind %s drains and exits on %s',
  { timeout: 60_000 },
  async (kind, signal) => {
    const { child, ended } = await startedProgram(kind);
    child.kill(signal);

    // Without a handler it would be ended by the signal or, as process 1 of a container, ignore it.
    expect(await ended).toEqual([0, null]);
  },
);

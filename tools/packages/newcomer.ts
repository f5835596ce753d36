import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { reservePort } from '@portico/demo/ports';
import { runSuiteInJest } from './jest.ts';
import { folderOf, pack, published } from './published.ts';
import { tryStarters } from './starters.ts';
import { followTutorials, tutorialPackages } from './tutorials.ts';

/**
 * Installs the packed packages as a new user would, in an empty folder outside the project. Compiles and runs the README's
 * first snippet, type-checks and loads every entry point, sends a request, and runs a contract suite in Jest. Creates a
 * project of each kind with create-portico, which must pass its own tests. Follows the tutorials in one of them.
 *
 * One installation runs on each Node version given as an argument, or on the current one:
 * `node tools/packages/newcomer.ts 22 24 26`. Jest and the created projects run on the Node of the `PATH`.
 */
const versions = process.argv.length > 2 ? process.argv.slice(2) : [process.versions.node];
const folder = mkdtempSync(join(tmpdir(), 'portico-newcomer-'));
const tarballs = join(folder, 'tarballs');
const log = (line: string) => console.error(line);

const project = join(folder, 'project');

const packed = (): readonly string[] => readdirSync(tarballs).map((name) => join(tarballs, name));

const run = async (directory: string, command: string, ...rest: readonly string[]): Promise<string> =>
  (await promisify(execFile)(command, rest, { cwd: directory, encoding: 'utf8' })).stdout;

/** Creates a folder and installs packages there. */
const install = async (directory: string, ...packages: readonly string[]): Promise<void> => {
  mkdirSync(directory);
  const packageFile = { name: 'newcomer', private: true, type: 'module', allowScripts: { node: true } };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(packageFile));
  await run(directory, 'npm', 'install', '--no-audit', '--no-fund', ...packages);
};

/** The first TypeScript block of the README. */
const snippet = /```ts\n([^]*?)```/.exec(readFileSync('README.md', 'utf8'))?.[1] ?? '';

/** Every entry point except the command's, which runs the command when it is loaded. */
const entryPoints = published.flatMap((name) => {
  const file = readFileSync(`${folderOf(name)}/package.json`, 'utf8');
  const { exports = {} } = JSON.parse(file) as { readonly exports?: Readonly<Record<string, unknown>> };
  return Object.keys(exports).flatMap((entry) => (entry === './main' ? [] : [name + entry.slice(1)]));
});

const waitFor = async (url: string): Promise<Response> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await fetch(url);
    } catch (error) {
      // A minute: CI runs other work at the same time.
      if (attempt === 1200) throw error;
      await new Promise((next) => {
        setTimeout(next, 50);
      });
    }
};

/** Installs the packed packages, and compiles the snippet and an import of every entry point. */
const compile = async (): Promise<void> => {
  await install(project, ...packed(), ...compiler);
  if (!snippet.includes('.listen(8080)')) throw new Error("The README's first snippet does not listen on 8080.");
  writeFileSync(
    join(project, 'main.ts'),
    snippet.replace('.listen(8080)', `.listen(Number(process.env['PORT']), '127.0.0.1')`),
  );
  const imports = entryPoints.map((entry, nth) => `export * as entry${nth} from '${entry}';\n`);
  writeFileSync(join(project, 'entry-points.ts'), imports.join(''));
  const strictly = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--erasableSyntaxOnly'];
  await run(project, join(project, 'node_modules/.bin/tsc'), ...strictly, 'main.ts', 'entry-points.ts');
};

/** Installs one Node version outside the project, and returns its path. */
const installNode = async (version: string): Promise<string> => {
  const directory = join(folder, `node-${version}`);
  await install(directory, `node@${version}`);
  return join(directory, 'node_modules/.bin/node');
};

const tryOn = async (node: string): Promise<void> => {
  await run(project, node, 'entry-points.ts');
  await run(project, node, 'node_modules/@portico/cli/bin/portico.js', '--version');
  const port = await reservePort();
  const service = spawn(node, ['main.ts'], {
    cwd: project,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const gone = once(service, 'exit');
  try {
    const response = await waitFor(`http://127.0.0.1:${port}/me/coverage`);
    const { code } = (await response.json()) as { readonly code?: string };
    if (response.status !== 401 || code !== 'unauthenticated')
      throw new Error(`Expected 401 unauthenticated, received ${response.status} ${code}.`);
  } finally {
    service.kill('SIGKILL');
    await gone;
  }
  log(`Node ${(await run(project, node, '--version')).trim()}: installed, compiled, served`);
};

const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};
const compiler = ['typescript', '@types/node'].map((name) => `${name}@${devDependencies[name]}`);

try {
  mkdirSync(tarballs);
  pack(tarballs);
  const [nodes] = await Promise.all([Promise.all(versions.map(installNode)), compile()]);
  for (const node of nodes) await tryOn(node);
  await runSuiteInJest(project, run);
  log('Jest: ran a contract suite');
  for (const kind of await tryStarters({ folder, tarballs: packed(), run }))
    log(`create-portico ${kind}: tests passed`);
  const starter = join(folder, 'starter-serve');
  await run(starter, 'npm', 'install', '--no-audit', '--no-fund', '--save-dev', ...tutorialPackages);
  for (const line of await followTutorials(starter)) log(line);
} catch (error) {
  // Shows the output of npm or the compiler, as a user would see it.
  const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
  if (stdout || stderr) log(stdout + stderr);
  throw error;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

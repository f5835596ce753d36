import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { published } from './packages.ts';

/**
 * What somebody does who installs our packages: in an empty folder outside of here, the packed tarballs, the README's
 * snippet as it stands, every door, `tsc --strict` over what they declare, and a request. For each Node that is named, or for ours.
 */
const versions = process.argv.length > 2 ? process.argv.slice(2) : [process.versions.node];
const folder = mkdtempSync(join(tmpdir(), 'portico-newcomer-'));
const tarballs = join(folder, 'tarballs');
const say = (line: string) => console.error(line);

const run = (directory: string, command: string, ...rest: readonly string[]): string =>
  execFileSync(command, rest, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** The first block of TypeScript in the README. */
const snippet = /```ts\n([^]*?)```/.exec(readFileSync('README.md', 'utf8'))?.[1] ?? '';

/** Every door that a package has, but the command's own, which begins to work when it is loaded. */
const doors = published.flatMap((name) => {
  const file = readFileSync(`${name.replace('@portico/', 'packages/')}/package.json`, 'utf8');
  const { exports } = JSON.parse(file) as { readonly exports: Readonly<Record<string, unknown>> };
  return Object.keys(exports).flatMap((door) => (door === './main' ? [] : [name + door.slice(1)]));
});

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const answers = async (url: string): Promise<Response> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await fetch(url);
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((next) => {
        setTimeout(next, 50);
      });
    }
};

const tryOn = async (version: string): Promise<void> => {
  const project = join(folder, `node-${version}`);
  mkdirSync(project);
  const packageFile = { name: 'newcomer', private: true, type: 'module', allowScripts: { node: true } };
  writeFileSync(join(project, 'package.json'), JSON.stringify(packageFile));
  const packed = readdirSync(tarballs).map((name) => join(tarballs, name));
  run(project, 'npm', 'install', '--no-audit', '--no-fund', ...packed, `node@${version}`, ...compiler);
  const port = await freePort();
  if (!snippet.includes('.listen(8080)')) throw new Error("The README's first snippet does not listen on 8080.");
  writeFileSync(join(project, 'main.ts'), snippet.replace('.listen(8080)', `.listen(${port}, '127.0.0.1')`));
  writeFileSync(join(project, 'doors.ts'), doors.map((door, nth) => `export * as d${nth} from '${door}';\n`).join(''));
  const bin = join(project, 'node_modules', '.bin');
  const strictly = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--erasableSyntaxOnly'];
  run(project, join(bin, 'tsc'), ...strictly, 'main.ts', 'doors.ts');
  run(project, join(bin, 'node'), 'doors.ts');
  run(project, join(bin, 'portico'), '--version');
  const service = spawn(join(bin, 'node'), ['main.ts'], { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] });
  const gone = once(service, 'exit');
  try {
    const answer = await answers(`http://127.0.0.1:${port}/me/coverage`);
    const { code } = (await answer.json()) as { readonly code?: string };
    if (answer.status !== 401 || code !== 'unauthenticated') throw new Error(`It answered ${answer.status} ${code}.`);
  } finally {
    service.kill('SIGKILL');
    await gone;
  }
  say(`Node ${run(project, join(bin, 'node'), '--version').trim()}: installed, compiled, served`);
};

const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};
const compiler = ['typescript', '@types/node'].map((name) => `${name}@${devDependencies[name]}`);

try {
  mkdirSync(tarballs);
  run('.', 'npm', 'pack', `--pack-destination=${resolve(tarballs)}`, ...published.map((name) => `--workspace=${name}`));
  for (const version of versions) await tryOn(version);
} catch (error) {
  // What npm or the compiler said is what a newcomer would read.
  const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
  if (stdout || stderr) say(stdout + stderr);
  throw error;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

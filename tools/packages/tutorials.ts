import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { reservePort } from '@portico/demo/ports';
import { shellPages, type ShellPage } from '../docs/shell-blocks.ts';

/** What the tutorials install beside Portico: an identity provider, its types, a bundler, and the SDK of OpenTelemetry. */
export const tutorialPackages = [
  'oidc-provider@9.13.3',
  '@types/oidc-provider@9.12.1',
  'rolldown@1.3.2',
  '@opentelemetry/sdk-trace@3.1.1',
] as const;

/**
 * Runs the `sh packed` blocks of each tutorial, one after the other, each in a folder of its own with the packages of
 * `project`: a project of the kind `serve` with all packages of Portico and `tutorialPackages`. Throws when a block fails or
 * prints anything but the documented output. Returns a line for each page, with a note if it was skipped.
 */
export const followTutorials = async (project: string): Promise<readonly string[]> => {
  const pages = shellPages('.').filter(({ runs }) => runs === 'packed');
  if (pages.length === 0) throw new Error('No page has blocks with the mark "packed".');
  const lines: string[] = [];
  for (const page of pages) {
    const missing = programs.filter((name) => page.script.includes(`${name} `) && !isInstalled(name));
    if (missing.length > 0) lines.push(`${page.file}: skipped, not installed: ${missing.join(', ')}`);
    else {
      await follow(project, await withFreePorts(page));
      lines.push(`${page.file}: every block printed what is documented`);
    }
  }
  return lines;
};

/** What the tutorials need beside Node; `.ci/run` installs it. */
const programs = ['curl', 'jq', 'nginx', 'openssl', 'prometheus', 'redis-server'];

/** Debian has nginx in a folder that is only in the path of root; the tutorial adds it. */
const isInstalled = (name: string): boolean =>
  spawnSync('bash', ['-c', `PATH=$PATH:/usr/sbin command -v ${name}`], { stdio: 'ignore' }).status === 0;

/** The ports of the tutorials, 8080 to 8099 and 9090 to 9099, are replaced by free ones. */
const withFreePorts = async (page: ShellPage): Promise<ShellPage> => {
  const text = JSON.stringify(page);
  const ports = new Map<string, string>();
  for (const [port] of text.matchAll(portInPage)) if (!ports.has(port)) ports.set(port, String(await reservePort()));
  return JSON.parse(text.replaceAll(portInPage, (port) => ports.get(port) ?? port)) as ShellPage;
};

const portInPage = /\b(?:80[89]|909)\d\b/g;

const follow = async (project: string, { file, script, outputs, saved }: ShellPage): Promise<void> => {
  const folder = join(project, `tutorial-${basename(file, '.md')}`);
  for (const directory of ['.', 'releases/1', 'releases/2']) {
    mkdirSync(join(folder, directory), { recursive: true });
    symlinkSync(join(project, 'node_modules'), join(folder, directory, 'node_modules'));
  }
  cpSync('docs/deploy', join(folder, 'deploy'), { recursive: true });
  for (const name of ['package.json', 'tsconfig.json']) copyFileSync(join(project, name), join(folder, name));
  for (const [name, text] of Object.entries(saved)) writeFileSync(join(folder, name), text);
  const { stdout, stderr } = await runScript(script, folder);
  if (!stdout.endsWith('«end»\n')) throw new Error(`${file}: a block failed.\n${stdout}${stderr}`);
  const parts = new Map(
    Array.from(stdout.matchAll(/«(\d+)»\n([^«]*)/g), ([, line = '', text = '']) => [line, text.trimEnd()]),
  );
  for (const [line, output] of Object.entries(outputs))
    if (!new RegExp(output).test(parts.get(line) ?? ''))
      throw new Error(`${file}:${line}: printed\n${parts.get(line)}\ninstead of\n${output}\n${stderr}`);
};

const runScript = (script: string, cwd: string): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve) => {
    // Ten minutes: CI runs other work at the same time.
    const settings = { cwd, encoding: 'utf8', timeout: 600_000, maxBuffer: 16 * 1024 * 1024 } as const;
    execFile('bash', ['-c', script], settings, (_error, stdout, stderr) => resolve({ stdout, stderr }));
  });

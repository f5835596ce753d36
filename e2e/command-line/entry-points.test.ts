import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { project, projectFile } from '../project-file.ts';
import { compileCache } from './shell.ts';

/** Every entry point of every package: `@portico/core/testing`. */
const entryPoints = globSync('packages/*/package.json', { cwd: project }).flatMap((path) => {
  const { name, exports = {} } = JSON.parse(projectFile(path)) as {
    readonly name: string;
    /** Absent: the package is only a command. */
    readonly exports?: object;
  };
  return Object.keys(exports).map((subpath) => `${name}${subpath.slice(1)}`);
});

/** Imports modules in a new process that ends by itself. Returns what each import changed, and what it printed. */
const importing = async (...specifiers: readonly string[]) => {
  const program = fileURLToPath(new URL('import-entry-points.ts', import.meta.url));
  const args = ['--conditions=@portico/source', program, ...specifiers];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, ...compileCache },
  });
  const [, printed = '', changes = ''] = /^([^]*?)(\{[^]*\})$/.exec(stdout) ?? [];
  return { printed: printed + stderr, changes: JSON.parse(changes) as Readonly<Record<string, readonly string[]>> };
};

/** Globals of dependencies that have no other place for them: reflect-metadata, which inversify loads, and zod's registry. */
const known = /^(?:Reflect\.|globalThis\.__zod_)/;

it('importing an entry point prints nothing, keeps nothing open, and changes nothing in the process', async () => {
  expect(entryPoints).toContain('@portico/cli/main');
  const { printed, changes } = await importing(...entryPoints);
  expect(printed).toBe('');
  expect(Object.keys(changes)).toEqual(entryPoints);
  const unknown = Object.entries(changes).flatMap(([entryPoint, changed]) =>
    changed.filter((name) => !known.test(name)).map((name) => `${entryPoint}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

it('the test of entry points notices output, an open timer, a listener, a global and a changed built-in', async () => {
  const effects = [
    'console.log("hello")',
    'process.on("SIGTERM", () => {})',
    'globalThis.ours = 1',
    'Array.prototype.last = () => 1',
    'process.env.OURS = "1"',
    'setTimeout(() => {}, 2000)',
  ];
  const { printed, changes } = await importing(...effects.map((code) => `data:text/javascript,${code}`));
  expect(printed).toBe('hello\n');
  expect(Object.values(changes)).toEqual([
    [],
    ['listeners of SIGTERM'],
    ['globalThis.ours'],
    ['Array.prototype.last'],
    ['variable OURS'],
    [expect.stringMatching(/^open resource/)],
  ]);
});

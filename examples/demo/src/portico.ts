import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A `portico serve` process. */
export interface Portico {
  readonly url: string;
  /** Its settings file, for other commands. */
  readonly config: string;
  readonly pid: number;
  /** Resolves with the exit code when the process has ended. */
  readonly ended: Promise<number | null>;
  /** Sends SIGTERM and waits until the process has ended. */
  stop(): Promise<number | null>;
}

/** Thrown when `portico serve` exits before it listens; stderr has the reason. */
export class PorticoStartError extends Error {
  readonly exitCode: number | null;

  constructor(exitCode: number | null) {
    super('portico serve exited before it listened');
    this.exitCode = exitCode;
  }
}

/** Compiled once and shared by all processes. */
const compileCache = join(tmpdir(), 'portico-compile-cache');

/** Runs `portico serve` from the sources with a settings file, which is removed when the process ends. */
export const startPortico = async (
  settings: object,
  port: number,
  onStderr: 'inherit' | ((text: string) => void) = 'inherit',
  config = join(mkdtempSync(join(tmpdir(), 'portico-')), 'settings.json'),
  env: Readonly<Record<string, string>> = {},
): Promise<Portico> => {
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, `${JSON.stringify(settings, undefined, 2)}\n`);
  const child: ChildProcess = spawn(
    process.execPath,
    [
      '--conditions=@portico/source',
      process.env['PORTICO_MAIN'] ?? fileURLToPath(import.meta.resolve('@portico/cli/main')),
      'serve',
      '--json',
      '--config',
      config,
      '--port',
      String(port),
    ],
    {
      env: { NODE_COMPILE_CACHE: compileCache, ...process.env, ...env },
      stdio: ['ignore', 'pipe', onStderr === 'inherit' ? 'inherit' : 'pipe'],
    },
  );
  const ended = once(child, 'exit').then(([code]) => {
    rmSync(config, { force: true });
    // Removes the folder unless other files are in it.
    if (readdirSync(dirname(config)).length === 0) rmdirSync(dirname(config));
    return code as number | null;
  });
  if (onStderr !== 'inherit') child.stderr?.setEncoding('utf8').on('data', onStderr);
  const firstLine = once(createInterface({ input: child.stdout! }), 'line') as Promise<[string]>;
  const first = await Promise.race([firstLine.then(([line]) => line), ended]);
  if (typeof first !== 'string') throw new PorticoStartError(first);
  const { url } = JSON.parse(first) as { readonly url?: string };
  if (url === undefined) throw new PorticoStartError(await ended);
  return {
    url,
    config,
    pid: child.pid!,
    ended,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
};

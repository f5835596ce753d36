import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { removeSettings } from './settings-file.ts';

/** A `portico serve` process. */
export interface Portico {
  readonly url: string;
  /** Its settings file, for other commands. */
  readonly config: string;
  readonly pid: number;
  /** Resolves with the exit code when the process has ended. */
  readonly ended: Promise<number | null>;
  /** Removes the settings file, sends SIGTERM and waits until the process has ended. */
  stop(): Promise<number | null>;
}

export interface PorticoOptions {
  /** Receives what the process writes to stderr. Default: it goes to stderr of this process. */
  readonly onStderr?: 'inherit' | ((text: string) => void);
  /** Path of the settings file from when the process listens until it ends. Default: in a new folder. */
  readonly config?: string;
  /** Environment of the process, in addition to that of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Stops the process, also before it listens. */
  readonly signal?: AbortSignal;
}

/** Thrown when `portico serve` exits before it listens; stderr has the reason. */
export class PorticoStartError extends Error {
  readonly exitCode: number | null;

  constructor(exitCode: number | null) {
    super('portico serve exited before it listened');
    this.exitCode = exitCode;
  }
}

/** Runs `portico serve` from the sources with these settings, until it is stopped or this process ends. */
export const startPortico = async (
  settings: object,
  port: number,
  {
    onStderr = 'inherit',
    config = join(mkdtempSync(join(tmpdir(), 'portico-')), 'settings.json'),
    env = {},
    signal,
  }: PorticoOptions = {},
): Promise<Portico> => {
  signal?.throwIfAborted();
  const file = ownFile(resolve(config), settings);
  const child = spawnPortico(file.path(), port, onStderr, env);
  file.shareWith(child);
  let isListening = false;
  const ended = once(child, 'exit').then(([code]) => {
    file.remove();
    return code as number | null;
  });
  const stop = () => {
    // Before it listens, the process may still have to read the file: it is removed when the process has ended.
    if (isListening) file.remove();
    child.kill('SIGTERM');
    return ended;
  };
  signal?.addEventListener('abort', stop);
  if (onStderr !== 'inherit') child.stderr?.setEncoding('utf8').on('data', onStderr);
  const firstLine = once(createInterface({ input: child.stdout! }), 'line') as Promise<[string]>;
  const first = await Promise.race([firstLine.then(([line]) => line), ended]);
  if (typeof first !== 'string') throw new PorticoStartError(first);
  const { url } = JSON.parse(first) as { readonly url?: string };
  if (url === undefined) throw new PorticoStartError(await ended);
  isListening = true;
  if (!signal?.aborted) file.publish();
  return { url, config: file.path(), pid: child.pid!, ended, stop };
};

/** Compiled once and shared by all processes. In the project: other users can create folders in the one for temporary files. */
const compileCache = fileURLToPath(new URL('../../../node_modules/.cache/portico-demo', import.meta.url));

const endWithParent = new URL(`./end-with-parent${extname(import.meta.url)}`, import.meta.url).href;

const spawnPortico = (
  config: string,
  port: number,
  onStderr: PorticoOptions['onStderr'],
  env: Readonly<Record<string, string>>,
): ChildProcess =>
  spawn(
    process.execPath,
    [
      '--conditions=@portico/source',
      `--import=${endWithParent}`,
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
      stdio: ['ignore', 'pipe', onStderr === 'inherit' ? 'inherit' : 'pipe', 'ipc'],
      // Ctrl-C goes to the parent only, which stops this process once: a second signal would end it at once.
      detached: true,
    },
  );

/**
 * A settings file that only this process has: its name contains the process id until `publish`, which is called once
 * the port is taken. So a process that cannot listen never overwrites or removes the file of the one that does.
 */
const ownFile = (published: string, settings: object) => {
  let path: string | undefined = `${published}.${process.pid}`;
  let child: ChildProcess | undefined;
  // If the process has ended, it needs no path.
  const share = () => child?.send(path!, () => {});
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(settings, undefined, 2)}\n`);
  return {
    path: () => path ?? published,
    shareWith(process: ChildProcess) {
      child = process;
      share();
    },
    publish() {
      renameSync(path!, published);
      path = published;
      share();
    },
    remove() {
      if (path !== undefined) removeSettings(path);
      path = undefined;
    },
  };
};

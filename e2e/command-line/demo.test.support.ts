import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type DemoPorts, portProblem } from '@portico/demo/port-check';
import { compileCache } from './shell.ts';

const sources = fileURLToPath(new URL('../../examples/demo/src/', import.meta.url));

/** Ports on which a demo can be started now, below those of other tests. */
export const freePorts = async (): Promise<DemoPorts> => {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 8000);
    const ports = { port, firstPort: port + 10 };
    if ((await portProblem(ports)) === undefined) return ports;
  }
};

/** A new folder, removed when the test has finished. */
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-demo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** The settings files in a folder in which demos were started. */
export const settingsIn = (folder: string): readonly string[] => {
  const path = join(folder, '.portico');
  return existsSync(path) ? readdirSync(path).toSorted() : [];
};

/** Whether there is a `script` that can run a command in a terminal. */
export const hasScript =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

export interface DemoOptions {
  readonly file?: 'main.ts' | 'cluster-demo.ts';
  readonly args?: readonly string[];
  /** In a terminal, whose output is in `stdout`. */
  readonly isInTerminal?: boolean;
}

/** Runs `npm start` without npm, as the leader of a process group. */
export const runDemo = (
  folder: string,
  { port, firstPort }: DemoPorts,
  { file = 'main.ts', args = [], isInTerminal = false }: DemoOptions = {},
) => {
  const command = [process.execPath, '--conditions=@portico/source', sources + file, ...args];
  const [executable = '', ...rest] = isInTerminal
    ? ['script', '--quiet', '--return', '--command', command.join(' '), '/dev/null']
    : command;
  const child = spawn(executable, rest, {
    cwd: folder,
    env: {
      ...process.env,
      PORT: String(port),
      SANDBOX_PORT: String(firstPort),
      TMPDIR: folder,
      ...compileCache,
    },
    detached: true,
  });
  const output = { stdout: '', stderr: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  // `portico serve` has the same stderr, so that it has ended, too.
  const ended = once(child, 'close').then(([exitCode]) => ({ ...output, exitCode: exitCode as number | null }));
  onTestFinished(async () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // All processes of the group have ended.
    }
    await ended;
  });
  /** Resolves with stdout when this is in it. Rejects if the demo ends without it. */
  const printed = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (pattern.test(output.stdout)) resolve(output.stdout);
      };
      child.stdout.on('data', look);
      void ended.then(() => reject(new Error(`The demo ended: ${output.stdout}${output.stderr}`)));
      look();
    });
  const greeted = printed(/Press Ctrl-C to stop\.\r?\n$/);
  // Not every test waits for it.
  greeted.catch(() => {});
  return {
    ended,
    printed,
    /** Resolves with the greeting. */
    greeted,
    /** Sends a signal to the process group, as a terminal does. */
    signalGroup: (signal: NodeJS.Signals) => process.kill(-child.pid!, signal),
    signalParent: (signal: NodeJS.Signals) => process.kill(child.pid!, signal),
  };
};

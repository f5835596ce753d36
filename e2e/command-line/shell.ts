import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '@portico/demo/environment';

/** What a command line said, and how it ended. */
export interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** What one call has compiled, the next need not. */
const compiled = join(tmpdir(), 'portico-test-compiled');

/** A folder of one's own, and a shell in it that knows `portico`, from the sources, with the environment's settings. */
export const openShell = (
  { portico: { config } }: Pick<Environment, 'portico'>,
  env: Readonly<Record<string, string>> = {},
) => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-shell-'));
  const bin = join(folder, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  const command = join(bin, 'portico');
  const main = process.env['PORTICO_MAIN'] ?? fileURLToPath(import.meta.resolve('@portico/cli/main'));
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' --conditions=@portico/source '${main}' "$@"\n`);
  chmodSync(command, 0o755);
  const inherited = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: folder,
    PORTICO_CONFIG: config,
    NODE_COMPILE_CACHE: compiled,
    ...env,
  };
  return {
    folder,
    run: (line: string): Promise<Said> =>
      new Promise((resolve) => {
        execFile('bash', ['-c', line], { cwd: folder, env: inherited, timeout: 110_000 }, (error, stdout, stderr) =>
          resolve({ stdout, stderr, exitCode: error ? Number(error.code ?? 255) : 0 }),
        ).stdin?.end();
      }),
    close: () => rmSync(folder, { recursive: true }),
  };
};

/** Whether the shell has a command that a test needs; says loudly when it has not. */
export const hasCommand = async (shell: ReturnType<typeof openShell>, command: string): Promise<boolean> => {
  const { exitCode } = await shell.run(`command -v ${command}`);
  if (exitCode !== 0) process.stderr.write(`\nSKIPPED: ${command} is not installed, and what needs it is not tested\n`);
  return exitCode === 0;
};

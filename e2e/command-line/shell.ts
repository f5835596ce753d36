import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '@portico/demo/environment';
import { project } from '../project-file.ts';

/** The output and exit code of a command line. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** The compile cache that all Node processes of the tests share, as a variable of their environment. */
export const compileCache = { NODE_COMPILE_CACHE: join(project, 'node_modules/.cache/portico-tests') };

/**
 * Opens a shell in a new folder, with `portico` from the sources and the environment's settings. With a large new space, the
 * heap of a short command is hardly ever collected, which saves a fifth of its processor time.
 */
export const openShell = (
  { portico: { config } }: Pick<Environment, 'portico'>,
  env: Readonly<Record<string, string>> = {},
) => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-shell-'));
  const bin = join(folder, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  const command = join(bin, 'portico');
  const main = process.env['PORTICO_MAIN'] ?? fileURLToPath(import.meta.resolve('@portico/cli/main'));
  writeFileSync(
    command,
    `#!/bin/sh\nexec '${process.execPath}' --min-semi-space-size=16 --conditions=@portico/source '${main}' "$@"\n`,
  );
  chmodSync(command, 0o755);
  const inherited = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: folder,
    PORTICO_CONFIG: config,
    ...compileCache,
    ...env,
  };
  return {
    folder,
    env: inherited,
    run: (line: string): Promise<Output> =>
      new Promise((resolve) => {
        execFile('bash', ['-c', line], { cwd: folder, env: inherited, timeout: 280_000 }, (error, stdout, stderr) =>
          resolve({ stdout, stderr, exitCode: error ? Number(error.code ?? 255) : 0 }),
        ).stdin?.end();
      }),
    close: () => rmSync(folder, { recursive: true }),
  };
};

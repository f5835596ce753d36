import { execFile } from 'node:child_process';
import { compileCache, type Output as ShellOutput } from '../command-line/shell.ts';
import { project } from '../project-file.ts';

export type Output = Pick<ShellOutput, 'stdout' | 'stderr'>;

export const run = (command: string, args: readonly string[], cwd: string, env = process.env): Promise<Output> =>
  new Promise((resolve) => {
    execFile(
      command,
      args,
      { cwd, env: { ...compileCache, ...env }, maxBuffer: 16 * 1024 * 1024, timeout: 280_000 },
      (_error, stdout, stderr) => resolve({ stdout, stderr }),
    );
  });

/** Runs a task of `npm run docs` for a folder. */
export const docs = (task: string, folder: string): Promise<Output> =>
  run(process.execPath, ['--conditions=@portico/source', 'tools/docs/main.ts', task, folder], project);

import { spawn } from 'node:child_process';
import { err, ok, type Result } from 'neverthrow';
import { type CliError, environmentError, usageError } from '../cli-error.ts';
import { codeOf } from '../../settings/file-problems.ts';

/** An expression can produce output forever. A string of V8 has at most twice as many characters. */
const maxBytes = 268_435_456;

/** Applies a jq expression to a JSON document, with the installed `jq`. Strings in the result are not quoted. */
export const applyJq = (expression: string, json: string): Promise<Result<string, CliError>> =>
  new Promise((resolve) => {
    // The space: an expression may start with a hyphen, and is not an option then.
    const jq = spawn('jq', ['-r', ` ${expression}`]);
    const stop = () => jq.kill('SIGKILL');
    // An expression can also run forever without output. After Ctrl-C, jq ends with this process.
    process.once('exit', stop);
    const end = (result: Result<string, CliError>) => {
      process.off('exit', stop);
      resolve(result);
    };
    const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    let size = 0;
    for (const name of ['stdout', 'stderr'] as const)
      jq[name].on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= maxBytes) chunks[name].push(chunk);
        else stop();
      });
    // jq may end before it reads everything.
    jq.stdin.on('error', () => {});
    jq.stdin.end(json);
    jq.on('error', (error) => end(err(notStarted(codeOf(error)))));
    jq.on('close', (status) => {
      if (status === 0 && size <= maxBytes) return end(ok(Buffer.concat(chunks.stdout).toString()));
      const tooLarge = `its output is larger than ${maxBytes} bytes`;
      const reason = size > maxBytes ? tooLarge : reasonIn(Buffer.concat(chunks.stderr).toString());
      end(err(failed(status, `jq cannot apply ${expression}: ${reason}`)));
    });
  });

/** Exit code of jq for an expression that it cannot compile (its manual). */
const notCompiled = 3;

/** An expression that fails on a result is no invalid usage: the command itself, perhaps a write, has succeeded. */
const failed = (status: number | null, detail: string): CliError =>
  status === notCompiled
    ? usageError(detail, 'Check the expression of --jq.')
    : environmentError(detail, 'The command itself has succeeded. Check the expression of --jq.', undefined);

const notStarted = (code: string): CliError =>
  code === 'ENOENT'
    ? usageError('--jq requires jq, which is not installed.', 'Install jq, or use --json.')
    : usageError(
        `--jq requires jq, which cannot be started (${code}).`,
        'Check the installation of jq, or use --json.',
      );

const reasonIn = (stderr: string): string =>
  stderr
    .trim()
    .split('\n')[0]
    ?.replace(/^jq: (?:error(?: \(at [^)]*\))?: )?/, '') || 'unknown error';

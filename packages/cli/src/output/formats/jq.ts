import { execFile } from 'node:child_process';
import { err, ok, type Result } from 'neverthrow';
import { type CliError, environmentError, usageError } from '../cli-error.ts';

/** An expression can produce output forever. A string of V8 has at most twice as many characters. */
const maxBytes = 268_435_456;

/** Applies a jq expression to a JSON document, with the installed `jq`. Strings in the result are not quoted. */
export const applyJq = (expression: string, json: string): Promise<Result<string, CliError>> =>
  new Promise((resolve) => {
    // The space: an expression may start with a hyphen, and is not an option then.
    const options = { maxBuffer: maxBytes, killSignal: 'SIGKILL' } as const;
    const jq = execFile('jq', ['-r', ` ${expression}`], options, (error, stdout, stderr) => {
      process.off('exit', stop);
      resolve(error ? err(errorOf(error.code, expression, stderr)) : ok(stdout));
    });
    const stop = () => jq.kill('SIGKILL');
    // An expression can also run forever without output. After Ctrl-C, jq ends with this process.
    process.once('exit', stop);
    // jq may end before it reads everything.
    jq.stdin?.on('error', () => {});
    jq.stdin?.end(json);
  });

/** `code`: of an exit, null after a signal, or a name of Node. */
const errorOf = (code: string | number | null | undefined, expression: string, stderr: string): CliError => {
  const isTooLarge = code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
  if (typeof code === 'string' && !isTooLarge) return notStarted(code);
  const reason = isTooLarge ? `its output is larger than ${maxBytes} bytes` : reasonIn(stderr);
  return failed(code, `jq cannot apply ${expression}: ${reason}`);
};

/** Exit code of jq for an expression that it cannot compile (its manual). */
const notCompiled = 3;

/** An expression that fails on a result is no invalid usage: the command itself, perhaps a write, has succeeded. */
const failed = (status: unknown, detail: string): CliError =>
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

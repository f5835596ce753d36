import { spawnSync } from 'node:child_process';
import { err, ok, type Result } from 'neverthrow';
import { codeOf } from '../../session/input.ts';
import { type CliError, usageError } from '../cli-error.ts';

/** Applies a jq expression to a JSON document, with the installed `jq`. Strings in the result are not quoted. */
export const applyJq = (expression: string, json: string): Result<string, CliError> => {
  // The space: an expression may start with a hyphen, and is not an option then.
  const { error, status, stdout, stderr } = spawnSync('jq', ['-r', ` ${expression}`], {
    input: json,
    encoding: 'utf8',
    maxBuffer: Infinity,
  });
  if (error !== undefined && codeOf(error) === 'ENOENT')
    return err(usageError('--jq requires jq, which is not installed.', 'Install jq, or use --json.'));
  if (status === 0) return ok(stdout);
  const reason = stderr
    .trim()
    .split('\n')[0]
    ?.replace(/^jq: (?:error(?: \(at [^)]*\))?: )?/, '');
  return err(
    usageError(`jq cannot apply ${expression}: ${reason ?? 'unknown error'}`, 'Check the expression of --jq.'),
  );
};

import type { Problem } from '@portico/core';
import { type ExitCode, exitCodeOf } from './exit-code.ts';
import { stripControlCharacters } from './screen.ts';
import type { SettingProblem } from '../settings/load.ts';
import { writeJson } from './write-json.ts';

/** Why a command failed, and what the user can do about it. */
export interface CliError {
  readonly exitCode: Exclude<ExitCode, 0>;
  /** The document for `--json`. */
  readonly document: Pick<Problem, 'detail' | 'errors'> & { readonly code: string };
  readonly hint?: string | undefined;
  /** Shown with `--verbose`. */
  readonly cause?: unknown;
}

export const outputFormats = ['table', 'json', 'yaml', 'csv'] as const;

type OutputFormat = (typeof outputFormats)[number];

/** The output options of a command. */
export interface OutputMode {
  readonly json: boolean;
  /** How results are printed when `json` is false. */
  readonly output?: OutputFormat;
  /** A jq expression that is applied to the result. */
  readonly jq?: string;
  readonly verbose: boolean;
}

/** Prints an error on stderr and, with `--json`, as the one document on stdout. Returns the exit code. */
export const fail = ({ exitCode, document, hint, cause }: CliError, { json, verbose }: OutputMode): ExitCode => {
  process.stderr.write(`portico: ${stripControlCharacters(document.detail)}\n`);
  for (const { path, message } of document.errors ?? [])
    process.stderr.write(`  ${stripControlCharacters(path) || 'input'}: ${stripControlCharacters(message)}\n`);
  if (hint !== undefined) process.stderr.write(`  ${stripControlCharacters(hint)}\n`);
  if (verbose && cause !== undefined) process.stderr.write(`${stackOf(cause)}\n`);
  if (json) writeJson(JSON.stringify({ ok: false, ...document }));
  return exitCode;
};

const stackOf = (cause: unknown): string =>
  (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
    .split('\n')
    .map(stripControlCharacters)
    .join('\n');

/** An error in the arguments, input or settings of a command. */
export const usageError = (detail: string, hint?: string): CliError => ({
  exitCode: exitCodeOf.invalid,
  document: { code: 'invalid-request', detail },
  hint,
});

/** A local error, such as a full disk. */
export const environmentError = (detail: string, hint: string, cause: unknown): CliError => ({
  exitCode: exitCodeOf.unexpected,
  document: { code: 'internal', detail },
  hint,
  cause,
});

/** A bug in portico. Only `--verbose` shows its message, which may contain a member's data. */
export const internalError = (cause: unknown): CliError =>
  environmentError(
    'Internal error: this is a bug in portico.',
    'Run the command again with --verbose for a stack trace.',
    cause,
  );

/** Formats problems, one per line. A problem with the file itself has no setting. */
export const showProblems = (problems: readonly SettingProblem[]): string =>
  problems
    .map(({ setting, source, message }) =>
      setting === '(file)' ? `${source}: ${message}` : `${setting} (${source}): ${message}`,
    )
    // Names in a settings file, and the name of the file itself, may contain anything.
    .map((line) => `  ${stripControlCharacters(line)}\n`)
    .join('');

/** Prints problems with the settings, and returns the exit code. */
export const failWithProblems = (headline: string, problems: readonly SettingProblem[], json: boolean): ExitCode => {
  process.stderr.write(`portico: ${headline}\n${showProblems(problems)}`);
  if (json) printProblemDocument(headline, problems);
  return exitCodeOf.invalid;
};

/** Prints the `--json` document for an invalid command line or invalid settings. */
export const printProblemDocument = (detail: string, problems: readonly SettingProblem[]): void => {
  writeJson(JSON.stringify({ ok: false, code: 'invalid-request', detail, problems }));
};

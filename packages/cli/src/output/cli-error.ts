import type { ExitCode } from './exit-code.ts';
import { stripControlCharacters } from './screen.ts';
import type { SettingProblem } from '../settings/load.ts';
import { showProblems } from '../settings/show.ts';

/** Why a command did not do what it was asked, and what to do about it. */
export interface CliError {
  readonly exitCode: Exclude<ExitCode, 0>;
  /** What programs get, with `--json`. */
  readonly document: { readonly code: string; readonly detail: string };
  readonly hint?: string;
  /** What `--verbose` shows. */
  readonly cause?: unknown;
}

/** How a command was asked to speak. */
export interface OutputMode {
  readonly json: boolean;
  readonly verbose: boolean;
}

/** Says it: to people on stderr and, with `--json`, as the one document on stdout. Gives the exit code. */
export const fail = ({ exitCode, document, hint, cause }: CliError, { json, verbose }: OutputMode): ExitCode => {
  process.stderr.write(`portico: ${stripControlCharacters(document.detail)}\n`);
  for (const { path, message } of errorsIn(document))
    process.stderr.write(`  ${stripControlCharacters(path) || 'input'}: ${stripControlCharacters(message)}\n`);
  if (hint !== undefined) process.stderr.write(`  ${hint}\n`);
  if (verbose && cause !== undefined) process.stderr.write(`${stackOf(cause)}\n`);
  if (json) process.stdout.write(`${JSON.stringify({ ok: false, ...document })}\n`);
  return exitCode;
};

const errorsIn = (document: object) =>
  'errors' in document ? (document.errors as readonly { readonly path: string; readonly message: string }[]) : [];

const stackOf = (cause: unknown): string => (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));

/** A mistake in how the command was called. */
export const usageError = (detail: string, hint?: string): CliError => ({
  exitCode: 2,
  document: { code: 'invalid-request', detail },
  ...(hint !== undefined && { hint }),
});

/** Something that this machine did not let us do. */
export const environmentError = (detail: string, hint: string, cause: unknown): CliError => ({
  exitCode: 1,
  document: { code: 'internal', detail },
  hint,
  cause,
});

/** A bug of ours. Its message may quote what a member sent, so only `--verbose` shows it. */
export const internalError = (cause: unknown): CliError =>
  environmentError(
    'Something went wrong on our side.',
    'This is a fault of portico itself. --verbose shows where it happened.',
    cause,
  );

/** Says what is wrong with the settings. */
export const failWithProblems = (headline: string, problems: readonly SettingProblem[], json: boolean): 2 => {
  process.stderr.write(`portico: ${headline}\n${showProblems(problems)}`);
  if (json) printProblemDocument(headline, problems);
  return 2;
};

/** The answer of every command that was called wrongly and has `--json`. */
export const printProblemDocument = (detail: string, problems: readonly SettingProblem[]): void => {
  process.stdout.write(`${JSON.stringify({ ok: false, code: 'invalid-request', detail, problems })}\n`);
};

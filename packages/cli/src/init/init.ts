import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { schemaText } from '../commands/config.ts';
import { environmentError, fail, usageError } from '../output/cli-error.ts';
import { codeOf } from '../settings/file-problems.ts';
import { writeAtomically } from '../session/atomic-file.ts';
import type { CommandContext, CommandHandler } from '../session/command.ts';
import { initDefaults } from '../session/option-defaults.ts';
import { askForAnswers } from './questions.ts';
import { defaultAnswers, sessionVariables, startingSettings } from './starting-settings.ts';

/** Writes a settings file that `portico config check` accepts, and its schema for editors beside it. */
export const init: CommandHandler = async (context) => {
  const file = context.args[0] ?? initDefaults.file;
  const schemaFile = join(dirname(file), `${parse(file).name}.schema.json`);
  const overwrites = () => {
    const existing = [file, schemaFile].find((path) => existsSync(path));
    return existing === undefined || context.options['force'] === true
      ? undefined
      : usageError(`${existing} already exists.`, 'Give another path, or --force to overwrite it.');
  };
  const refused = overwrites();
  if (refused !== undefined) return fail(refused, context);
  const answers = isInteractive(context) ? await askForAnswers(context.signal) : defaultAnswers;
  if (answers === undefined) return 1;
  // Again: the questions may have taken minutes.
  const refusedNow = overwrites();
  if (refusedNow !== undefined) return fail(refusedNow, context);
  const content = `${JSON.stringify(startingSettings(answers, basename(schemaFile)), undefined, 2)}\n`;
  // The settings last: they are only written if the schema that they point to was.
  for (const [path, text] of [[schemaFile, schemaText()] as const, [file, content] as const])
    try {
      await writeAtomically(path, text, { mode: 0o666 });
    } catch (error) {
      const detail = `${path} cannot be written (${codeOf(error)}).`;
      return fail(environmentError(detail, 'Check the folder and its permissions.', error), context);
    }
  process.stdout.write(
    context.json
      ? `${JSON.stringify({ ok: true, file, schema: schemaFile })}\n`
      : `Wrote ${file} and ${schemaFile}.\nNext: portico doctor --config ${file}\n`,
  );
  // Not to stdout, which may be a file or a JSON document.
  if (answers.hasPages) process.stderr.write('Copy the built pages to the folder "pages" before you start Portico.\n');
  if (answers.hasSessions) process.stderr.write(sessionHint(answers.issuer, answers.port));
  return 0;
};

/** What to set before the server can start. The key is new, and is written nowhere else. */
const sessionHint = (issuer: string, port: number): string =>
  [
    `Register the client portico-portal at ${issuer}, with the redirect URI http://localhost:${port}/session/callback.`,
    'Set these variables before you start Portico:',
    `  ${sessionVariables.clientSecret}=<the secret of that client>`,
    `  ${sessionVariables.key}=${newKey()}`,
    '',
  ].join('\n');

const newKey = (): string => randomBytes(32).toString('base64url');

const isInteractive = ({ options }: CommandContext): boolean =>
  options['yes'] !== true && process.stdin.isTTY && process.stderr.isTTY;

import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { codeOf } from './file-problems.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** What the settings being loaded refer to, and the secrets found so far. zod passes no context to its transforms. */
const loading = new AsyncLocalStorage<{ readonly variables: Variables; readonly secrets: Set<string> }>();

/** Runs `load` with the variables that settings refer to. `secrets` gets every value that must not be shown. */
export const withVariables = <T>(variables: Variables, secrets: Set<string>, load: () => T): T =>
  loading.run({ variables, secrets }, load);

/** The variables of the settings that are being loaded. */
export const loadedVariables = (): Variables => loading.getStore()?.variables ?? process.env;

/** A string, or where it is. */
const reference = (message: string) =>
  z
    .union(
      [
        z.string(),
        z
          .strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable') })
          .describe('The value is in this variable'),
        z
          .strictObject({ file: z.string().min(1, 'must be a path') })
          .describe('The value is in this file; the path is relative to the working directory'),
      ],
      message,
    )
    // The settings reference links it to its description.
    .meta({ title: 'secret' });

type Reference = z.output<ReturnType<typeof reference>>;

/** A string in the settings file, in a variable or in a file, without the newline at its end. */
const referenced = (message: string) =>
  reference(message).transform((value, context) =>
    resolve(value).match(
      (found) => found,
      (problem) => {
        context.issues.push({ code: 'custom', message: problem, input: undefined });
        return z.NEVER;
      },
    ),
  );

const resolve = (value: Reference): Result<string, string> => {
  if (typeof value === 'string') return ok(value);
  if ('env' in value) {
    const variable = loadedVariables()[value.env];
    // A shell passes an unset variable as an empty value.
    return variable ? ok(variable) : err(`the variable ${value.env} is not set`);
  }
  try {
    const content = readFileSync(value.file, 'utf8').replace(/\r?\n$/, '');
    return content === '' ? err(`the file ${value.file} is empty`) : ok(content);
  } catch (error) {
    return err(`the file ${value.file} cannot be read (${codeOf(error)})`);
  }
};

/**
 * A secret (contract, section 9): a string, `{ "env": "NAME" }` or `{ "file": "path" }`. It is resolved when the settings
 * are loaded, and never shown afterwards. A missing variable or file is a problem with the setting; the problem does not
 * contain the value. `type` checks the resolved value, `message` states the valid ones.
 */
export const secretOf = <Value extends z.ZodType<string, string>>(type: Value, message: string) =>
  referenced(message)
    .transform((value) => {
      loading.getStore()?.secrets.add(value);
      return value;
    })
    .pipe(type);

/** Any secret that is not empty. */
export const secret = secretOf(
  z.string().min(1, 'must not be empty'),
  'must be a string, { "env": "NAME" } or { "file": "path" }',
);

/** A URL that may contain a password, in the forms of a secret. It is shown without user, password and query. */
export const secretUrl = <Url extends z.ZodType<string, string>>(url: Url, message: string) =>
  referenced(message).pipe(url);

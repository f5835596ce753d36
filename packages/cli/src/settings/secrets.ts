import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { nonEmptyString, section } from './setting-types.ts';

const message = 'must be a string, or an object with env (name of a variable) or file (path of a file)';

/** A secret: its value, or the environment variable or file that has it. Resolved when the settings are loaded. */
export const secret = z
  .union(
    [nonEmptyString(message), section({ env: nonEmptyString(message) }), section({ file: nonEmptyString(message) })],
    message,
  )
  .transform((given, context) => {
    const found = valueOf(given);
    if (found !== undefined && found !== '') return found;
    const place = typeof given === 'object' && 'env' in given ? `The variable ${given.env}` : 'The file';
    context.addIssue({ code: 'custom', message: `${place} is not set, empty or not readable` });
    return z.NEVER;
  });

const valueOf = (given: string | { readonly env: string } | { readonly file: string }): string | undefined => {
  if (typeof given === 'string') return given;
  if ('env' in given) return process.env[given.env];
  try {
    return readFileSync(given.file, 'utf8').replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
};

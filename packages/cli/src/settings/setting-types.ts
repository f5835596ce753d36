import { isObject, type JsonObject } from '@portico/core';
import { fromThrowable } from 'neverthrow';
import { z } from 'zod';
import { nearestName } from './nearest-name.ts';
import { maxMilliseconds } from './variables.ts';

/** A string that is not empty. Every `message` states the valid values, so that a problem can be fixed without the manual. */
export const nonEmptyString = (message: string) => z.string(message).min(1, message);

export const aString = nonEmptyString('must be a string');

export const anyUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

/** A URL without credentials: `fetch` rejects them, but only at the first request. */
export const url = anyUrl.refine(
  (value) => !URL.canParse(value) || (new URL(value).username === '' && new URL(value).password === ''),
  'must be a URL without user and password',
);

export const baseUrl = url.refine((value) => !/[?#]/.test(value), 'must be a base URL, without query and fragment');

/** The message about a file in the settings that cannot be read. */
export const unreadableFile = 'must be the path of a readable file, relative to the working directory';

/** A string for which `problemOf` finds no problem. */
export const checkedBy = (type: z.ZodString, problemOf: (value: string) => string | undefined) =>
  type.superRefine((value, context) => {
    const message = problemOf(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

export const integer = (minimum: number, maximum: number) => {
  const error = `must be an integer from ${minimum} to ${maximum}`;
  return z.int(error).min(minimum, error).max(maximum, error);
};

export const milliseconds = integer(1, maxMilliseconds);

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

export const nonEmptyArray = <Item extends z.ZodType>(item: Item, message: string) =>
  z.array(item, message).min(1, message);

/** Scope tokens separated by single spaces (RFC 6749, section 3.3). */
export const scopePattern = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;
const scopeMessage = 'must be scopes separated by single spaces';

export const scope = z.string(scopeMessage).regex(scopePattern, scopeMessage);

const unknownSetting = 'unknown setting; expected one of: ';

/** An object without unknown keys. */
export const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `${unknownSetting}${Object.keys(shape).join(', ')}` : 'must be an object',
  });

/** Adds a suggestion for one unknown key to the message of `section`, which zod reports once for all keys of an object. */
export const withSuggestion = (message: string, name: string): string => {
  const names = message.slice(unknownSetting.length);
  const nearest = nearestName(name, names.split(', '));
  return nearest === undefined ? message : `unknown setting; did you mean ${nearest}? Expected one of: ${names}`;
};

/** The fields of a setting that may be invalid: none, unless it is an object. */
export const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The fields of the JSON object in this string; none if it is not a JSON object. */
export const fieldsIn = (json: string): JsonObject => fieldsOf(fromThrowable(JSON.parse)(json).unwrapOr(undefined));

/** The claims of a JWT, without verification. An opaque token has none. */
export const claimsIn = (token: string): JsonObject =>
  fieldsIn(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** A problem that only several settings together show, at the path of one of them. */
export interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

/** The problem, if the rule is broken. */
export const problemIf = (isBroken: boolean, message: string, ...path: readonly string[]): readonly Problem[] =>
  isBroken ? [{ message, path }] : [];

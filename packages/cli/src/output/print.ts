import { isObject, type Json, type JsonObject } from '@portico/core';
import { environmentError, fail, type OutputMode } from './cli-error.ts';
import { csv } from './formats/csv.ts';
import type { ExitCode } from './exit-code.ts';
import { applyJq } from './formats/jq.ts';
import { type Screen, screenOf, stripControlCharacters } from './screen.ts';
import { writeJson } from './write-json.ts';

/** Formats a result for people. */
export interface View {
  (value: unknown, screen: Screen): string;
  /** Returns the rows of CSV output. By default, the result is one row unless it is a list, or an object with only a list. */
  readonly rows?: (value: unknown) => readonly unknown[];
}

/**
 * Writes a result to stdout: with `--json` the JSON as received, otherwise as `--output` and `--jq` specify, by default
 * formatted for people. Returns the exit code.
 */
export const print = async (result: Json, view: View, mode: OutputMode): Promise<ExitCode> => {
  const json = result.text || 'null';
  if (mode.jq !== undefined)
    return (await applyJq(mode.jq, json)).match(
      (text) => write(onTerminal(text)),
      (error) => fail(error, mode),
    );
  if (mode.json) {
    writeJson(json);
    return 0;
  }
  const value = exactValue(result);
  try {
    if (mode.output === 'csv') return write(onTerminal(csv((view.rows ?? rowsOf)(value))));
    if (mode.output === 'yaml') return write(onTerminal((await import('yaml')).stringify(value ?? null)));
    return write(view(value, screenOf(process.stdout)));
  } catch (error) {
    // The result is nested too deeply for a recursive function, or its text is longer than a string can be.
    if (error instanceof RangeError) return fail(tooComplex, mode);
    throw error;
  }
};

const tooComplex = environmentError(
  'The result cannot be shown in this form.',
  'The command itself has succeeded. Use --json to see its result.',
  undefined,
);

const rowsOf = (value: unknown): readonly unknown[] => {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  return (isObject(value) && Object.keys(value).length === 1 ? onlyListIn(value) : undefined) ?? [value];
};

/** The list of objects among these fields, if there is exactly one and it is not empty. */
export const onlyListIn = (fields: JsonObject): readonly unknown[] | undefined => {
  const lists = Object.values(fields).filter(
    (field) => Array.isArray(field) && field.length > 0 && field.every(isObject),
  );
  return lists.length === 1 ? (lists[0] as unknown[]) : undefined;
};

const write = (text: string): 0 => {
  process.stdout.write(text);
  return 0;
};

/** Removes control characters when stdout is a terminal. A file gets the data unchanged. */
const onTerminal = (text: string): string =>
  process.stdout.isTTY ? text.split('\n').map(stripControlCharacters).join('\n') : text;

/** Returns the value; numbers that JavaScript cannot represent exactly are strings with the received digits. */
export const exactValue = ({ text, value }: Json): unknown => {
  try {
    return text === '' ? value : (JSON.parse(text, exactNumber as Parameters<typeof JSON.parse>[1]) as unknown);
  } catch (error) {
    // JSON.parse with a reviver is recursive, and very deep nesting overflows the stack.
    if (error instanceof RangeError) return value;
    throw error;
  }
};

const exactNumber = (_name: string, value: unknown, { source = '' }: { readonly source?: string }): unknown =>
  typeof value === 'number' && digitsOf(String(value)) !== digitsOf(source) ? source : value;

/**
 * Returns the significant digits, without sign, decimal point, exponent, and leading and trailing zeros. Zeros are not removed
 * with a regular expression, which takes quadratic time for a seller's number of a million digits.
 */
const digitsOf = (number: string): string => {
  const digits = number.replace(/e.*$/i, '').replaceAll(/\D/g, '');
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  return digits.slice(start, end);
};

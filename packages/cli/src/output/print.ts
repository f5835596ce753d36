import type { Json } from '@portico/core';
import type { OutputMode } from './cli-error.ts';
import { type Screen, screenOf } from './screen.ts';
import { writeJson } from './write-json.ts';

/** Formats a result for people. */
export type View = (value: unknown, screen: Screen) => string;

/** Writes a result to stdout: with `--json` the JSON as received, otherwise formatted. */
export const print = (result: Json, view: View, { json }: Pick<OutputMode, 'json'>): void => {
  if (json) writeJson(result.text || 'null');
  else process.stdout.write(view(exactValue(result), screenOf(process.stdout)));
};

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

/** Returns the significant digits, without sign, decimal point, exponent, and leading and trailing zeros. */
const digitsOf = (number: string): string =>
  number
    .replace(/e.*$/i, '')
    .replaceAll(/\D/g, '')
    .replaceAll(/^0+|0+$/g, '');

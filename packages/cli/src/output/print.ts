import type { Json } from '@portico/core';
import type { OutputMode } from './cli-error.ts';
import { type Screen, screenOf } from './screen.ts';

/** How an answer is shown to people. */
export type View = (value: unknown, screen: Screen) => string;

/** Writes a result to stdout: with `--json` the JSON as received, else the view. */
export const print = (result: Json, view: View, { json }: Pick<OutputMode, 'json'>): void => {
  process.stdout.write(json ? `${result.text || 'null'}\n` : view(exactValue(result), screenOf(process.stdout)));
};

/** The value, in which a number that JavaScript would show with other digits is a string, as it was received. */
export const exactValue = ({ text, value }: Json): unknown => {
  try {
    return text === '' ? value : (JSON.parse(text, exactNumber as Parameters<typeof JSON.parse>[1]) as unknown);
  } catch (error) {
    // With a function JSON.parse is recursive, and runs out of stack where the nesting is very deep.
    if (error instanceof RangeError) return value;
    throw error;
  }
};

const exactNumber = (_name: string, value: unknown, { source = '' }: { readonly source?: string }): unknown =>
  typeof value === 'number' && digitsOf(String(value)) !== digitsOf(source) ? source : value;

/** The significant digits: without sign, point, exponent and the zeros at either end. */
const digitsOf = (number: string): string =>
  number
    .replace(/e.*$/i, '')
    .replaceAll(/\D/g, '')
    .replaceAll(/^0+|0+$/g, '');

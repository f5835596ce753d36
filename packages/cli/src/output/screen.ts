/* oxlint-disable no-control-regex -- the patterns match control characters */
import { styleText } from 'node:util';

/** The terminal or file that output is formatted for. */
export interface Screen {
  /** Number of columns of the terminal; Infinity without a terminal. */
  readonly width: number;
  /** Whether output can be redrawn and may contain bars: a terminal whose TERM is not `dumb`. */
  readonly isTerminal: boolean;
  /** Adds colours on a terminal, unless `NO_COLOR` is set. */
  readonly style: (format: Style, text: string) => string;
}

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

export const screenOf = (stream: NodeJS.WriteStream): Screen => ({
  isTerminal: stream.isTTY && process.env['TERM'] !== 'dumb',
  width: (stream.isTTY && stream.columns) || Infinity,
  style: (format, text) => styleText(format, text, { stream }),
});

/** Makes external text safe to print: one line without escape sequences, control characters and direction marks. */
export const stripControlCharacters = (text: string): string =>
  text
    .replaceAll(/(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g, '')
    .replaceAll(/(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g, '')
    .replaceAll(/[\t\r\n\u2028\u2029]+/g, ' ')
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');

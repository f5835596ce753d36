/* oxlint-disable no-control-regex -- control characters are what is looked for */
import { styleText } from 'node:util';

/** What an answer is shown on. */
export interface Screen {
  /** Columns of the terminal; Infinity where there is none. */
  readonly width: number;
  /** Colours where they are wanted: on a terminal, unless `NO_COLOR` says otherwise. */
  readonly style: (format: Style, text: string) => string;
}

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

export const screenOf = (stream: NodeJS.WriteStream): Screen => ({
  width: (stream.isTTY && stream.columns) || Infinity,
  style: (format, text) => styleText(format, text, { stream }),
});

/** Text of others as one line that leaves the terminal as it is: no escape sequences, no control and no direction marks. */
export const stripControlCharacters = (text: string): string =>
  text
    .replaceAll(/(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g, '')
    .replaceAll(/(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g, '')
    .replaceAll(/[\t\r\n\u2028\u2029]+/g, ' ')
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');

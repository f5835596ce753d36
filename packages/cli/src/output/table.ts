import { createRequire } from 'node:module';
import type { Screen } from './screen.ts';

/** Loaded when a text needs it: for most commands, that would be a tenth of their processor time. */
const require = createRequire(import.meta.url);
const stringWidth = (text: string): number => (require('string-width') as typeof import('string-width')).default(text);
const wrapAnsi = (text: string, width: number): string =>
  (require('wrap-ansi') as typeof import('wrap-ansi')).default(text, width, { hard: true });

export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** Shown only if the whole table fits the screen without wrapping. */
  readonly isWide?: boolean;
}

const gap = 2;

/**
 * Formats a table that fits the screen. If it does not fit, wide columns are hidden; then columns shrink, the widest first,
 * and wrap between words. Columns that still do not fit are hidden from the right. A note names the hidden columns.
 */
export const table = (columns: readonly Column[], rows: readonly (readonly string[])[], screen: Screen): string => {
  const all = columns.map(({ title }, index) => [title, ...rows.map((row) => row[index] ?? '')]);
  const isWhole = total(all.map(widest)) <= screen.width;
  const isOffered = columns.map(({ isWide = false }) => isWhole || !isWide);
  const offered = <T>(cells: readonly T[]) => (isWhole ? cells : cells.filter((_, index) => isOffered[index]));
  const widths = fit(offered(all), offered(columns), screen.width);
  const shown = offered(columns).slice(0, widths.length);
  const line = (cells: readonly string[]) => layOut(offered(cells), widths, shown);
  const hidden = columns.filter((column) => !shown.includes(column)).map(({ title }) => title);
  const note = `(${hidden.length} more ${hidden.length === 1 ? 'column' : 'columns'}: ${hidden.join(', ')}; use a wider terminal or --json)`;
  return [
    ...line(columns.map(({ title }) => title)).map((text) => screen.style('bold', text)),
    ...rows.flatMap(line),
    ...(hidden.length > 0 ? wrap(note, screen.width) : []).map((text) => screen.style('dim', text)),
  ]
    .map((text) => `${text}\n`)
    .join('');
};

/**
 * Returns the widths of as many columns as fit. No column is narrower than its longest word, or its longest amount; only
 * when that is too wide for the screen, words longer than 24 are broken.
 */
const fit = (cellsOf: readonly (readonly string[])[], columns: readonly Column[], width: number): readonly number[] => {
  const natural = cellsOf.map(widest);
  if (!Number.isFinite(width) || total(natural) <= width) return natural;
  const wordWidths = cellsOf.map((cells, index) =>
    columns[index]?.align === 'right' ? Math.max(longestWord(cells), widest(cells.slice(1))) : longestWord(cells),
  );
  const capped = wordWidths.map((word) => Math.min(24, word));
  const minimum = total(wordWidths) <= width ? wordWidths : capped;
  let count = cellsOf.length;
  while (count > 1 && total(minimum.slice(0, count)) > width) count--;
  const widths = natural.slice(0, count);
  for (let over = total(widths) - width; over > 0; over--) {
    const spare = widths.map((one, index) => one - (minimum[index] ?? 0));
    const largest = maximum(widths.filter((_, index) => (spare[index] ?? 0) > 0));
    const index = widths.findLastIndex((one, index) => one === largest && (spare[index] ?? 0) > 0);
    // A single column that cannot shrink any further: its words are broken.
    if (index === -1) return [Math.min(width, widths[0] ?? 0)];
    widths[index] = largest - 1;
  }
  return widths;
};

const total = (widths: readonly number[]): number => widths.reduce((sum, one) => sum + one + gap, -gap);

/** Returns the largest number, or 0. `Math.max(...numbers)` fails for very long arrays. */
const maximum = (numbers: readonly number[]): number => numbers.reduce((one, other) => Math.max(one, other), 0);

const widest = (cells: readonly string[]): number => maximum(cells.map((cell) => widthOf(cell)));

const longestWord = (cells: readonly string[]): number =>
  maximum(cells.map((cell) => maximum(cell.split(' ').map((word) => widthOf(word)))));

const layOut = (cells: readonly string[], widths: readonly number[], columns: readonly Column[]): readonly string[] => {
  const wrapped = widths.map((width, index) => wrap(cells[index] ?? '', width));
  const height = maximum([1, ...wrapped.map((lines) => lines.length)]);
  return Array.from({ length: height }, (_, row) =>
    widths
      .map((width, index) => {
        const text = wrapped[index]?.[row] ?? '';
        const blank = ' '.repeat(Math.max(0, width - widthOf(text)));
        return columns[index]?.align === 'right' ? blank + text : text + blank;
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  );
};

const isAscii = (text: string): boolean => /^[ -~]*$/.test(text);

const widthOf = (text: string): number => (isAscii(text) ? text.length : stringWidth(text));

/** Whether the text is one line without blanks to trim. */
const fits = (text: string, width: number): boolean => text.length <= width && isAscii(text) && text.trim() === text;

/** Splits text into lines of at most this width. */
export const wrap = (text: string, width: number): readonly string[] =>
  fits(text, width) || !Number.isFinite(width) ? [text] : wrapAnsi(text, Math.max(1, width)).split('\n');

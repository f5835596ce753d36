import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import type { Screen } from './screen.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'right';
}

const gap = 2;

/**
 * A table that fits the screen: wide columns give way first and wrap between words; what still does not fit is left
 * out from the right, and said.
 */
export const table = (columns: readonly Column[], rows: readonly (readonly string[])[], screen: Screen): string => {
  const texts = columns.map(({ title }, index) => [title, ...rows.map((row) => row[index] ?? '')]);
  const widths = fit(texts, screen.width);
  const shown = columns.slice(0, widths.length);
  const line = (cells: readonly string[]) => layOut(cells, widths, shown);
  const left = columns.length - shown.length;
  return [
    ...line(shown.map(({ title }) => title)).map((text) => screen.style('bold', text)),
    ...rows.flatMap(line),
    ...(left > 0 ? [screen.style('dim', `(${left} more on a wider terminal, or with --json)`)] : []),
  ]
    .map((text) => `${text}\n`)
    .join('');
};

/** The widths of as many columns as fit. None gets narrower than its longest word, within reason. */
const fit = (columns: readonly (readonly string[])[], width: number): readonly number[] => {
  const natural = columns.map((texts) => Math.max(...texts.map((text) => stringWidth(text))));
  const least = columns.map((texts) => Math.min(24, longestWord(texts)));
  let count = columns.length;
  const total = (widths: readonly number[]) => widths.slice(0, count).reduce((sum, one) => sum + one + gap, -gap);
  while (count > 1 && total(least) > width) count--;
  const widths = natural.slice(0, count);
  while (total(widths) > width) {
    const widest = Math.max(...widths.filter((one, index) => one > (least[index] ?? 0)), 0);
    if (widest === 0) break;
    widths[widths.findLastIndex((one, index) => one === widest && one > (least[index] ?? 0))] = widest - 1;
  }
  return widths;
};

const longestWord = (texts: readonly string[]): number =>
  Math.max(...texts.flatMap((text) => text.split(' ').map((word) => stringWidth(word))));

const layOut = (cells: readonly string[], widths: readonly number[], columns: readonly Column[]): readonly string[] => {
  const wrapped = widths.map((width, index) => wrap(cells[index] ?? '', width));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    widths
      .map((width, index) => {
        const text = wrapped[index]?.[row] ?? '';
        const blank = ' '.repeat(Math.max(0, width - stringWidth(text)));
        return columns[index]?.align === 'right' ? blank + text : text + blank;
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  );
};

/** As lines of at most this width. */
export const wrap = (text: string, width: number): readonly string[] =>
  Number.isFinite(width) ? wrapAnsi(text, Math.max(1, width), { hard: true }).split('\n') : [text];

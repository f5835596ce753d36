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
    ...(left > 0 ? wrap(`(${left} more on a wider terminal, or with --json)`, screen.width) : []).map((text) =>
      screen.style('dim', text),
    ),
  ]
    .map((text) => `${text}\n`)
    .join('');
};

/** The widths of as many columns as fit. None gets narrower than its longest word, as long as that is not absurd. */
const fit = (columns: readonly (readonly string[])[], width: number): readonly number[] => {
  const natural = columns.map((texts) => most(texts.map((text) => stringWidth(text))));
  if (!Number.isFinite(width) || total(natural) <= width) return natural;
  const words = columns.map(longestWord);
  const capped = words.map((word) => Math.min(24, word));
  const least = total(words) <= width ? words : capped;
  let count = columns.length;
  while (count > 1 && total(least.slice(0, count)) > width) count--;
  const widths = natural.slice(0, count);
  for (let over = total(widths) - width; over > 0; over--) {
    const spare = widths.map((one, index) => one - (least[index] ?? 0));
    const widest = most(widths.filter((_, index) => (spare[index] ?? 0) > 0));
    const index = widths.findLastIndex((one, index) => one === widest && (spare[index] ?? 0) > 0);
    // A single column may have nothing left to give: its words are broken.
    if (index === -1) return [Math.min(width, widths[0] ?? 0)];
    widths[index] = widest - 1;
  }
  return widths;
};

const total = (widths: readonly number[]): number => widths.reduce((sum, one) => sum + one + gap, -gap);

/** `Math.max` takes its numbers as arguments, of which there may be too many. */
const most = (numbers: readonly number[]): number => numbers.reduce((one, other) => Math.max(one, other), 0);

const longestWord = (texts: readonly string[]): number =>
  most(texts.map((text) => most(text.split(' ').map((word) => stringWidth(word)))));

const layOut = (cells: readonly string[], widths: readonly number[], columns: readonly Column[]): readonly string[] => {
  const wrapped = widths.map((width, index) => wrap(cells[index] ?? '', width));
  const height = most([1, ...wrapped.map((lines) => lines.length)]);
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

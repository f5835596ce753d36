import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isThere, type Problem } from '../project.ts';
import { checkLines } from './facts.ts';

const recordFile = 'docs/performance/speed.json';

/** Pages whose benchmark results are those of the record. docs/performance.md has other measurements, too. */
const pages = ['README.md', 'docs/why-portico.md'];

interface Row {
  readonly title: string;
  readonly unit: string;
  readonly own: number;
  readonly other?: { readonly value: number; readonly ratio: number };
}

/** Checks that rates, sizes and ratios on these pages are in the record of the benchmark. */
export const checkFigures = (root: string): readonly Problem[] => {
  if (!isThere(root, recordFile)) return [];
  const { rows } = JSON.parse(readFileSync(join(root, recordFile), 'utf8')) as { readonly rows: readonly Row[] };
  const known = new Set(rows.flatMap(figuresOf));
  const there = pages.filter((file) => isThere(root, file));
  return checkLines(root, there, (text) =>
    (text.match(figure) ?? []).filter((found) => !known.has(found)).map((found) => `${found} is not in ${recordFile}`),
  );
};

/** `14,827 requests/s`, `9.8 MB`, `1.97 times`. */
const figure = /\d[\d,.]* (?:\w+\/s|MB|times)\b/g;

const figuresOf = ({ title, unit, own, other }: Row): readonly string[] => [
  ...(title.match(figure) ?? []),
  withUnit(own, unit),
  ...(other ? [withUnit(other.value, unit), `${other.ratio.toFixed(2)} times`] : []),
];

const withUnit = (value: number, unit: string): string =>
  `${value.toLocaleString('en', { maximumFractionDigits: value < 1000 ? 1 : 0 })} ${unit}`;

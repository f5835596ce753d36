import type { Command } from '../command.ts';
import { markdownTable } from '../results.ts';
import { isHigherBetter, readRecord, type SpeedRecord, type Spread, spreadOf, type Row } from './record.ts';

type Verdict = 'better' | 'worse' | 'within the spread';

interface Difference {
  readonly title: string;
  readonly unit: string;
  readonly before: Spread;
  readonly after: Spread;
  /** The new value divided by the old one. */
  readonly ratio: number;
  readonly verdict: Verdict;
}

const nameOf = ({ title, other }: Row): string => (other ? `${title}, relative to ${other.name}` : title);

/** Two values differ only if their spreads do not overlap. */
const verdictOf = (row: Row, before: Spread, after: Spread): Verdict => {
  const isAbove = after.least > before.most;
  const isBelow = after.most < before.least;
  if (!isAbove && !isBelow) return 'within the spread';
  return isAbove === isHigherBetter(row) ? 'better' : 'worse';
};

/** The measurements that are in both records, in the order of the second. */
export const differencesOf = (before: SpeedRecord, after: SpeedRecord): readonly Difference[] => {
  const old = new Map(before.rows.map((row) => [nameOf(row), spreadOf(row)]));
  return after.rows.flatMap((row) => {
    const title = nameOf(row);
    const earlier = old.get(title);
    if (!earlier) return [];
    const later = spreadOf(row);
    const verdict = verdictOf(row, earlier, later);
    const unit = row.other ? '×' : row.unit;
    return [{ title, unit, before: earlier, after: later, ratio: later.value / earlier.value, verdict }];
  });
};

const digits = (value: number): string => value.toPrecision(3);

const format = ({ value, least, most }: Spread, unit: string): string => {
  return `${digits(value)} ${unit}${least === most ? '' : ` (${digits(least)} to ${digits(most)})`}`;
};

/** The differences as a table in Markdown. */
export const differenceTable = (differences: readonly Difference[]): string =>
  markdownTable(
    ['measurement', 'before', 'after', 'after / before', ''],
    differences.map(({ title, unit, before, after, ratio, verdict }) => [
      title,
      format(before, unit),
      format(after, unit),
      ratio.toFixed(2),
      verdict === 'worse' ? '**worse**' : verdict,
    ]),
  );

/** `compare before.json after.json`: compares two records with their spread. Fails if a measurement is worse. */
export const compareRecords: Command = async (args) => {
  const [before, after] = args;
  if (before === undefined || after === undefined) throw new Error('compare takes two records: before.json after.json');
  const differences = differencesOf(readRecord(before), readRecord(after));
  if (differences.length === 0) throw new Error('The two records have no measurement in common.');
  process.stdout.write(differenceTable(differences));
  return differences.every(({ verdict }) => verdict !== 'worse');
};

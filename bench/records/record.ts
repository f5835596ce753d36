import { readFileSync } from 'node:fs';

/** A row of the comparison table. */
export interface Row {
  readonly title: string;
  readonly unit: string;
  readonly own: number;
  /** Another program at the same work in the same run; `ratio` is Portico's value divided by its value, as a median of rounds. */
  readonly other?: { readonly name: string; readonly value: number; readonly ratio: number };
  /** Minimum ratio, or maximum value. */
  readonly goal?: { readonly ratio: number } | { readonly atMost: number };
  readonly rounds?: { readonly own: readonly number[]; readonly other: readonly number[] };
}

/** A record of `npm run bench`, as `writeRecord` writes it. */
export interface SpeedRecord {
  /** ISO 8601. */
  readonly at: string;
  readonly machine: string;
  readonly rows: readonly Row[];
}

/** Reads a record. Throws if it has no rows: records of `soak`, `faults` and others have none. */
export const readRecord = (file: string | URL): SpeedRecord => {
  const record = JSON.parse(readFileSync(file, 'utf8')) as Partial<SpeedRecord>;
  if (!Array.isArray(record.rows))
    throw new Error(`${String(file)} has no rows. Use a record of the speed rows or of start-up.`);
  return record as SpeedRecord;
};

/** Three digits, or all before the decimal point. */
export const formatValue = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value < 10 ? 2 : 1);

/** Rates are better when they are higher; times, memory and costs when they are lower. */
export const isHigherBetter = ({ unit }: Pick<Row, 'unit'>): boolean => unit.endsWith('/s');

/**
 * A value with the 95 % interval of the median of its rounds, by their order: the least and the greatest of up to five rounds,
 * fewer of many.
 */
export interface Spread {
  readonly value: number;
  readonly least: number;
  readonly most: number;
}

/**
 * What is compared between machines and versions: the ratio to the other program of the same run if there is one, otherwise
 * the value. A record without rounds has no spread.
 */
export const spreadOf = ({ own, other, rounds }: Row): Spread => {
  const value = other?.ratio ?? own;
  const values = rounds?.own.map((each, nth) => (other ? each / rounds.other[nth]! : each)) ?? [];
  const known = values.length > 0 ? values : [value];
  const sorted = known.toSorted((one, another) => one - another);
  const outside = Math.max(0, Math.floor((sorted.length - 1.96 * Math.sqrt(sorted.length)) / 2));
  return { value, least: sorted[outside]!, most: sorted.at(-1 - outside)! };
};

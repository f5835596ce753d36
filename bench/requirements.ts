import type { byFrequency } from './statistics.ts';
import { machine, markdownTable, writeRecord } from './results.ts';

/** One condition that a run must meet. */
export interface Requirement {
  readonly title: string;
  readonly measured: string;
  readonly required: string;
  readonly isMet: boolean;
}

type Cell = string | number | ReturnType<typeof byFrequency>;

const format = (cell: Cell): string =>
  typeof cell === 'object' ? cell.map((counted) => counted.join(': ')).join('; ') : String(cell);

/** By default, the measured value must be zero. */
export const requirement = (
  title: string,
  measured: string | number | null,
  isMet: boolean = measured === 0,
  required: string | number = 0,
): Requirement => ({ title, measured: String(measured), required: String(required), isMet });

interface Report {
  readonly requirements: readonly Requirement[];
  /** The headings of the table, then its rows. */
  readonly table: readonly (readonly Cell[])[];
  readonly summary: string;
  /** Additional data for the record. */
  readonly data: object;
}

/** Prints the tables and writes the record. Returns whether every requirement was met. */
export const report = (name: string, { requirements, table, summary, data }: Report): boolean => {
  const [head = [], ...rows] = table.map((cells) => cells.map(format));
  const verdicts = requirements.map((one) => [one.title, one.measured, one.required, one.isMet ? 'met' : '**MISSED**']);
  const requirementsTable = markdownTable(['what', 'measured', 'required', ''], verdicts);
  process.stdout.write(`\n${markdownTable(head, rows)}\n${requirementsTable}\n${summary} On ${machine}.\n`);
  writeRecord(name, { ...data, requirements });
  return requirements.every(({ isMet }) => isMet);
};

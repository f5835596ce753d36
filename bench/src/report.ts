/** One line of the table. */
export interface Row {
  readonly title: string;
  readonly unit: string;
  readonly own: number;
  /** Who did the same work in the same run; `ratio` is ours by theirs, the median over the rounds. */
  readonly other?: { readonly name: string; readonly value: number; readonly ratio: number };
  /** What we want to reach: at least so much of the other's, or at most so much. */
  readonly goal?: { readonly ratio: number } | { readonly atMost: number };
  readonly rounds?: { readonly own: readonly number[]; readonly other: readonly number[] };
}

export type Tell = (line: string) => void;

export const quantile = (values: readonly number[], q: number): number => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

const isMet = ({ own, other, goal }: Row): boolean =>
  goal === undefined || ('ratio' in goal ? (other?.ratio ?? 0) >= goal.ratio : own <= goal.atMost);

const written = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value < 10 ? 2 : 1);

const wanted = ({ goal, unit }: Row): string => {
  if (!goal) return '';
  return 'ratio' in goal ? `at least ${goal.ratio} ×` : `at most ${goal.atMost} ${unit}`;
};

/** As a table in Markdown. */
export const tableOf = (rows: readonly Row[]): string => {
  const cells = rows.map((row) => {
    const { title, unit, own, other } = row;
    return [
      title,
      `${written(own)} ${unit}`,
      other ? `${other.name}: ${written(other.value)} ${unit}` : '',
      other ? `**${other.ratio.toFixed(2)} ×**` : '',
      row.goal ? `${wanted(row)}${isMet(row) ? '' : ', missed'}` : '',
    ];
  });
  const head = ['what', 'Portico', 'beside it', 'ratio', 'goal'];
  const lines = [head, head.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
};

export const missed = (rows: readonly Row[]): readonly Row[] => rows.filter((row) => !isMet(row));

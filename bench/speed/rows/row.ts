import { formatValue, type Row } from '../../records/record.ts';
import { markdownTable } from '../../results.ts';
import { median } from '../../statistics.ts';

/** Portico's rounds beside those of another program: their medians, and the median of the ratios of each round. */
export const comparedWith = (
  name: string,
  own: readonly number[],
  other: readonly number[],
): Required<Pick<Row, 'own' | 'other' | 'rounds'>> => ({
  own: median(own),
  other: { name, value: median(other), ratio: median(own.map((each, nth) => each / other[nth]!)) },
  rounds: { own, other },
});

const isMet = ({ own, other, goal }: Row): boolean =>
  goal === undefined || ('ratio' in goal ? (other?.ratio ?? 0) >= goal.ratio : own <= goal.atMost);

const formatGoal = (row: Row): string => {
  const { goal, unit } = row;
  if (!goal) return '';
  const text = 'ratio' in goal ? `at least ${goal.ratio} ×` : `at most ${goal.atMost} ${unit}`;
  return isMet(row) ? text : `${text}, missed`;
};

/** The comparison table in Markdown. */
export const comparisonTable = (rows: readonly Row[]): string =>
  markdownTable(
    ['measurement', 'Portico', 'compared with', 'ratio', 'goal'],
    rows.map((row) => {
      const { title, unit, own, other } = row;
      return [
        title,
        `${formatValue(own)} ${unit}`,
        other ? `${other.name}: ${formatValue(other.value)} ${unit}` : '',
        other ? `**${other.ratio.toFixed(2)} ×**` : '',
        formatGoal(row),
      ];
    }),
  );

export const missedGoals = (rows: readonly Row[]): readonly Row[] => rows.filter((row) => !isMet(row));

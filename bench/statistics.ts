/** The quantile `q` of the values; NaN without values. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

const drawFrom = <T>(values: readonly T[]): T[] => values.map(() => values[Math.floor(Math.random() * values.length)]!);

/**
 * The 95 % interval of the median of grouped values, by bootstrap: groups are drawn first, then values of each, because the
 * values of one group (one process, for example) are alike.
 */
export const intervalOfMedian = (groups: readonly (readonly number[])[], draws = 2000): readonly [number, number] => {
  const medians = Array.from({ length: draws }, () => median(drawFrom(groups).flatMap(drawFrom)));
  return [quantile(medians, 0.025), quantile(medians, 0.975)];
};

/** The values with their number of occurrences, the most frequent first. */
export const byFrequency = (values: readonly string[]): readonly (readonly [string, number])[] =>
  Object.entries(Object.groupBy(values, (value) => value))
    .map(([value, equal = []]) => [value, equal.length] as const)
    .toSorted(([, one], [, other]) => other - one);

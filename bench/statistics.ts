/** The quantile `q` of the values; NaN without values. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The values with their number of occurrences, the most frequent first. */
export const byFrequency = (values: readonly string[]): readonly (readonly [string, number])[] =>
  Object.entries(Object.groupBy(values, (value) => value))
    .map(([value, equal = []]) => [value, equal.length] as const)
    .toSorted(([, one], [, other]) => other - one);

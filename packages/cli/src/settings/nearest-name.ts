/** Returns the most similar known name, or undefined when none is similar. The thresholds are those of commander. */
export const nearestName = (misspelt: string, names: readonly string[]): string | undefined => {
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(misspelt, name), length: Math.max(misspelt.length, name.length) }))
    .filter(({ distance, length }) => distance <= 3 && (length - distance) / length > 0.4)
    .toSorted((one, other) => one.distance - other.distance);
  return nearest?.name;
};

/** Returns the Levenshtein distance. A transposition counts as two edits. */
const editDistance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= to.length; j++) {
      const substitution = (above[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      row[j] = Math.min(substitution, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
    }
  }
  return row[to.length] ?? 0;
};

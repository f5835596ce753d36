/** Sorts items by time, newest first. Items of the same time keep their order. `missing`: the time of an item without one. */
export const newestFirst = <Item>(
  items: readonly Item[],
  timeOf: (item: Item) => string | undefined,
  missing = '',
): readonly Item[] =>
  items.toSorted((one, other) => {
    const [time, otherTime] = [timeOf(one) ?? missing, timeOf(other) ?? missing];
    return Number(time < otherTime) - Number(time > otherTime);
  });

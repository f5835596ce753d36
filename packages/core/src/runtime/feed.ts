/** A replayable stream: every iterator starts at the first item. */
export interface Feed<Item> extends AsyncIterable<Item> {
  push(item: Item): void;
  end(): void;
}

export const createFeed = <Item>(): Feed<Item> => {
  const items: Item[] = [];
  let hasEnded = false;
  /** Present while an iterator waits. */
  let changed: PromiseWithResolvers<void> | undefined;
  const notify = () => {
    changed?.resolve();
    changed = undefined;
  };
  return {
    push: (item) => {
      items.push(item);
      notify();
    },
    end: () => {
      hasEnded = true;
      notify();
    },
    async *[Symbol.asyncIterator]() {
      for (let next = 0; ;) {
        if (next < items.length) yield items[next++]!;
        else if (hasEnded) return;
        else await (changed ??= Promise.withResolvers<void>()).promise;
      }
    },
  };
};

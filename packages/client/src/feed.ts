/** What comes bit by bit, for everybody who listens: each hears it from the first on, whenever they begin. */
export interface Feed<Item> extends AsyncIterable<Item> {
  push(item: Item): void;
  end(): void;
}

export const createFeed = <Item>(): Feed<Item> => {
  const items: Item[] = [];
  let isOver = false;
  let news = Promise.withResolvers<void>();
  const tell = () => {
    news.resolve();
    news = Promise.withResolvers<void>();
  };
  return {
    push: (item) => {
      items.push(item);
      tell();
    },
    end: () => {
      isOver = true;
      tell();
    },
    async *[Symbol.asyncIterator]() {
      for (let heard = 0; ;) {
        if (heard < items.length) yield items[heard++]!;
        else if (isOver) return;
        else await news.promise;
      }
    },
  };
};

/** A map that evicts its least recently used entries when the sum of their sizes exceeds `limit`. */
export const boundedMap = <T>(limit: number, sizeOf: (name: string, value: T) => number = () => 1) => {
  // Evicts in batches, because finding the first entry of a Map skips all entries deleted before it.
  const sizeAfterEviction = limit - Math.floor(limit / 64);
  const entries = new Map<string, T>();
  let size = 0;
  const remove = (name: string): void => {
    const value = entries.get(name);
    if (value === undefined) return;
    entries.delete(name);
    size -= sizeOf(name, value);
  };
  return {
    set: (name: string, value: T): void => {
      remove(name);
      entries.set(name, value);
      size += sizeOf(name, value);
      if (size <= limit) return;
      for (const oldest of entries.keys()) {
        if (size <= sizeAfterEviction) return;
        remove(oldest);
      }
    },
    get: (name: string): T | undefined => {
      const value = entries.get(name);
      // Below half of the limit no eviction is near, so the order of use need not be updated.
      if (value === undefined || size <= limit / 2) return value;
      entries.delete(name);
      entries.set(name, value);
      return value;
    },
    delete: remove,
  };
};

/** Forgets what was not used for longest as soon as the sizes add up to more than the limit. */
export const boundedMap = <T>(limit: number, sizeOf: (name: string) => number = () => 1) => {
  // Many at once: to find the first, a map steps over all that were deleted before.
  const enough = limit - Math.floor(limit / 64);
  const entries = new Map<string, T>();
  let size = 0;
  const remove = (name: string): void => {
    if (entries.delete(name)) size -= sizeOf(name);
  };
  return {
    set: (name: string, value: T): void => {
      remove(name);
      entries.set(name, value);
      size += sizeOf(name);
      if (size <= limit) return;
      for (const oldest of entries.keys()) {
        if (size <= enough) return;
        remove(oldest);
      }
    },
    get: (name: string): T | undefined => {
      const value = entries.get(name);
      // With half of the room left nothing is about to be forgotten, and who came last does not matter.
      if (value === undefined || size <= limit / 2) return value;
      entries.delete(name);
      entries.set(name, value);
      return value;
    },
    delete: remove,
  };
};

/** The storage of a browser, with the items of the map. Its keys are its own properties, as `Object.keys` expects. */
export const storageOf = (items = new Map<string, string>()) => ({
  ...Object.fromEntries(items),
  getItem: (key: string) => items.get(key) ?? null,
  setItem: (key: string, value: string) => void items.set(key, value),
  removeItem: (key: string) => void items.delete(key),
});

/** Unsaved edits of a form, by field name. */
export type Edits<Value> = ReadonlyMap<string, Value>;

/** The saved value of each field. */
export type Values<Value> = ReadonlyMap<string, Value>;

/** Whether an edit changes anything. Edits of fields that no longer exist do not count. */
export const changes = <Value>(values: Values<Value>, edits: Edits<Value>): boolean =>
  [...values].some(([name, value]) => edits.has(name) && edits.get(name) !== value);

/** Removes the edits that equal these values. */
export const without = <Value>(edits: Edits<Value>, values: Values<Value>): Edits<Value> =>
  new Map([...edits].filter(([name, value]) => values.get(name) !== value));

/** What a member changed on a form and has not saved, by the name of the field. */
export type Edits<Value> = ReadonlyMap<string, Value>;

/** The value of each field as the service has it. */
export type Values<Value> = ReadonlyMap<string, Value>;

/** Whether an edit changes anything. Edits of fields that are gone do not count. */
export const changes = <Value>(values: Values<Value>, edits: Edits<Value>): boolean =>
  [...values].some(([name, value]) => edits.has(name) && edits.get(name) !== value);

/** The edits without those that these values have already. */
export const without = <Value>(edits: Edits<Value>, values: Values<Value>): Edits<Value> =>
  new Map([...edits].filter(([name, value]) => values.get(name) !== value));

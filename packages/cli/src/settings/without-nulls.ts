/** A type whose members are optional where they may be null, at every depth. */
export type WithoutNulls<T> = T extends readonly (infer Item)[]
  ? WithoutNulls<Item>[]
  : T extends object
    ? Flat<
        { [Name in keyof T as null extends T[Name] ? never : Name]: WithoutNulls<T[Name]> } & {
          [Name in keyof T as null extends T[Name] ? Name : never]?: WithoutNulls<Exclude<T[Name], null>>;
        }
      >
    : T;

type Flat<T> = { [Name in keyof T]: T[Name] };

/** Settings whose value is any JSON, in which null is a value. */
export const freeSettings: ReadonlySet<string> = new Set(['extraContext', 'extraIntent', 'intent', 'lookup']);

/**
 * Removes settings that are null after they have been validated. In a file, null stands for a setting that is not set; adapters
 * use their defaults for what is absent.
 */
export const withoutNulls = <T>(value: T): WithoutNulls<T> => dropNulls(value) as WithoutNulls<T>;

const dropNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === null ? [] : [[name, freeSettings.has(name) ? inner : dropNulls(inner)]],
    ),
  );
};

type WithoutNulls<T> = { readonly [Name in keyof T as null extends T[Name] ? never : Name]: T[Name] } & {
  readonly [Name in keyof T as null extends T[Name] ? Name : never]?: Exclude<T[Name], null>;
};

/** Removes settings that are null: an adapter uses its defaults for missing settings. */
export const withoutNulls = <T extends object>(section: T): WithoutNulls<T> =>
  Object.fromEntries(Object.entries(section).filter(([, value]) => value !== null)) as WithoutNulls<T>;

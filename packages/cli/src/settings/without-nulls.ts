type WithoutNulls<T> = { readonly [Name in keyof T as null extends T[Name] ? never : Name]: T[Name] } & {
  readonly [Name in keyof T as null extends T[Name] ? Name : never]?: Exclude<T[Name], null>;
};

/** The settings of a section without those that are null: an adapter takes these as not given. */
export const withoutNulls = <T extends object>(section: T): WithoutNulls<T> =>
  Object.fromEntries(Object.entries(section).filter(([, value]) => value !== null)) as WithoutNulls<T>;

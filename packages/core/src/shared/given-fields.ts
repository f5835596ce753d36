/**
 * The fields that are not undefined; none for undefined. A program without `exactOptionalPropertyTypes` can set an optional field to undefined,
 * which must mean the same as leaving it out, also where objects are merged.
 */
export const givenFields = <T extends object>(fields: T | undefined): T =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined)) as T;

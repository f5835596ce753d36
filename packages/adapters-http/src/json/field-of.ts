import { isObject } from '@portico/core';

/** A field of a parsed JSON object, undefined for any other value. Never an inherited one. */
export const fieldOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

import { isObject, type JsonObject } from '../../shared/json/json.ts';

/**
 * Merges two objects deeply, without changing them. The fields of `winner` come first and win; arrays are replaced. Only own
 * fields are read, and a field named `__proto__` stays a field.
 */
export const mergeObjects = (winner: JsonObject, other: JsonObject): JsonObject => {
  // `fromEntries` and `entries` define and read own fields, whatever their names are.
  const own = Object.entries(winner).map(([name, value]) => {
    const also = Object.hasOwn(other, name) ? other[name] : undefined;
    return [name, isObject(value) && isObject(also) ? mergeObjects(value, also) : value] as const;
  });
  return Object.fromEntries([...own, ...Object.entries(other).filter(([name]) => !Object.hasOwn(winner, name))]);
};

/** The values that templates insert. */
interface TemplateValues {
  readonly query: string;
  readonly persona: string;
  readonly user_id: string;
}

/**
 * Replaces `{query}`, `{persona}` and `{user_id}` in every string of a JSON value, keys excepted. Inserted values are not
 * read again, and any other `{name}` stays.
 */
export const fillTemplates = (json: unknown, values: TemplateValues): unknown => {
  if (typeof json === 'string')
    return json.replaceAll(/\{(query|persona|user_id)\}/g, (_, name: keyof TemplateValues) => values[name]);
  if (Array.isArray(json)) return json.map((item) => fillTemplates(item, values));
  return isObject(json) ? fillObject(json, values) : json;
};

/** `fillTemplates` for an object. */
export const fillObject = (json: JsonObject, values: TemplateValues): JsonObject =>
  Object.fromEntries(Object.entries(json).map(([name, value]) => [name, fillTemplates(value, values)]));

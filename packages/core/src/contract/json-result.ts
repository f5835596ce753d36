import { strongEtag } from '../shared/entity-tag.ts';
import { isObject, type Json } from '../shared/json/json.ts';

/** The `Json` results in a value: the value itself, or one of its fields, such as the claim of a submission. */
export const jsonIn = (value: unknown): readonly Json[] => {
  if (isJson(value)) return [value];
  return isObject(value) ? Object.values(value).filter(isJson) : [];
};

const isJson = (value: unknown): value is Json => isObject(value) && 'text' in value && 'value' in value;

/** Describes how `text` and `value` differ; undefined when they are the same. */
export const differenceOf = (json: Json): string | undefined => {
  const { text } = json;
  if (typeof text !== 'string') return 'the text is not a string';
  if (text === '') return json.value === undefined ? undefined : 'the text is empty, the value is not';
  try {
    // `value` may be a getter that parses the text.
    return isSame(JSON.parse(text), json.value) ? undefined : 'the text has another content than the value';
  } catch {
    return 'the text is not JSON';
  }
};

/** Whether the entity tag can guard a write (RFC 9110, section 13.1.1), or is absent. */
export const hasUsableEtag = ({ etag }: Json): boolean => etag === undefined || strongEtag(etag) !== undefined;

/** Whether both have the same content, apart from the order of fields. */
export const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

/** Whether a stored value has the content that was sent. A system may add fields, such as a version. */
export const contains = (stored: unknown, sent: unknown): boolean => {
  if (Array.isArray(sent))
    return (
      Array.isArray(stored) && stored.length === sent.length && sent.every((one, nth) => contains(stored[nth], one))
    );
  if (!isObject(sent)) return isSame(stored, sent);
  return isObject(stored) && Object.entries(sent).every(([name, inner]) => contains(stored[name], inner));
};

/** The fields that do not change between two reads, unlike for example the time of the read. */
export const stableFields = (one: unknown, other: unknown): Readonly<Record<string, unknown>> =>
  isObject(one) && isObject(other)
    ? Object.fromEntries(Object.entries(one).filter(([name, inner]) => isSame(inner, other[name])))
    : {};

/** JSON with sorted names. Fields that are undefined are absent, as in `JSON.stringify`. */
const canonical = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );

/** Whether two members got the same data. Results without any data, such as two empty lists, are not the same data. */
export const isSameData = (one: Json, other: Json): boolean => isSame(one.value, other.value) && hasData(one.value);

const hasData = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(hasData) : Boolean(value);

/**
 * A JSON body exactly as it was received. `text` is relayed byte for byte, so key order, big numbers and unknown fields
 * survive. `value` is the parsed text, for reading only. An empty `text` is a response without content (204).
 */
export interface Json {
  readonly text: string;
  readonly value: unknown;
  /**
   * The strong entity tag of this version (RFC 9110, section 8.8.3), if the service sent one. A write with it as
   * `ifMatch` fails `precondition-failed` when the resource was changed in the meantime.
   */
  readonly etag?: string;
}

export const noContent: Json = { text: '', value: undefined };

/** Serializes a value as a JSON body. */
export const toJson = (value: unknown): Json => ({ text: JSON.stringify(value), value });

/** A JSON body that is parsed at each read of `value`: parsed JSON may take twenty times the memory of its text. */
export const parsedOnRead = (text: string): Json => Object.defineProperty({ text }, 'value', parsedText) as Json;

/** One getter for all bodies: V8 keeps what a getter in an object literal refers to, until it collects all garbage. */
const parsedText: PropertyDescriptor = {
  get(this: Pick<Json, 'text'>): unknown {
    return JSON.parse(this.text);
  },
  enumerable: true,
  configurable: true,
};

/** Copies a part of a string: for a part itself, engines keep the whole string in memory. */
export const copyOf = (part: string): string => JSON.parse(JSON.stringify(part)) as string;

const utf8 = new WeakMap<Pick<Json, 'text'>, Uint8Array>();

/** Remembers the text of a JSON body in UTF-8, so that it can be sent without encoding it again. Returns the same object. */
export const withBytes = <Body extends Json>(json: Body, bytes: Uint8Array): Body => {
  utf8.set(json, bytes);
  return json;
};

/** The text in UTF-8, if it is known. Copies of the object have none, because their text may be another one. */
export const bytesOf = (json: Pick<Json, 'text'>): Uint8Array | undefined => utf8.get(json);

/** The length of a string in bytes of UTF-8. */
export const utf8Length = (text: string): number => {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // A surrogate is one of two code units for four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
};

/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object: not null, and not an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

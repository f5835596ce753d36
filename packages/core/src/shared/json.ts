/**
 * A JSON body exactly as it was received. `text` is what is passed on, so key order, big numbers and unknown fields
 * survive; `value` is the same parsed, for reading only. An empty `text` is an answer without content (204).
 */
export interface Json {
  readonly text: string;
  readonly value: unknown;
  /**
   * The strong entity tag of what was read (RFC 9110, section 8.8.3), where the service gave one. A write that carries it
   * as `ifMatch` fails `precondition-failed` when something else was written in the meantime.
   */
  readonly etag?: string;
}

export const noContent: Json = { text: '', value: undefined };

/** Our own value as a body. */
export const toJson = (value: unknown): Json => ({ text: JSON.stringify(value), value });

/** JSON as received, parsed anew at each read of `value`: parsed JSON may take twenty times the memory of its text. */
export const parsedOnRead = (text: string): Json => ({
  text,
  get value(): unknown {
    return JSON.parse(text);
  },
});

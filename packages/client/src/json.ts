import type { Json } from '@portico/core';

/** The media type of a response (RFC 9110, section 8.3), without its parameters, in lower case. */
export const mediaTypeOf = ({ headers }: Pick<Response, 'headers'>): string =>
  (headers.get('Content-Type') ?? '').split(';', 1)[0]!.trim().toLowerCase();

/** Rejects invalid UTF-8, and keeps a byte order mark, which the JSON parser then rejects. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns undefined when the bytes are not JSON in UTF-8. */
export const decodeJson = (bytes: ArrayBuffer): Json | undefined => {
  try {
    return parseJson(decoder.decode(bytes));
  } catch {
    return undefined;
  }
};

export const parseJson = (text: string): Json | undefined => {
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
};

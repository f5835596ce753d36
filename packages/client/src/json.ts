import type { Json } from '@portico/core';

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The media type of an answer (RFC 9110, section 8.3), without its parameters. */
export const mediaTypeOf = ({ headers }: Pick<Response, 'headers'>): string =>
  (headers.get('Content-Type') ?? '').split(';', 1)[0]!.trim().toLowerCase();

/** A mark at the beginning is no JSON, and what is no UTF-8 would not come out as it was received. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Nothing when it is not JSON in UTF-8. */
export const readJson = (bytes: ArrayBuffer): Json | undefined => {
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

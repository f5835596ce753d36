import type { Json } from '@portico/core';
import { fromThrowable } from 'neverthrow';

/** The media type of a response (RFC 9110, section 8.3), without its parameters, in lower case. */
export const mediaTypeOf = ({ headers }: Pick<Response, 'headers'>): string =>
  (headers.get('Content-Type') ?? '').split(';', 1)[0]!.trim().toLowerCase();

/** Rejects invalid UTF-8, and keeps a byte order mark, which the JSON parser then rejects. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decode = fromThrowable((bytes: ArrayBuffer): string => decoder.decode(bytes));

const parse = fromThrowable((text: string): Json => ({ text, value: JSON.parse(text) as unknown }));

/** Returns undefined when the bytes are not JSON in UTF-8. */
export const decodeJson = (bytes: ArrayBuffer): Json | undefined => decode(bytes).andThen(parse).unwrapOr(undefined);

export const parseJson = (text: string): Json | undefined => parse(text).unwrapOr(undefined);

import { isUtf8 } from 'node:buffer';
import { withBytes } from '@portico/core';
import { isJsonText } from '../json/json-syntax.ts';

/** A response whose body was read completely. */
export interface JsonResponse {
  readonly status: number;
  readonly text: string;
  /** Undefined when there is no body, or when the body is not JSON. */
  readonly value: unknown;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag?: string;
}

/**
 * Longer texts are sent as the bytes that arrived, and decoded only if they are read. Shorter ones take less time as a
 * string, which is written to the connection together with the header.
 */
const maxDecodedBytes = 32_768;

/** Checks that the bytes are JSON in UTF-8. Returns undefined when they are not. */
export const jsonResponse = (status: number, bytes: Uint8Array, etag?: string): JsonResponse | undefined => {
  if (!isJsonText(bytes)) return undefined;
  if (bytes.length > maxDecodedBytes)
    return isUtf8(bytes) ? withBytes(lazilyDecoded(status, bytes, etag), bytes) : undefined;
  const text = decode(bytes);
  return text === undefined ? undefined : lazilyParsed(status, text, etag);
};

const decoder = new TextDecoder('utf-8', { fatal: true });

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

/** Decodes on the first read of `text`, and parses on that of `value`. */
const lazilyDecoded = (status: number, bytes: Uint8Array, etag: string | undefined): JsonResponse => {
  let text: string | undefined;
  let value: unknown;
  const response = {
    status,
    get text() {
      text ??= decoder.decode(bytes);
      return text;
    },
    get value() {
      value ??= JSON.parse(response.text);
      return value;
    },
  };
  return withEtag(response, etag);
};

/** Parses on the first read of `value`, because relayed JSON is usually not read. */
const lazilyParsed = (status: number, text: string, etag: string | undefined): JsonResponse => {
  let value: unknown;
  const response = {
    status,
    text,
    get value() {
      value ??= JSON.parse(text);
      return value;
    },
  };
  return withEtag(response, etag);
};

const withEtag = (response: JsonResponse, etag: string | undefined): JsonResponse =>
  etag === undefined ? response : Object.assign(response, { etag });

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
  if (bytes.length > maxDecodedBytes) return isUtf8(bytes) ? lazilyDecoded(status, bytes, etag) : undefined;
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
const lazilyDecoded = (status: number, bytes: Uint8Array, etag: string | undefined): JsonResponse =>
  withBytes(withEtag(Object.defineProperties({ status, [received]: bytes }, decodedBytes), etag), bytes);

/** Parses on the first read of `value`, because relayed JSON is usually not read. */
const lazilyParsed = (status: number, text: string, etag: string | undefined): JsonResponse =>
  withEtag(Object.defineProperty({ status, text }, 'value', parsedText), etag);

/**
 * A property that is computed on its first read. Its getter is the same for all responses: V8 keeps what a getter in an object
 * literal refers to, until it collects all garbage.
 */
const lazy = (name: 'text' | 'value', compute: (response: JsonResponse) => unknown): PropertyDescriptor => ({
  get(this: JsonResponse): unknown {
    const value = compute(this);
    // Fails on a frozen object, which computes it again.
    Reflect.defineProperty(this, name, { value });
    return value;
  },
  enumerable: true,
  configurable: true,
});

const parsedText = lazy('value', ({ text }) => JSON.parse(text));

const received = Symbol('received');

const decodedBytes: PropertyDescriptorMap = {
  [received]: { enumerable: false },
  text: lazy('text', (response) => decoder.decode((response as unknown as { [received]: Uint8Array })[received])),
  value: parsedText,
};

const withEtag = (response: object, etag: string | undefined): JsonResponse =>
  (etag === undefined ? response : Object.assign(response, { etag })) as JsonResponse;

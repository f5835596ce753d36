import { isJsonText } from './json-syntax.ts';

/** A response whose body was read completely. */
export interface JsonResponse {
  readonly status: number;
  readonly text: string;
  /** Undefined when there is no body, or when the body is not JSON. */
  readonly value: unknown;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag?: string;
}

/** Checks that the bytes are JSON in UTF-8. Returns undefined when they are not. */
export const jsonResponse = (status: number, bytes: Uint8Array, etag?: string): JsonResponse | undefined => {
  const text = isJsonText(bytes) ? decode(bytes) : undefined;
  return text === undefined ? undefined : lazilyParsed(status, text, etag);
};

/** Keeps a byte order mark, which JSON must not have (RFC 8259, section 8.1), so that it is rejected. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
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
  return etag === undefined ? response : Object.assign(response, { etag });
};

import { isJsonText } from './json-syntax.ts';

/** A body that was read to its end. */
export interface JsonResponse {
  readonly status: number;
  readonly text: string;
  /** Undefined when there is no body, or when it is not JSON. */
  readonly value: unknown;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag?: string;
}

/** The response with its JSON checked; undefined when the bytes are not JSON in UTF-8. */
export const jsonResponse = (status: number, bytes: Uint8Array, etag?: string): JsonResponse | undefined => {
  const text = isJsonText(bytes) ? decode(bytes) : undefined;
  return text === undefined ? undefined : lazilyParsed(status, text, etag);
};

/** JSON is UTF-8 without a byte order mark (RFC 8259, section 8.1); with one, the parser refuses it. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

/** Parses only where the value is read: what is relayed need not be parsed. */
const lazilyParsed = (status: number, text: string, etag: string | undefined): JsonResponse => {
  let value: unknown;
  return {
    status,
    text,
    ...(etag !== undefined && { etag }),
    get value() {
      value ??= JSON.parse(text);
      return value;
    },
  };
};

import { scanByBytes } from './scalar-scanner.ts';
import { maxVectorBytes, type Scanner, vectorScanner } from './vector-scanner.ts';

let scanner: Scanner | undefined;

/**
 * Whether bytes are one JSON text (RFC 8259, section 2) that `JSON.parse` accepts. Does not check that the bytes are
 * UTF-8. See docs/decisions/0153.
 */
export const isJsonText: Scanner = (bytes) => {
  // Compiled at the first use, so that commands and servers do not start later.
  scanner ??= vectorScanner() ?? scanByBytes;
  return bytes.length <= maxVectorBytes ? scanner(bytes) : scanByBytes(bytes);
};

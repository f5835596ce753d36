import { maxVectorBytes, type Scanner, vectorScanner } from './vector-scanner.ts';

let scanner: Scanner | undefined;

const parses: Scanner = (bytes) => {
  try {
    JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    return true;
  } catch {
    return false;
  }
};

/**
 * Whether bytes are one JSON text (RFC 8259, section 2) that `JSON.parse` accepts. Does not check that the bytes are
 * UTF-8. Texts over `maxVectorBytes` are parsed, which takes longer. See docs/decisions/0153 and 0174.
 */
export const isJsonText: Scanner = (bytes) => {
  // Compiled at the first use, so that commands and servers do not start later.
  scanner ??= vectorScanner() ?? parses;
  return bytes.length <= maxVectorBytes ? scanner(bytes) : parses(bytes);
};

/** Fresh identifiers. */
export interface Ids {
  /** A random UUID (RFC 9562, version 4) that was never given before. */
  uuid(): string;
}

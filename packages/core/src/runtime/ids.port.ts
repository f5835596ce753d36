/** Generates identifiers. */
export interface Ids {
  /** Returns a new random UUID (RFC 9562, version 4). */
  uuid(): string;
}

import type { BodyStream, BodyWatch } from './body-stream.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What comes before the body. */
export interface Head {
  readonly status: number;
  /** A header by its name in lower case; repeated ones are joined as RFC 9110, section 5.3 has it. */
  header(name: string): string | undefined;
}

/** One attempt at a request: the head of its answer first, then its body, once, whole or in chunks. */
export interface Exchange {
  /** Rejects when the connection breaks before the head is complete, or the exchange is given up. */
  readonly head: Promise<Head>;
  /** Whether any byte of a response has come, an interim one (1xx) included. Always false where that cannot be known. */
  readonly hasBegun: boolean;
  /** The body to its end; nothing when it has more bytes than that. */
  bytes(limit: number): Promise<Buffer | undefined>;
  /** The body as it comes, and no faster than it is read. */
  stream(watch: BodyWatch): BodyStream;
  /** Gives the exchange and its connection up: what is waited for rejects. */
  abort(): void;
}

/** Sends a request, without redirects, decompression, or timeouts: those are the caller's business. */
export type Transport = (request: HttpRequest) => Exchange;

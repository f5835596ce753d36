import type { BodyStream, BodyWatch } from './body-stream.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The part of the deadline that is already over when the request is sent, in milliseconds. Default: none. */
  readonly waitedMs?: number;
}

/** The status and headers of a response. */
export interface Head {
  readonly status: number;
  /** A header value by its lower-case name. Repeated headers are joined (RFC 9110, section 5.3). */
  header(name: string): string | undefined;
  /** The names of the headers, in lower case. */
  names(): readonly string[];
}

/** One attempt at a request. The body of the response can be read once, whole or in chunks. */
export interface Exchange {
  /** Rejects when the connection fails before the head is complete, or the exchange is aborted. */
  readonly head: Promise<Head>;
  /** Whether any byte of a response has arrived, including interim responses (1xx). Always false with `fetch`. */
  readonly hasStarted: boolean;
  /** Reads the whole body. Returns undefined when it has more than `limit` bytes. */
  bytes(limit: number): Promise<Buffer | undefined>;
  /** Streams the body with back-pressure. */
  stream(watch: BodyWatch): BodyStream;
  /** Aborts the exchange and closes its connection. Pending promises reject. */
  abort(): void;
}

/** Sends a request, without redirects, decompression or timeouts. */
export type Transport = (request: HttpRequest) => Exchange;

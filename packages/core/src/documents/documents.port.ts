import type { ResultAsync } from 'neverthrow';
import type { Signal } from '../runtime/signal.ts';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import type { ListQuery } from '../shared/list-query.ts';
import type { Branded } from '../shared/locator.ts';
import type { Member } from '../shared/member.ts';

export type DocumentLocator = Branded<'document'>;

/** The conditional and range headers of a request, as received (RFC 9110, sections 13 and 14). */
export interface DocumentConditions {
  readonly range?: string;
  readonly ifRange?: string;
  readonly ifNoneMatch?: string;
  readonly ifModifiedSince?: string;
}

/** The response headers that describe a document, as sent by the document service. */
export interface DocumentHeaders {
  readonly contentLength?: string;
  readonly contentRange?: string;
  readonly acceptRanges?: string;
  readonly etag?: string;
  readonly lastModified?: string;
  /** The media type with its parameters `charset` and `boundary`. Without them, the media type is that of the operation. */
  readonly contentType?: string;
}

/** The `code` of the error that `content` throws when the service fails midway, which is not a bug. */
export const interruptedCode = 'ERR_DOWNSTREAM_BROKE_OFF';

/** The method of `ReleasableContent`. A symbol, so that no method of another stream is mistaken for it. */
export const releaseChunk = Symbol('releaseChunk');

/**
 * Content whose chunks can be released: their memory is freed at once, instead of by the garbage collector, which lets 64 MB
 * accumulate. A released chunk is empty.
 */
export interface ReleasableContent {
  /** Frees the memory of a chunk of this content that nothing reads any more. May do nothing. */
  [releaseChunk](chunk: Uint8Array): void;
}

/**
 * A document, or why there is no content. To stop reading `content` early, call its iterator's `return`. `created`,
 * `accepted` and `no-content` are outcomes of a write, which only a service of your own can have.
 */
export type DocumentResponse =
  | {
      readonly outcome: 'whole' | 'part' | 'created' | 'accepted';
      readonly headers: DocumentHeaders;
      readonly content: AsyncIterable<Uint8Array>;
    }
  | {
      readonly outcome: 'not-modified' | 'range-not-satisfiable' | 'no-content';
      readonly headers: DocumentHeaders;
    };

/** The document service, as seen by one member. */
export interface Documents {
  list(member: Member, query: ListQuery): ResultAsync<Json, Failure>;
  /**
   * Returns one document as a stream of `application/pdf`, with back-pressure.
   * `signal` cancels the request at any time, before the response and while it is read.
   */
  get(
    member: Member,
    locator: DocumentLocator,
    conditions: DocumentConditions,
    signal?: Signal,
  ): ResultAsync<DocumentResponse, Failure>;
}

import type { ResultAsync } from 'neverthrow';
import type { Signal } from '../runtime/signal.ts';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json.ts';
import type { ListQuery } from '../shared/list-query.ts';
import type { Branded } from '../shared/locator.ts';
import type { Member } from '../shared/member.ts';

export type DocumentLocator = Branded<'document'>;

/** The request headers that decide how much of a document comes back (RFC 9110, sections 13 and 14), as received. */
export interface DocumentConditions {
  readonly range?: string;
  readonly ifRange?: string;
  readonly ifNoneMatch?: string;
  readonly ifModifiedSince?: string;
}

/** The response headers that describe a document, as the document service gave them. */
export interface DocumentHeaders {
  readonly contentLength?: string;
  readonly contentRange?: string;
  readonly acceptRanges?: string;
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A PDF, or why there is none to send. A `content` that is not read to its end must be ended with its iterator's `return`. */
export type DocumentResponse =
  | {
      readonly outcome: 'whole' | 'part';
      readonly headers: DocumentHeaders;
      readonly content: AsyncIterable<Uint8Array>;
    }
  | { readonly outcome: 'not-modified' | 'range-not-satisfiable'; readonly headers: DocumentHeaders };

/** The document service, seen by one member at a time. */
export interface Documents {
  list(member: Member, query: ListQuery): ResultAsync<Json, Failure>;
  /**
   * One document as a stream of `application/pdf`, read no faster than it is consumed.
   * `signal` ends the request at any time, before the answer and during it.
   */
  get(
    member: Member,
    locator: DocumentLocator,
    conditions: DocumentConditions,
    signal?: Signal,
  ): ResultAsync<DocumentResponse, Failure>;
}

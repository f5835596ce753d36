import type { DocumentAnswer, DocumentConditions, DocumentHeaders } from '@portico/core';
import { okAsync, type ResultAsync } from 'neverthrow';
import type { MemberCalls } from './calls.ts';
import type { ClientFailure } from './failure.ts';
import { mediaTypeOf } from './json.ts';
import { withLocator } from './paths.ts';
import { type OpenAnswer, strange, type Transport } from './transport.ts';

/** What reading a document throws when the rest of it does not come; `failure` says why. */
export class DocumentBrokeOff extends Error {
  override readonly name = 'DocumentBrokeOff';
  readonly failure: ClientFailure;

  constructor(failure: ClientFailure) {
    super(`The document broke off: ${failure.kind}.`);
    this.failure = failure;
  }
}

export const getDocument =
  ({ open }: Transport): MemberCalls['getDocument'] =>
  (locator, conditions = {}, signal) =>
    withLocator('/me/documents', locator)
      .asyncAndThen((path) =>
        open({
          path,
          accept: 'application/pdf',
          headers: requestHeaders(conditions),
          answers: answersTo(conditions),
          signal,
        }),
      )
      .andThen(answerIn);

const requestHeaders = ({ range, ifRange, ifNoneMatch, ifModifiedSince }: DocumentConditions) => ({
  Range: range,
  'If-Range': ifRange,
  'If-None-Match': ifNoneMatch,
  'If-Modified-Since': ifModifiedSince,
});

/** A part, "no such range" and "not modified" are answers only where that was the question (RFC 9110, section 15). */
const answersTo =
  ({ range, ifNoneMatch, ifModifiedSince }: DocumentConditions) =>
  (status: number) => {
    if (status === 206 || status === 416) return range !== undefined;
    if (status === 304) return (ifNoneMatch ?? ifModifiedSince) !== undefined;
    return status === 200;
  };

const answerIn = ({ response, lifetime }: OpenAnswer): ResultAsync<DocumentAnswer, ClientFailure> => {
  const { status } = response;
  const headers = headersIn(response);
  if (status === 304 || status === 416) {
    response.body?.cancel().catch(() => {});
    lifetime.done();
    // The length of nothing is not the document's.
    const { contentLength: _, ...ofDocument } = headers;
    return okAsync({ outcome: status === 304 ? 'not-modified' : 'range-not-satisfiable', headers: ofDocument });
  }
  if (mediaTypeOf(response) !== 'application/pdf') {
    lifetime.done();
    return strange(response);
  }
  return okAsync({
    outcome: status === 206 ? 'part' : 'whole',
    headers,
    content: contentOf({ response, lifetime }),
  });
};

const headerNames = {
  contentLength: 'Content-Length',
  contentRange: 'Content-Range',
  acceptRanges: 'Accept-Ranges',
  etag: 'ETag',
  lastModified: 'Last-Modified',
} as const satisfies Record<keyof DocumentHeaders, string>;

const headersIn = ({ headers }: Response): DocumentHeaders =>
  Object.fromEntries(
    Object.entries(headerNames)
      .map(([name, header]) => [name, headers.get(header)] as const)
      .filter(([, value]) => value !== null),
  );

/**
 * Read no faster than it is consumed; timed is only the waiting for bytes, not what the reader does with them. Its
 * `return` ends the request also before the first `next`, which a generator's would not.
 */
const contentOf = ({ response, lifetime }: OpenAnswer): AsyncIterable<Uint8Array> => {
  lifetime.stopDeadline();
  const reader = response.body?.getReader();
  const over = { done: true, value: undefined } as const;
  let isOver = reader === undefined;
  const end = () => {
    isOver = true;
    lifetime.done();
  };
  const read = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    if (isOver || !reader) return over;
    lifetime.startDeadline();
    const chunk = await lifetime.await(
      () => reader.read(),
      () => ({ kind: 'broken-off' }),
    );
    lifetime.stopDeadline();
    if (chunk.isErr()) {
      end();
      throw new DocumentBrokeOff(chunk.error);
    }
    if (!chunk.value.done) return chunk.value;
    end();
    return over;
  };
  let last: Promise<unknown> = Promise.resolve();
  const content: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => content,
    // One after the other, as with a generator: the deadline is that of one.
    next: () => {
      const next = last.then(read);
      last = next.catch(() => {});
      return next;
    },
    return: async () => {
      end();
      await reader?.cancel().catch(() => {});
      return over;
    },
  };
  return content;
};

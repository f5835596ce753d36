import {
  type DocumentResponse,
  documentConditionFields,
  type DocumentConditions,
  documentOutcome,
  readDocumentHeaders,
} from '@portico/core';
import { okAsync, ResultAsync } from 'neverthrow';
import type { DownloadCalls, MemberCalls } from './calls.ts';
import type { ClientFailure } from './failure.ts';
import { mediaTypeOf } from './json.ts';
import { withLocator } from './paths.ts';
import { type OpenAnswer, strange, type Transport } from './transport.ts';

/** What reading a document throws when the rest of it does not come; `failure` says why. */
export class DocumentInterruptedError extends Error {
  override readonly name = 'DocumentInterruptedError';
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
          headers: documentConditionFields(conditions),
          answers: (status) => documentOutcome(status, conditions) !== undefined,
          signal,
        }),
      )
      .andThen((answer) => answerIn(answer, conditions));

export const downloadCalls = ({ getDocument }: Pick<MemberCalls, 'getDocument'>): DownloadCalls => ({
  getDocumentBlob: (locator, signal) =>
    getDocument(locator, {}, signal).andThen((document) =>
      ResultAsync.fromPromise(blobOf(document), (cause): ClientFailure =>
        cause instanceof DocumentInterruptedError ? cause.failure : { kind: 'unexpected', cause },
      ),
    ),
});

const blobOf = async (document: DocumentResponse): Promise<Blob> => {
  const chunks: BlobPart[] = [];
  if ('content' in document) for await (const chunk of document.content) chunks.push(chunk as Uint8Array<ArrayBuffer>);
  return new Blob(chunks, { type: 'application/pdf' });
};

const answerIn = (
  { response, lifetime }: OpenAnswer,
  conditions: DocumentConditions,
): ResultAsync<DocumentResponse, ClientFailure> => {
  const outcome = documentOutcome(response.status, conditions) ?? 'whole';
  const headers = readDocumentHeaders((name) => response.headers.get(name));
  if (outcome === 'not-modified' || outcome === 'range-not-satisfiable') {
    response.body?.cancel().catch(() => {});
    lifetime.done();
    // The length of nothing is not the document's.
    const { contentLength: _, ...ofDocument } = headers;
    return okAsync({ outcome, headers: ofDocument });
  }
  if (mediaTypeOf(response) !== 'application/pdf') {
    lifetime.done();
    return strange(response);
  }
  return okAsync({ outcome, headers, content: contentOf({ response, lifetime }) });
};

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
      () => ({ kind: 'interrupted' }),
    );
    lifetime.stopDeadline();
    if (chunk.isErr()) {
      end();
      throw new DocumentInterruptedError(chunk.error);
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

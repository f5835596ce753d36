import {
  type DocumentResponse,
  documentConditionFields,
  type DocumentConditions,
  documentOutcome,
  hasDocumentContent,
  readDocumentHeaders,
} from '@portico/core';
import { okAsync, ResultAsync } from 'neverthrow';
import type { DownloadCalls, MemberCalls } from './calls.ts';
import type { ClientFailure } from './failures/failure.ts';
import { mediaTypeOf } from './json.ts';
import { withLocator } from './paths.ts';
import { type OpenResponse, type RequestOptions, type Transport, unexpectedResponse } from './transport.ts';

/** Thrown while a document is read, when the download fails. `failure` is the reason. */
export class DocumentInterruptedError extends Error {
  override readonly name = 'DocumentInterruptedError';
  readonly failure: ClientFailure;

  constructor(failure: ClientFailure) {
    super(`The document download failed: ${failure.kind}.`);
    this.failure = failure;
  }
}

export const getDocument =
  (transport: Transport): MemberCalls['getDocument'] =>
  (locator, conditions = {}, signal) =>
    withLocator('/me/documents', locator).asyncAndThen((path) =>
      openDocument(transport, { path, signal }, 'application/pdf', conditions),
    );

/**
 * Requests a document of one media type. Its content is read as it is consumed. With `keepsStatus`, 201, 202 and 204 are
 * outcomes, too.
 */
export const openDocument = (
  { open }: Pick<Transport, 'open'>,
  request: RequestOptions,
  type: string,
  conditions: DocumentConditions,
  keepsStatus?: boolean,
): ResultAsync<DocumentResponse, ClientFailure> => {
  const outcomeOf = (status: number) => documentOutcome(status, conditions, keepsStatus);
  return open({
    ...request,
    accept: type,
    headers: { ...request.headers, ...documentConditionFields(conditions) },
    isSuccess: (status) => outcomeOf(status) !== undefined,
  }).andThen((opened) => {
    const outcome = outcomeOf(opened.response.status) ?? 'whole';
    if (!hasDocumentContent(outcome) || mediaTypeOf(opened.response) === type)
      return okAsync(documentIn(opened, outcome));
    opened.scope.done();
    return unexpectedResponse(opened.response);
  });
};

export const downloadCalls = ({ getDocument }: Pick<MemberCalls, 'getDocument'>, maxBytes: number): DownloadCalls => ({
  getDocumentBlob: (locator, signal) =>
    getDocument(locator, {}, signal).andThen((document) =>
      ResultAsync.fromPromise(blobOf(document, maxBytes), (cause): ClientFailure =>
        cause instanceof DocumentInterruptedError ? cause.failure : { kind: 'unexpected', cause },
      ),
    ),
});

const blobOf = async (document: DocumentResponse, limitBytes: number): Promise<Blob> => {
  const chunks: BlobPart[] = [];
  let received = 0;
  for await (const chunk of 'content' in document ? document.content : []) {
    received += chunk.length;
    if (received > limitBytes) throw new DocumentInterruptedError({ kind: 'response-too-large', limitBytes });
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
  }
  return new Blob(chunks, { type: 'application/pdf' });
};

type Outcome = DocumentResponse['outcome'];

/** The document in a response. */
export const documentIn = ({ response, scope }: OpenResponse, outcome: Outcome): DocumentResponse => {
  const headers = readDocumentHeaders((name) => response.headers.get(name));
  if (hasDocumentContent(outcome)) return { outcome, headers, content: contentOf({ response, scope }) };
  response.body?.cancel().catch(() => {});
  scope.done();
  // Here `Content-Length` describes the empty body, not the document.
  const { contentLength: _, ...documentHeaders } = headers;
  return { outcome, headers: documentHeaders };
};

/**
 * The body, read only as fast as it is consumed. The deadline covers only the wait for bytes, not the time between reads.
 * `return` ends the request even before the first `next`, which a generator's would not.
 */
const contentOf = ({ response, scope }: OpenResponse): AsyncIterable<Uint8Array> => {
  scope.stopDeadline();
  const reader = response.body?.getReader();
  const end = { done: true, value: undefined } as const;
  let hasEnded = reader === undefined;
  const close = () => {
    hasEnded = true;
    scope.done();
  };
  const read = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    if (hasEnded || !reader) return end;
    scope.startDeadline();
    const chunk = await scope.await(
      () => reader.read(),
      () => ({ kind: 'interrupted' }),
    );
    scope.stopDeadline();
    if (chunk.isErr()) {
      close();
      throw new DocumentInterruptedError(chunk.error);
    }
    if (!chunk.value.done) return chunk.value;
    close();
    return end;
  };
  let last: Promise<unknown> = Promise.resolve();
  const content: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => content,
    // Reads run one at a time, as with a generator, because they share one deadline.
    next: () => {
      const next = last.then(read);
      last = next.catch(() => {});
      return next;
    },
    return: async () => {
      close();
      await reader?.cancel().catch(() => {});
      return end;
    },
  };
  return content;
};

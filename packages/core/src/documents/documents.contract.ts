import { failingSourcePromises, type FailingSource } from '../contract/failing-source.ts';
import { canary } from '../contract/supervision.ts';
import { check, equal, failsAs, isListed, succeeds } from '../contract/assertions.ts';
import { countingSignal } from '../contract/counting-signal.ts';
import { contractSuite } from '../contract/contract-suite.ts';
import { CoreSignal } from '../runtime/signal.ts';
import { strongEtag } from '../shared/entity-tag.ts';
import type { ListQuery } from '../shared/list-query.ts';
import type { Member } from '../shared/member.ts';
import type { DocumentResponse, DocumentLocator, Documents } from './documents.port.ts';

export interface DocumentsSubject extends FailingSource {
  readonly documents: Documents;
  readonly member: Member;
  /** A document of `member`, of at least 20 bytes. */
  readonly document: DocumentLocator;
  /** Another member, to whom `document` does not belong. */
  readonly other: Member;
  /** A member who does not exist in the document service. */
  readonly unknown: Member;
  /** A query of the list that the document service supports, and that `document` does not match. */
  readonly unmatched: ListQuery;
  /** More queries that the service supports, such as of several parameters, and whether `document` matches them. */
  readonly queries?: readonly { readonly query: ListQuery; readonly isMatched: boolean }[];
}

export const documentsContract = contractSuite<DocumentsSubject>(
  'documents',
  {
    "lists the member's own documents and no other member's": async ({ documents, member, document, other }) => {
      check(
        (await succeeds(documents.list(member, []))).text.includes(document),
        "the member's document is in the list",
      );
      check(!(await isListed(documents.list(other, []), document)), "it is not in another member's list");
    },
    'applies the query of a list': async ({ documents, member, document, unmatched, queries = [] }) => {
      check(
        !(await succeeds(documents.list(member, unmatched))).text.includes(document),
        'an excluded document is not in the list',
      );
      for (const { query, isMatched } of queries) {
        const { text } = await succeeds(documents.list(member, query));
        check(text.includes(document) === isMatched, 'exactly the documents that match each query are in the list');
      }
    },
    'returns a document as a PDF with the announced length': async ({ documents, member, document }) => {
      const response = await succeeds(documents.get(member, document, {}));
      const bytes = await contentOf(response);
      equal(response.outcome, 'whole', 'the outcome');
      equal(String.fromCharCode(...bytes.slice(0, 5)), '%PDF-', 'the first five bytes');
      const { contentLength = String(bytes.length) } = response.headers;
      equal(contentLength, String(bytes.length), 'the announced length');
    },
    'returns the same bytes whenever a document is read': async ({ documents, member, document }) => {
      const read = async () => {
        const response = await succeeds(documents.get(member, document, {}));
        return { etag: response.headers.etag, bytes: await contentOf(response) };
      };
      const first = await read();
      for (const { etag, bytes } of await Promise.all([read(), read()]))
        // Only a strong entity tag promises the same bytes (RFC 9110, section 8.8.1).
        if (etag !== undefined && etag === first.etag && !etag.startsWith('W/'))
          check(isSameBytes(bytes, first.bytes), 'a document with the same entity tag has the same bytes');
    },
    'ends a document that is read only in part': async ({ documents, member, document }) => {
      const response = await succeeds(documents.get(member, document, {}));
      if (!('content' in response)) return;
      const reader = response.content[Symbol.asyncIterator]();
      await reader.next();
      await reader.return?.();
      await contentOf(await succeeds(documents.get(member, document, {})));
    },
    'fails a request whose signal is already aborted': async ({ documents, member, document }) => {
      const cancelled = new CoreSignal();
      cancelled.abort();
      check((await documents.get(member, document, {}, cancelled)).isErr(), 'the request did not succeed');
    },
    'keeps no listener on the signal of a document that was read': async ({ documents, member, document }) => {
      const { signal, listeners } = countingSignal();
      await contentOf(await succeeds(documents.get(member, document, {}, signal)));
      await failsAs('not-found', documents.get(member, `DOC-${canary}` as DocumentLocator, {}, signal));
      equal(listeners.size, 0, 'the number of listeners');
    },
    'returns the requested range of a document': async ({ documents, member, document }) => {
      const whole = await contentOf(await succeeds(documents.get(member, document, {})));
      const response = await succeeds(documents.get(member, document, { range: 'bytes=5-14' }));
      equal(response.outcome, 'part', 'the outcome');
      equal(response.headers.contentRange, `bytes 5-14/${whole.length}`, 'the announced range');
      check(isSameBytes(await contentOf(response), whole.slice(5, 15)), 'the range has the bytes of the document');
    },
    'returns the rest of a document from a byte on': async ({ documents, member, document }) => {
      const whole = await contentOf(await succeeds(documents.get(member, document, {})));
      const response = await succeeds(documents.get(member, document, { range: 'bytes=5-' }));
      equal(response.outcome, 'part', 'the outcome');
      equal(response.headers.contentRange, `bytes 5-${whole.length - 1}/${whole.length}`, 'the announced range');
      check(isSameBytes(await contentOf(response), whole.slice(5)), 'the range has the bytes of the document');
    },
    'returns the last bytes of a document, or all of it': async ({ documents, member, document }) => {
      const whole = await contentOf(await succeeds(documents.get(member, document, {})));
      const response = await succeeds(documents.get(member, document, { range: 'bytes=-5' }));
      const bytes = await contentOf(response);
      // A service may ignore a range (RFC 9110, section 14.2).
      if (response.outcome === 'whole')
        return check(isSameBytes(bytes, whole), 'the whole document has the same bytes');
      equal(response.outcome, 'part', 'the outcome');
      const { length } = whole;
      equal(response.headers.contentRange, `bytes ${length - 5}-${length - 1}/${length}`, 'the announced range');
      check(isSameBytes(bytes, whole.slice(-5)), 'the range has the bytes of the document');
    },
    'returns a range only of the version with the given entity tag': async ({ documents, member, document }) => {
      const first = await succeeds(documents.get(member, document, {}));
      await contentOf(first);
      const etag = strongEtag(first.headers.etag);
      if (etag === undefined) return;
      for (const [ifRange, outcome] of [
        ['"contract-1"', 'whole'],
        [etag, 'part'],
      ] as const) {
        const response = await succeeds(documents.get(member, document, { range: 'bytes=5-14', ifRange }));
        await contentOf(response);
        equal(response.outcome, outcome, `the outcome, given If-Range: ${ifRange}`);
      }
    },
    'reports a range beyond the end of the document': async ({ documents, member, document }) => {
      const response = await succeeds(documents.get(member, document, { range: 'bytes=999999999-' }));
      equal(response.outcome, 'range-not-satisfiable', 'the outcome');
    },
    'returns not-modified for a matching entity tag': async ({ documents, member, document }) => {
      const first = await succeeds(documents.get(member, document, {}));
      await contentOf(first);
      const { etag } = first.headers;
      if (etag === undefined) return;
      const again = await succeeds(documents.get(member, document, { ifNoneMatch: etag }));
      equal(again.outcome, 'not-modified', `the outcome, given If-None-Match: ${etag}`);
    },
    'returns not-modified when the document was not modified since the given date': async ({
      documents,
      member,
      document,
    }) => {
      const first = await succeeds(documents.get(member, document, {}));
      await contentOf(first);
      const { lastModified } = first.headers;
      if (lastModified === undefined) return;
      const again = await succeeds(documents.get(member, document, { ifModifiedSince: lastModified }));
      equal(again.outcome, 'not-modified', `the outcome, given If-Modified-Since: ${lastModified}`);
    },
    'hides a document that belongs to another member': async ({ documents, member, other, document }) => {
      await failsAs('not-found', documents.get(other, document, {}));
      // A cache may keep a document from its second read on.
      const [whole, part] = [{}, { range: 'bytes=5-14' }];
      for (const conditions of [whole, whole, whole, part, part, part])
        await contentOf(await succeeds(documents.get(member, document, conditions)));
      for (const conditions of [whole, part]) await failsAs('not-found', documents.get(other, document, conditions));
    },
    'hides a document from another member who reads at the same time': async (subject) => {
      const { documents, member, other, document } = subject;
      const [own, , last] = await Promise.all([
        succeeds(documents.get(member, document, {})),
        failsAs('not-found', documents.get(other, document, {})),
        succeeds(documents.get(member, document, {})),
      ]);
      for (const response of [own, last]) await contentOf(response);
    },
    'hides a document from another member who knows its entity tag': async ({ documents, member, other, document }) => {
      const first = await succeeds(documents.get(member, document, {}));
      await contentOf(first);
      const { etag = '*' } = first.headers;
      await failsAs('not-found', documents.get(other, document, { ifNoneMatch: etag }));
      await failsAs('not-found', documents.get(other, document, { range: 'bytes=999999999-' }));
    },
    'hides a document from another member who knows when it was modified': async (subject) => {
      const { documents, member, other, document } = subject;
      const first = await succeeds(documents.get(member, document, {}));
      await contentOf(first);
      const { lastModified = 'Thu, 01 Jan 2026 00:00:00 GMT' } = first.headers;
      await failsAs('not-found', documents.get(other, document, { ifModifiedSince: lastModified }));
    },
    'has nothing for an unknown member, and does not report that as a failure of the source': async (subject) => {
      const { documents, document, unknown } = subject;
      await failsAs('not-found', documents.get(unknown, document, {}));
      const listed = await documents.list(unknown, []);
      if (listed.isErr()) await failsAs('not-found', documents.list(unknown, []));
      else check(!listed.value.text.includes(document), "another member's document is not in the list");
    },
    'fails not-found for a document that does not exist': async ({ documents, member }) => {
      await failsAs('not-found', documents.get(member, `DOC-${canary}` as DocumentLocator, {}));
    },
    ...failingSourcePromises<DocumentsSubject>('documents', ({ documents, member, document }) => [
      () => documents.get(member, document, {}),
      () => documents.list(member, []),
    ]),
  },
  { reads: ['list'], secrets: ({ document }) => [document] },
);

/** The maximum length of content that announces none, and the maximum number of empty chunks. */
const [mostBytes, mostEmptyChunks] = [16_777_216, 1000] as const;

export const isSameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

/** The bytes of a document; none if it has no content. Copies chunks at the end, because a reader may keep them. */
export const contentOf = async (response: DocumentResponse): Promise<Uint8Array> => {
  if (!('content' in response)) return new Uint8Array();
  const { contentLength = mostBytes } = response.headers;
  const chunks: Uint8Array[] = [];
  let [length, emptyChunks] = [0, 0];
  for await (const chunk of response.content) {
    chunks.push(chunk);
    length += chunk.length;
    if (chunk.length === 0) emptyChunks++;
    check(
      length <= Number(contentLength) && emptyChunks <= mostEmptyChunks,
      'the content ends at its announced length',
    );
  }
  const content = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    content.set(chunk, at);
    at += chunk.length;
  }
  return content;
};

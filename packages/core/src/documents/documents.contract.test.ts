import { err, errAsync, ok, okAsync, type Result } from 'neverthrow';
import { generalPromises } from '../contract/supervision.ts';
import { changing, failed, testSuite } from '../contract/suite-test.test.support.ts';
import { showsInput, unsafeInEveryService } from '../contract/unsafe-adapters.test.support.ts';
import {
  applyingFirstParameter,
  asFirstMember,
  emptyForQueries,
  failuresAsMissing,
  ignoringQuery,
  member,
  missingAsStatus,
  mixingMembers,
  other,
  unknown,
} from '../contract/unsafe-operations.test.support.ts';
import { type Failure, notFound } from '../shared/failure.ts';
import { toJson } from '../shared/json/json.ts';
import { contentOf, type DocumentsSubject, documentsContract } from './documents.contract.ts';
import { fakeDocuments, somePdf } from './documents.fake.ts';
import type { DocumentConditions, DocumentLocator, DocumentResponse } from './documents.port.ts';

const lastModified = 'Thu, 01 Jan 2026 00:00:00 GMT';

const subject = (): DocumentsSubject => {
  const documents = fakeDocuments({
    'PTY-1': [{ locator: 'DOC-1', type: 'eob', pdf: somePdf, lastModified }],
    'PTY-2': [],
  });
  return {
    documents,
    member,
    document: 'DOC-1' as DocumentLocator,
    other,
    unknown,
    unmatched: [['type', 'policy']],
    queries: [
      { query: [['type', 'eob']], isMatched: true },
      {
        query: [
          ['type', 'eob'],
          ['status', 'new'],
        ],
        isMatched: false,
      },
    ],
    fail: (fault) => documents.failWith(failed('documents', fault)),
  };
};

const withDocuments = changing<'documents', DocumentsSubject>('documents');

/** A stream that neither sends bytes nor ends. */
const endless: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
};

/** Changes the responses of `get`. */
const responding = (change: (response: DocumentResponse) => DocumentResponse) =>
  withDocuments((documents) => ({ get: (...args) => documents.get(...args).map(change) }));

/** A document that has no end, in chunks of this many bytes. */
const infinite = (size: number): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: somePdf.subarray(0, size) }) }),
});

/** Sends chunks of five bytes, all in the same buffer. */
async function* inOneBuffer(content: Uint8Array) {
  const buffer = new Uint8Array(5);
  for (let start = 0; start < content.length; start += 5) {
    const chunk = content.subarray(start, start + 5);
    buffer.set(chunk);
    yield buffer.subarray(0, chunk.length);
  }
}

async function* inSmallChunks(content: AsyncIterable<Uint8Array>) {
  for await (const chunk of content)
    for (let start = 0; start < chunk.length; start += 3) {
      yield new Uint8Array();
      yield chunk.subarray(start, start + 3);
    }
}

/** Sends other bytes from the second read on. */
const otherBytesLater = (good: DocumentsSubject): DocumentsSubject => {
  let reads = 0;
  return responding((response) =>
    response.outcome === 'whole' && ++reads > 1
      ? { ...response, content: bytes(somePdf.map((byte, nth) => (nth < 5 ? byte : 0))) }
      : response,
  )(good);
};

const unclosable: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => {
    const reader = bytes(somePdf);
    return { next: () => reader.next(), return: () => new Promise(() => {}) };
  },
};

async function* bytes(content: Uint8Array) {
  yield content;
}

/** Keeps content under this name for every member from this read on, unless it has no name. */
const keepingContent = (fromRead: number, nameOf: (conditions: DocumentConditions) => string | undefined) =>
  withDocuments(({ get }) => {
    const reads = new Map<string, number>();
    const kept = new Map<string, readonly [response: DocumentResponse, content: Uint8Array]>();
    return {
      get: (of, locator, conditions) => {
        const key = `${locator} ${nameOf(conditions)}`;
        const [known, content = new Uint8Array()] = kept.get(key) ?? [];
        if (known) return okAsync({ ...known, content: bytes(content) } as DocumentResponse);
        return get(of, locator, conditions).map(async (response) => {
          if (!('content' in response) || nameOf(conditions) === undefined) return response;
          const read = await contentOf(response);
          reads.set(key, (reads.get(key) ?? 0) + 1);
          if (reads.get(key)! >= fromRead) kept.set(key, [response, read]);
          return { ...response, content: bytes(read) };
        });
      },
    };
  });

const failedAs = (failure: Failure): Result<never, Failure> => err(failure);

testSuite<DocumentsSubject>(
  'documents',
  documentsContract,
  subject,
  [
    ...unsafeInEveryService<'documents', DocumentsSubject>('documents'),
    showsInput<'documents', DocumentsSubject>('documents'),
    [
      "lists one member's documents to every member",
      withDocuments(({ list }) => ({ list: asFirstMember(list) })),
      generalPromises.members,
    ],
    [
      "returns another member's document",
      withDocuments(({ get }) => ({ get: asFirstMember(get) })),
      'hides a document that belongs to another member',
    ],
    [
      'keeps whole documents for every member, from the second read on',
      keepingContent(2, ({ range, ifModifiedSince, ifNoneMatch }) =>
        (range ?? ifModifiedSince ?? ifNoneMatch) === undefined ? 'whole' : undefined,
      ),
      'hides a document that belongs to another member',
    ],
    [
      'keeps ranges of documents for every member',
      keepingContent(1, ({ range }) => range),
      'hides a document that belongs to another member',
    ],
    [
      "confirms the date of another member's document",
      withDocuments(({ get }) => ({
        get: (of, locator, conditions) =>
          get(conditions.ifModifiedSince === undefined ? of : member, locator, conditions),
      })),
      'hides a document from another member who knows when it was modified',
    ],
    [
      "confirms the entity tag of another member's document",
      withDocuments((documents) => ({
        get: (of, locator, conditions) =>
          documents.get(conditions.ifNoneMatch === undefined ? of : member, locator, conditions),
      })),
      'hides a document from another member who knows its entity tag',
    ],
    [
      'ignores the query of a list',
      withDocuments(({ list }) => ({ list: ignoringQuery(list) })),
      'applies the query of a list',
    ],
    [
      'never ends the content of a document',
      responding((response) => ('content' in response ? { ...response, content: endless } : response)),
      generalPromises.settles,
    ],
    [
      'fails for every query of a list',
      withDocuments((documents) => ({
        list: (of, query) => (query.length > 0 ? errAsync(notFound('documents')) : documents.list(of, query)),
      })),
      'applies the query of a list',
    ],
    [
      'returns a page of HTML as a document',
      responding((response) => {
        if (response.outcome !== 'whole') return response;
        const page = Uint8Array.from('<html>a page of some length</html>', (character) => character.charCodeAt(0));
        return {
          ...response,
          headers: { ...response.headers, contentLength: String(page.length) },
          content: bytes(page),
        };
      }),
      'returns a document as a PDF with the announced length',
    ],
    [
      'announces a length that is not that of the document',
      responding((response) => ({ ...response, headers: { ...response.headers, contentLength: '7' } })),
      'returns a document as a PDF with the announced length',
    ],
    [
      'ignores ranges',
      withDocuments((documents) => ({
        get: (of, locator, { range: _, ...conditions }) => documents.get(of, locator, conditions),
      })),
      'returns the requested range of a document',
    ],
    [
      'ignores ranges without an end',
      withDocuments(({ get }) => ({
        get: (of, locator, { range, ...conditions }) =>
          get(of, locator, range === undefined || range.endsWith('-') ? conditions : { ...conditions, range }),
      })),
      'returns the rest of a document from a byte on',
    ],
    [
      'returns other bytes than the range',
      responding((response) =>
        response.outcome === 'part' ? { ...response, content: bytes(somePdf.subarray(0, 10)) } : response,
      ),
      'returns the requested range of a document',
    ],
    [
      'returns the first bytes for a range without an end',
      withDocuments(({ get }) => ({
        get: (of, locator, conditions) =>
          get(of, locator, conditions).map((response) =>
            conditions.range === 'bytes=5-' ? { ...response, content: bytes(somePdf.subarray(0, -5)) } : response,
          ),
      })),
      'returns the rest of a document from a byte on',
    ],
    [
      'returns the first bytes instead of the last ones',
      withDocuments(({ get }) => ({
        get: (of, locator, conditions) =>
          get(of, locator, conditions.range === 'bytes=-5' ? { ...conditions, range: 'bytes=0-4' } : conditions),
      })),
      'returns the last bytes of a document, or all of it',
    ],
    [
      'ignores If-Range',
      withDocuments(({ get }) => ({
        get: (of, locator, { ifRange: _, ...conditions }) => get(of, locator, conditions),
      })),
      'returns a range only of the version with the given entity tag',
    ],
    [
      'returns the whole document whenever If-Range is given',
      withDocuments(({ get }) => ({
        get: (of, locator, { range, ...conditions }) =>
          get(of, locator, {
            ...conditions,
            ...(range !== undefined && conditions.ifRange === undefined && { range }),
          }),
      })),
      'returns a range only of the version with the given entity tag',
    ],
    [
      'returns the whole document for a range beyond its end',
      withDocuments((documents) => ({
        get: (of, locator, { range = '', ...conditions }) =>
          documents.get(of, locator, range.startsWith('bytes=9') ? conditions : { ...conditions, range }),
      })),
      'reports a range beyond the end of the document',
    ],
    [
      'ignores If-None-Match',
      withDocuments((documents) => ({
        get: (of, locator, { ifNoneMatch: _, ...conditions }) => documents.get(of, locator, conditions),
      })),
      'returns not-modified for a matching entity tag',
    ],
    [
      'ignores If-Modified-Since',
      withDocuments((documents) => ({
        get: (of, locator, { ifModifiedSince: _, ...conditions }) => documents.get(of, locator, conditions),
      })),
      'returns not-modified when the document was not modified since the given date',
    ],
    [
      'returns an empty document instead of not-found',
      withDocuments((documents) => ({
        get: (of, locator, conditions) =>
          documents
            .get(of, locator, conditions)
            .orElse((failure) =>
              failure.kind === 'not-found'
                ? ok<DocumentResponse>({ outcome: 'whole', headers: {}, content: bytes(new Uint8Array()) })
                : failedAs(failure),
            ),
      })),
      'fails not-found for a document that does not exist',
    ],
    [
      'fails with status 502 for a member it does not know',
      withDocuments(({ list }) => ({ list: missingAsStatus('documents', list) })),
      'has nothing for an unknown member, and does not report that as a failure of the source',
    ],
    [
      'reports a source that is down as an empty list',
      withDocuments((documents) => ({
        list: (of, query) => documents.list(of, query).orElse(() => okAsync(toJson({ documents: [] }))),
      })),
      'fails as unreachable when its source refuses connections',
    ],
    [
      'reports a source that does not respond as not-found',
      withDocuments(({ get }) => ({ get: failuresAsMissing('documents', get) })),
      'fails as timeout when its source does not respond in time',
    ],
    [
      'sends chunks without an end',
      responding((response) => ('content' in response ? { ...response, content: infinite(5) } : response)),
      'returns a document as a PDF with the announced length',
    ],
    [
      'sends empty chunks without an end',
      responding((response) => ('content' in response ? { ...response, content: infinite(0) } : response)),
      'returns a document as a PDF with the announced length',
    ],
    [
      'sends all chunks in the same buffer',
      responding((response) =>
        response.outcome === 'whole' ? { ...response, content: inOneBuffer(somePdf) } : response,
      ),
      'returns a document as a PDF with the announced length',
    ],
    [
      'sends other bytes when a document is read again',
      otherBytesLater,
      'returns the same bytes whenever a document is read',
    ],
    [
      "returns another member's document when calls overlap",
      withDocuments(({ get }) => ({ get: mixingMembers(get) })),
      'hides a document from another member who reads at the same time',
    ],
    [
      'ignores its signal',
      withDocuments(({ get }) => ({ get: (of, locator, conditions) => get(of, locator, conditions) })),
      'fails a request whose signal is already aborted',
    ],
    [
      'keeps its listener on the signal',
      withDocuments(({ get }) => ({
        get: (of, locator, conditions, signal) => {
          signal?.addEventListener('abort', () => {});
          return get(of, locator, conditions, signal);
        },
      })),
      'keeps no listener on the signal of a document that was read',
    ],
    [
      'never ends when a reader stops early',
      responding((response) => (response.outcome === 'whole' ? { ...response, content: unclosable } : response)),
      generalPromises.settles,
    ],
    [
      'applies only the first parameter of a query',
      withDocuments(({ list }) => ({ list: applyingFirstParameter(list) })),
      'applies the query of a list',
    ],
    [
      'returns an empty list for every query',
      withDocuments(({ list }) => ({ list: emptyForQueries(list, { documents: [] }) })),
      'applies the query of a list',
    ],
  ],
  [
    [
      'announces neither a length nor an entity tag',
      responding((response) => {
        const { contentLength: _, etag: __, ...headers } = response.headers;
        return { ...response, headers };
      }),
    ],
    [
      'ignores ranges of the last bytes',
      withDocuments(({ get }) => ({
        get: (of, locator, { range, ...conditions }, signal) => {
          const isIgnored = range === undefined || range.startsWith('bytes=-');
          return get(of, locator, isIgnored ? conditions : { ...conditions, range }, signal);
        },
      })),
    ],
    [
      'sends small chunks, some of them empty',
      responding((response) =>
        'content' in response ? { ...response, content: inSmallChunks(response.content) } : response,
      ),
    ],
  ],
);

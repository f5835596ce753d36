import { err, errAsync, ok, okAsync, type Result } from 'neverthrow';
import { generalPromises } from '../contract/supervision.ts';
import { failed, showsInput, testSuite, unsafeInEveryService } from '../contract/unsafe-adapters.test.support.ts';
import { type Failure, notFound, upstreamStatus } from '../shared/failure.ts';
import { toJson } from '../shared/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { type DocumentsSubject, documentsContract } from './documents.contract.ts';
import { fakeDocuments, somePdf } from './documents.fake.ts';
import type { DocumentLocator, DocumentResponse, Documents } from './documents.port.ts';

const member = aMember('PTY-1', 'token.of.PTY-1');
const other = aMember('PTY-2', 'token.of.PTY-2');
const unknown = aMember('PTY-3', 'token.of.PTY-3');
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
    fail: (fault) => documents.failWith(failed('documents', fault)),
  };
};

const withDocuments =
  (change: (documents: Documents) => Partial<Documents>) =>
  (good: DocumentsSubject): DocumentsSubject => ({
    ...good,
    documents: { ...good.documents, ...change(good.documents) },
  });

/** A stream that neither sends bytes nor ends. */
const endless: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
};

/** Changes the responses of `get`. */
const responding = (change: (response: DocumentResponse) => DocumentResponse) =>
  withDocuments((documents) => ({ get: (...args) => documents.get(...args).map(change) }));

async function* bytes(content: Uint8Array) {
  yield content;
}

const failedAs = (failure: Failure): Result<never, Failure> => err(failure);

testSuite<DocumentsSubject>('documents', documentsContract, subject, [
  ...unsafeInEveryService<'documents', DocumentsSubject>('documents'),
  showsInput<'documents', DocumentsSubject>('documents'),
  [
    "lists one member's documents to every member",
    withDocuments((documents) => ({ list: (_, query) => documents.list(member, query) })),
    generalPromises.members,
  ],
  [
    "returns another member's document",
    withDocuments((documents) => ({ get: (_, ...rest) => documents.get(member, ...rest) })),
    'hides a document that belongs to another member',
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
    withDocuments((documents) => ({ list: (of) => documents.list(of, []) })),
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
    'returns other bytes than the range',
    responding((response) =>
      response.outcome === 'part' ? { ...response, content: bytes(somePdf.subarray(0, 10)) } : response,
    ),
    'returns the requested range of a document',
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
    withDocuments((documents) => ({
      list: (of, query) => (of === unknown ? errAsync(upstreamStatus('documents', 404)) : documents.list(of, query)),
    })),
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
    withDocuments((documents) => ({
      get: (...args) => documents.get(...args).orElse(() => errAsync(notFound('documents'))),
    })),
    'fails as timeout when its source does not respond in time',
  ],
]);

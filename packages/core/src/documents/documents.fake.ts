import { err, ok, type Result } from 'neverthrow';
import type { Signal } from '../runtime/signal.ts';
import { type Failure, type Service, upstream } from '../shared/failure.ts';
import { type ByMember, type Fails, failOnDemand, itemOf, recordOf, select } from '../shared/fake.ts';
import { toJson } from '../shared/json/json.ts';
import type { DocumentResponse, DocumentConditions, Documents } from './documents.port.ts';

/** A document of the fake. The list shows every field except `pdf` and `lastModified`. */
export type FakeDocument = {
  readonly locator: string;
  readonly pdf: Uint8Array;
  /** An HTTP date (RFC 9110, section 5.6.7). */
  readonly lastModified?: string;
} & Readonly<Record<string, unknown>>;

/** A short PDF for tests. */
export const somePdf: Uint8Array = Uint8Array.from('%PDF-1.7 a document of some forty bytes.', (character) =>
  character.charCodeAt(0),
);

export type FakeDocuments = Documents & Fails;

/**
 * Supports entity tags, single byte ranges and, for a document with `lastModified`, exactly that date as
 * `If-Modified-Since`.
 */
export const fakeDocuments = (members: ByMember<readonly FakeDocument[]> = {}): FakeDocuments => {
  const { respond, ...failing } = failOnDemand();
  const records = new Map(Object.entries(members));
  return {
    ...failing,
    list: (member, query) =>
      respond(() =>
        recordOf('documents', records, member).map((own) =>
          toJson({ documents: select(own, query, 'date').map(({ pdf: _, lastModified: __, ...shown }) => shown) }),
        ),
      ),
    get: (member, locator, conditions, signal) =>
      respond(() =>
        itemOf('documents', records, member, locator).andThen((document) => responseTo(document, conditions, signal)),
      ),
  };
};

/** The response to a request for these bytes with these conditions. Once the signal is aborted, it fails. */
export const responseTo = (
  document: FakeBytes,
  conditions: DocumentConditions,
  signal: Signal | undefined,
  service: Service = 'documents',
): Result<DocumentResponse, Failure> =>
  signal?.aborted ? err(upstream(service, 'unreachable')) : ok(partOf(document, conditions, signal));

type FakeBytes = Pick<FakeDocument, 'locator' | 'pdf' | 'lastModified'>;

const partOf = (
  { locator, pdf, lastModified }: FakeBytes,
  conditions: DocumentConditions,
  signal: Signal | undefined,
): DocumentResponse => {
  const etag = `"${locator}-${pdf.length}"`;
  const headers = { etag, acceptRanges: 'bytes', ...(lastModified !== undefined && { lastModified }) };
  if (isNotModified(conditions, etag, lastModified)) return { outcome: 'not-modified', headers };
  const range =
    conditions.ifRange === undefined || conditions.ifRange === etag
      ? parseRange(conditions.range, pdf.length)
      : undefined;
  if (!range)
    return {
      outcome: 'whole',
      headers: { ...headers, contentLength: String(pdf.length) },
      content: inChunks(pdf, signal),
    };
  const [first, last] = range;
  if (first > last)
    return { outcome: 'range-not-satisfiable', headers: { ...headers, contentRange: `bytes */${pdf.length}` } };
  return {
    outcome: 'part',
    headers: {
      ...headers,
      contentLength: String(last - first + 1),
      contentRange: `bytes ${first}-${last}/${pdf.length}`,
    },
    content: inChunks(pdf.subarray(first, last + 1), signal),
  };
};

/** `If-None-Match` takes precedence over `If-Modified-Since` (RFC 9110, section 13.1.3). */
const isNotModified = (
  { ifNoneMatch, ifModifiedSince }: DocumentConditions,
  etag: string,
  lastModified: string | undefined,
): boolean => {
  if (ifNoneMatch !== undefined) return matches(ifNoneMatch, etag);
  return ifModifiedSince !== undefined && ifModifiedSince === lastModified;
};

const matches = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);

/** Returns the first and last byte. First is greater than last when the range is beyond the end. */
const parseRange = (range: string | undefined, length: number): readonly [number, number] | undefined => {
  const found = /^bytes=(\d*)-(\d*)$/i.exec(range ?? '');
  if (!found || (!found[1] && !found[2])) return undefined;
  if (!found[1]) return Number(found[2]) === 0 ? [length, -1] : [Math.max(0, length - Number(found[2])), length - 1];
  const first = Number(found[1]);
  const last = Math.min(found[2] ? Number(found[2]) : length - 1, length - 1);
  return first >= length ? [length, -1] : [first, last];
};

async function* inChunks(pdf: Uint8Array, signal: Signal | undefined): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < pdf.length; start += 16_384) {
    if (signal?.aborted) throw new Error('The request for the document was cancelled.');
    yield pdf.subarray(start, start + 16_384);
  }
}

import { err, ok } from 'neverthrow';
import { notFound } from '../shared/failure.ts';
import { type ByMember, type Fails, failsOnPurpose, recordOf, select } from '../shared/fake.ts';
import { toJson } from '../shared/json.ts';
import type { DocumentResponse, DocumentConditions, Documents } from './documents.port.ts';

/** A document as the fake keeps it; the list shows all of it but `pdf` and `lastModified`. */
export type FakeDocument = {
  readonly locator: string;
  readonly pdf: Uint8Array;
  /** An HTTP date (RFC 9110, section 5.6.7). */
  readonly lastModified?: string;
} & Readonly<Record<string, unknown>>;

/** The bytes of a document, for tests. */
export const somePdf: Uint8Array = Uint8Array.from('%PDF-1.7 a document of some forty bytes.', (character) =>
  character.charCodeAt(0),
);

export type FakeDocuments = Documents & Fails;

/**
 * Understands entity tags, single byte ranges and, of a document with `lastModified`, that very date as
 * `If-Modified-Since`.
 */
export const fakeDocuments = (members: ByMember<readonly FakeDocument[]> = {}): FakeDocuments => {
  const { answer, ...failing } = failsOnPurpose();
  const records = new Map(Object.entries(members));
  return {
    ...failing,
    list: (member, query) =>
      answer(() =>
        recordOf('documents', records, member).map((own) =>
          toJson({ documents: select(own, query).map(({ pdf: _, lastModified: __, ...shown }) => shown) }),
        ),
      ),
    get: (member, locator, conditions) =>
      answer(() =>
        recordOf('documents', records, member).andThen((own) => {
          const document = own.find((candidate) => candidate.locator === locator);
          return document ? ok(give(document, conditions)) : err(notFound('documents'));
        }),
      ),
  };
};

const give = ({ locator, pdf, lastModified }: FakeDocument, asked: DocumentConditions): DocumentResponse => {
  const etag = `"${locator}-${pdf.length}"`;
  const headers = { etag, acceptRanges: 'bytes', ...(lastModified !== undefined && { lastModified }) };
  if (isKnown(asked, etag, lastModified)) return { outcome: 'not-modified', headers };
  const range = asked.ifRange === undefined || asked.ifRange === etag ? parseRange(asked.range, pdf.length) : undefined;
  if (!range)
    return { outcome: 'whole', headers: { ...headers, contentLength: String(pdf.length) }, content: inChunks(pdf) };
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
    content: inChunks(pdf.subarray(first, last + 1)),
  };
};

/** `If-None-Match` decides alone where there is one (RFC 9110, section 13.1.3). */
const isKnown = (
  { ifNoneMatch, ifModifiedSince }: DocumentConditions,
  etag: string,
  lastModified: string | undefined,
): boolean => {
  if (ifNoneMatch !== undefined) return matches(ifNoneMatch, etag);
  return ifModifiedSince !== undefined && ifModifiedSince === lastModified;
};

const matches = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);

/** First and last byte; first behind last when the range lies outside. */
const parseRange = (range: string | undefined, length: number): readonly [number, number] | undefined => {
  const found = /^bytes=(\d*)-(\d*)$/i.exec(range ?? '');
  if (!found || (!found[1] && !found[2])) return undefined;
  if (!found[1]) return Number(found[2]) === 0 ? [length, -1] : [Math.max(0, length - Number(found[2])), length - 1];
  const first = Number(found[1]);
  const last = Math.min(found[2] ? Number(found[2]) : length - 1, length - 1);
  return first >= length ? [length, -1] : [first, last];
};

async function* inChunks(pdf: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < pdf.length; start += 16_384) yield pdf.subarray(start, start + 16_384);
}

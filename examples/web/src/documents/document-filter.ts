import type { DocumentSummary } from '../api/resources.ts';

/** What a list of documents is limited to. `undefined`: all. */
export interface DocumentFilter {
  readonly type: string | undefined;
  readonly year: string | undefined;
}

/** The year of a document, as in its date (ISO 8601). */
const yearOf = ({ date }: DocumentSummary): string | undefined => /^\d{4}(?=-|$)/.exec(date ?? '')?.[0];

const distinct = (values: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];

/** The types of the documents, in the order in which they occur. */
export const typesOf = (documents: readonly DocumentSummary[]): readonly string[] =>
  distinct(documents.map(({ type }) => type));

/** The years of the documents, newest first. */
export const yearsOf = (documents: readonly DocumentSummary[]): readonly string[] =>
  distinct(documents.map(yearOf)).toSorted().toReversed();

/** The documents that match. */
export const filterDocuments = (
  documents: readonly DocumentSummary[],
  { type, year }: DocumentFilter,
): readonly DocumentSummary[] =>
  documents.filter(
    (document) => (type === undefined || document.type === type) && (year === undefined || yearOf(document) === year),
  );

/** The filter of a URL, without a type or year that no document has. */
export const filterOf = (query: URLSearchParams, documents: readonly DocumentSummary[]): DocumentFilter => ({
  type: typesOf(documents).find((type) => type === query.get('type')),
  year: yearsOf(documents).find((year) => year === query.get('year')),
});

/** The query of the URL of a filtered list. */
export const queryOf = ({ type, year }: DocumentFilter): string => {
  const query = new URLSearchParams({ ...(type && { type }), ...(year && { year }) });
  return `?${query.toString()}`;
};

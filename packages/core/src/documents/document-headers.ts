import type { DocumentResponse, DocumentConditions, DocumentHeaders } from './documents.port.ts';

/** The request header of each condition. */
export const documentConditionNames = {
  range: 'Range',
  ifRange: 'If-Range',
  ifNoneMatch: 'If-None-Match',
  ifModifiedSince: 'If-Modified-Since',
} as const satisfies Record<keyof DocumentConditions, string>;

/** The response header of each property. */
const headerNames = {
  contentLength: 'Content-Length',
  contentRange: 'Content-Range',
  acceptRanges: 'Accept-Ranges',
  etag: 'ETag',
  lastModified: 'Last-Modified',
} as const satisfies Record<Exclude<keyof DocumentHeaders, 'contentType'>, string>;

/** The HTTP status of each outcome. */
export const documentStatus = {
  whole: 200,
  created: 201,
  accepted: 202,
  'no-content': 204,
  part: 206,
  'not-modified': 304,
  'range-not-satisfiable': 416,
} as const satisfies Record<DocumentResponse['outcome'], number>;

const keptOutcomes = ['created', 'accepted', 'no-content'] as const;

/** Whether a response with this outcome has content. */
export const hasDocumentContent = (
  outcome: DocumentResponse['outcome'],
): outcome is Extract<DocumentResponse, { content: unknown }>['outcome'] =>
  outcome === 'whole' || outcome === 'part' || outcome === 'created' || outcome === 'accepted';

/** Returns the value of a header by its lower-case name. */
type HeaderLookup = (name: string) => string | null | undefined;

/** HTTP header fields, by name. */
type Fields = Readonly<Record<string, string>>;

/** Reads the conditions from the headers of a request. */
export const readDocumentConditions = (header: HeaderLookup): DocumentConditions =>
  read(documentConditionNames, header);

/** Returns the request headers for these conditions. */
export const documentConditionFields = (conditions: DocumentConditions): Fields =>
  fields(documentConditionNames, conditions);

/** Reads the properties of a document from the headers of a response, except `contentType`. */
export const readDocumentHeaders = (header: HeaderLookup): DocumentHeaders => read(headerNames, header);

/** Returns `contentType` of a document with this media type; undefined when none of its parameters is relayed. */
export const relayedContentType = (received: string): string | undefined => {
  const parameters = received.match(relayedParameters);
  return parameters ? received.split(';', 1)[0]!.trim() + parameters.join('') : undefined;
};

/** Without any other parameter, whose value could make browsers read another media type. */
const relayedParameters = /;[ \t]*(?:charset|boundary)=(?:[\w'+.:-]+|"[\w'()+./:=? -]+")/gi;

/** Returns the response headers for a document. Omits those of its content when there is none. */
export const documentHeaderFields = (document: DocumentResponse): Fields => {
  if ('content' in document) return fields({ ...headerNames, contentType: 'Content-Type' }, document.headers);
  const { contentLength: _, contentType: __, ...others } = document.headers;
  return fields(headerNames, others);
};

/**
 * Maps an HTTP status to an outcome. 206, 416 and 304 are valid only for a request with such a condition
 * (RFC 9110, section 15), and 201, 202 and 204 only where they are kept: for custom services (contract, section 8). Returns
 * undefined for every other status.
 */
export const documentOutcome = (
  status: number,
  { range, ifNoneMatch, ifModifiedSince }: DocumentConditions,
  keepsStatus = false,
): DocumentResponse['outcome'] | undefined => {
  const kept = keepsStatus && keptOutcomes.find((outcome) => documentStatus[outcome] === status);
  if (kept) return kept;
  if (status === documentStatus.whole) return 'whole';
  if (status === documentStatus.part && range !== undefined) return 'part';
  if (status === documentStatus['range-not-satisfiable'] && range !== undefined) return 'range-not-satisfiable';
  if (status === documentStatus['not-modified'] && (ifNoneMatch ?? ifModifiedSince) !== undefined)
    return 'not-modified';
  return undefined;
};

type Names = Readonly<Record<string, string>>;

const read = (names: Names, header: HeaderLookup): Fields =>
  Object.fromEntries(
    Object.entries(names).flatMap(([property, name]) => {
      const value = header(name.toLowerCase());
      return value === null || value === undefined ? [] : [[property, value]];
    }),
  );

const fields = <Property extends string>(
  names: Readonly<Record<Property, string>>,
  values: Readonly<Partial<Record<Property, string>>>,
): Fields =>
  Object.fromEntries(
    Object.entries<string>(names).flatMap(([property, name]) => {
      const value = values[property as Property];
      return value === undefined ? [] : [[name, value]];
    }),
  );

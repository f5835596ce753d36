import type { Parameter, Response } from './format.ts';
import { headerRefs, memberHeaders } from './headers.ts';
import { headerParameter, ifNoneMatch } from './parameters.ts';
import { noContent } from './responses.ts';

/** Headers of the service are relayed when present. */
const relayedHeaders = { ...memberHeaders, ...headerRefs('ETag', 'Last-Modified', 'Accept-Ranges', 'Content-Range') };

const contentOf = (type: string, description: string): Response => ({
  description,
  headers: {
    ...relayedHeaders,
    ...headerRefs(type === 'application/pdf' ? 'Content-Disposition' : 'Content-Disposition.any'),
  },
  // Raw bytes have no schema (OpenAPI 3.1, Working with Binary Data).
  content: { [type]: {} },
});

/** The responses of a streamed read of this media type. */
export const streamed = (type: string): Readonly<Record<number, Response>> => ({
  200: contentOf(type, 'The whole document.'),
  206: contentOf(type, 'The requested byte range.'),
  304: { description: 'Not modified: the client’s copy is current.', headers: relayedHeaders },
  416: { description: 'The requested byte range is outside the document.', headers: relayedHeaders },
});

/** The responses of a streamed operation of a custom service. Only a read has ranges and conditions. */
export const streamedByService = (type: string, isWrite: boolean): Readonly<Record<number, Response>> => ({
  ...(isWrite ? { 200: contentOf(type, 'The whole document.') } : streamed(type)),
  201: contentOf(type, 'The document of the created resource.'),
  202: contentOf(type, 'The service accepted the request for later.'),
  204: noContent,
});

/** The conditional and range headers of a streamed response. */
export const documentConditions: readonly Parameter[] = [
  headerParameter(
    'Range',
    'A single byte range to return (RFC 9110, section 14.2). Multiple ranges and other units are ignored.',
    { type: 'string', examples: ['bytes=0-1023'] },
  ),
  headerParameter(
    'If-Range',
    'Return the range only if the document still matches this validator; otherwise return the whole document (RFC 9110, section 13.1.5).',
  ),
  ifNoneMatch,
  headerParameter(
    'If-Modified-Since',
    'Return 304 if the document has not been modified since this date (RFC 9110, section 13.1.3).',
  ),
];

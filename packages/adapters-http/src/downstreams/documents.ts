import type { DocumentAnswer, DocumentConditions, DocumentHeaders, Documents } from '@portico/core';
import { downstream, type DownstreamSettings } from './downstream.ts';
import type { StreamResponse } from '../http/client.ts';

/** The document service over HTTP. */
export const httpDocuments = (settings: DownstreamSettings<'documents'>): Documents => {
  const documents = downstream('documents', settings);
  return {
    list: (member, query) => documents.get('list', member, { query }),
    get: (member, locator, conditions, signal) =>
      documents
        .stream(
          'get',
          member,
          { locator, headers: requestHeaders(conditions) },
          'application/pdf',
          answersTo(conditions),
          signal,
        )
        .map(answerOf),
  };
};

const requestHeaders = ({ range, ifRange, ifNoneMatch, ifModifiedSince }: DocumentConditions) => ({
  ...(range !== undefined && { range }),
  ...(ifRange !== undefined && { 'if-range': ifRange }),
  ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
  ...(ifModifiedSince !== undefined && { 'if-modified-since': ifModifiedSince }),
});

/** A part, "no such range" and "not modified" are answers only where that was the question (RFC 9110, section 15). */
const answersTo =
  ({ range, ifNoneMatch, ifModifiedSince }: DocumentConditions) =>
  (status: number) => {
    if (status === 206 || status === 416) return range !== undefined;
    if (status === 304) return (ifNoneMatch ?? ifModifiedSince) !== undefined;
    return status >= 200 && status <= 299;
  };

const answerOf = ({ status, header, content }: StreamResponse): DocumentAnswer => {
  if (status === 304) return { outcome: 'not-modified', headers: headersOf(header) };
  if (status === 416) return { outcome: 'range-not-satisfiable', headers: headersOf(header) };
  return { outcome: status === 206 ? 'part' : 'whole', headers: headersOf(header), content };
};

const headersOf = (header: StreamResponse['header']): DocumentHeaders =>
  Object.fromEntries(
    Object.entries({
      contentLength: header('content-length'),
      contentRange: header('content-range'),
      acceptRanges: header('accept-ranges'),
      etag: header('etag'),
      lastModified: header('last-modified'),
    }).filter(([, value]) => value !== undefined),
  );

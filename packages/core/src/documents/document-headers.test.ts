import { describe, expect, it } from 'vitest';
import {
  documentConditionFields,
  documentHeaderFields,
  documentOutcome,
  documentStatus,
  hasDocumentContent,
  readDocumentConditions,
  readDocumentHeaders,
  relayedContentType,
} from './document-headers.ts';
import type { DocumentResponse } from './documents.port.ts';

const conditions = { range: 'bytes=0-8', ifRange: '"v1"', ifNoneMatch: '"v1", "v2"', ifModifiedSince: 'a date' };
const conditionFields = {
  Range: 'bytes=0-8',
  'If-Range': '"v1"',
  'If-None-Match': '"v1", "v2"',
  'If-Modified-Since': 'a date',
};
const headers = {
  contentLength: '9',
  contentRange: 'bytes 0-8/40',
  acceptRanges: 'bytes',
  etag: '"v1"',
  lastModified: 'a date',
  contentType: 'text/csv; charset=windows-1252',
};
const headerFields = {
  'Content-Length': '9',
  'Content-Range': 'bytes 0-8/40',
  'Accept-Ranges': 'bytes',
  ETag: '"v1"',
  'Last-Modified': 'a date',
  'Content-Type': 'text/csv; charset=windows-1252',
};

/** A lookup of received headers, which Node names in lower case. */
const received = (fields: Readonly<Record<string, string>>) => {
  const lower = new Map(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));
  return (name: string) => lower.get(name);
};

async function* noBytes(): AsyncGenerator<Uint8Array> {}

describe('the headers of a document', () => {
  it('maps every request condition to its header and back', () => {
    expect(documentConditionFields(conditions)).toEqual(conditionFields);
    expect(readDocumentConditions(received(conditionFields))).toEqual(conditions);
  });

  it('maps every property of a response with content to its header and back', () => {
    expect(documentHeaderFields({ outcome: 'part', headers, content: noBytes() })).toEqual(headerFields);
    const { contentType: _, ...read } = headers;
    expect(readDocumentHeaders(received(headerFields))).toEqual(read);
  });

  it.each([
    ['text/csv;Charset=utf-8', 'text/csv;Charset=utf-8'],
    ['text/csv ; header=present; charset="utf-8"; x', 'text/csv; charset="utf-8"'],
    ['multipart/mixed; boundary="a b"; charset=x', 'multipart/mixed; boundary="a b"; charset=x'],
    ['image/png; a=b, text/html', undefined],
    ['image/png; charset=, text/html', undefined],
    ['image/png; charset="a, text/html"', undefined],
    ['image/png; charset=x, text/html', 'image/png; charset=x'],
  ])('keeps only the parameters charset and boundary of %s', (received, contentType) => {
    expect(relayedContentType(received)).toBe(contentType);
  });

  it('omits missing headers, which are undefined in Node and null in fetch', () => {
    expect(readDocumentHeaders(received({ ETag: '"v1"', 'Content-Type': 'application/pdf' }))).toStrictEqual({
      etag: '"v1"',
    });
    expect(readDocumentConditions((name) => (name === 'range' ? 'bytes=-4' : null))).toStrictEqual({
      range: 'bytes=-4',
    });
    expect(documentConditionFields({ range: 'bytes=-4' })).toStrictEqual({ Range: 'bytes=-4' });
  });

  it.each(['not-modified', 'range-not-satisfiable'] as const)(
    'omits Content-Length and Content-Type when the outcome is %s',
    (outcome) => {
      const { 'Content-Length': _, 'Content-Type': __, ...others } = headerFields;
      expect(documentHeaderFields({ outcome, headers })).toEqual(others);
    },
  );
});

describe('documentOutcome', () => {
  it.each(Object.entries(documentStatus))('returns %s for its status', (outcome, status) => {
    expect(documentOutcome(status, conditions, true)).toBe(outcome as DocumentResponse['outcome']);
  });

  it.each([{ ifNoneMatch: '"v1"' }, { ifModifiedSince: 'a date' }])(
    'returns not-modified for the status 304 after a request with only %o',
    (given) => {
      expect(documentOutcome(304, given)).toBe('not-modified');
    },
  );

  it.each([201, 202, 204])('returns undefined for the status %d where it is not kept', (status) => {
    expect(documentOutcome(status, conditions)).toBeUndefined();
  });

  it.each([
    [206, { ifNoneMatch: '"v1"' }],
    [416, { ifModifiedSince: 'a date' }],
    [304, { range: 'bytes=0-' }],
    [304, {}],
    [201, conditions],
    [404, conditions],
  ])('returns undefined for status %i after a request with %o', (status, given) => {
    expect(documentOutcome(status, given)).toBeUndefined();
  });
});

describe('hasDocumentContent', () => {
  it('is true for the outcomes whose responses have a body', () => {
    const outcomes = Object.keys(documentStatus) as DocumentResponse['outcome'][];
    expect(outcomes.filter(hasDocumentContent)).toEqual(['whole', 'created', 'accepted', 'part']);
  });
});

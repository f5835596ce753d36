import { documentList } from '../examples/documents.examples.ts';
import { bearer, noContent, relayed } from '../responses.ts';
import type { Parameter, Response, Operation } from '../format.ts';
import { headerRefs, memberHeaders } from '../headers.ts';
import { listParameters, locator } from '../parameters.ts';
import { memberProblems } from '../problems.ts';

/** Headers of the document service are relayed when present. */
const relayedHeaders = { ...memberHeaders, ...headerRefs('ETag', 'Last-Modified', 'Accept-Ranges', 'Content-Range') };

const pdf = (description: string): Response => ({
  description,
  headers: { ...relayedHeaders, ...headerRefs('Content-Disposition') },
  // Raw bytes have no schema (OpenAPI 3.1, Working with Binary Data).
  content: { 'application/pdf': {} },
});

const condition = (name: string, description: string, schema: Parameter['schema'] = { type: 'string' }): Parameter => ({
  name,
  in: 'header',
  description,
  schema,
});

export const documentsOperations = {
  listDocuments: {
    operationId: 'listDocuments',
    tags: ['documents'],
    summary: 'List documents',
    description: 'Returns the metadata of the documents. The `locator` of a document leads to its PDF.',
    security: bearer,
    parameters: listParameters,
    responses: {
      200: relayed('DocumentList', 'The member’s documents, as returned by the document service.', {
        example: documentList,
      }),
      204: noContent,
      ...memberProblems(),
    },
  },
  getDocument: {
    operationId: 'getDocument',
    tags: ['documents'],
    summary: 'Download a document as a PDF',
    description:
      'Streams the document. A document of type `eob` contains the data of the claim’s `ExplanationOfBenefit` in readable form.',
    security: bearer,
    parameters: [
      locator('document', 'DOC-EOB-1001-05'),
      condition(
        'Range',
        'A single byte range to return (RFC 9110, section 14.2). Multiple ranges and other units are ignored.',
        {
          type: 'string',
          examples: ['bytes=0-1023'],
        },
      ),
      condition(
        'If-Range',
        'Return the range only if the document still matches this validator; otherwise return the whole document (RFC 9110, section 13.1.5).',
      ),
      condition(
        'If-None-Match',
        'Return 304 if the entity tag of the document matches one of these (RFC 9110, section 13.1.2).',
      ),
      condition(
        'If-Modified-Since',
        'Return 304 if the document has not been modified since this date (RFC 9110, section 13.1.3).',
      ),
    ],
    responses: {
      200: pdf('The whole document.'),
      206: pdf('The requested byte range.'),
      304: { description: 'Not modified: the client’s copy is current.', headers: relayedHeaders },
      416: { description: 'The requested byte range is outside the document.', headers: relayedHeaders },
      ...memberProblems(),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;

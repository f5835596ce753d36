import { bearer, noContent, relayed } from '../answers.ts';
import type { Parameter, Response, Operation } from '../format.ts';
import { sent, underMe } from '../headers.ts';
import { listParameters, locator } from '../parameters.ts';
import { memberProblems } from '../problems.ts';

/** What the document service says of a document is passed on where it says it. */
const told = { ...underMe, ...sent('ETag', 'Last-Modified', 'Accept-Ranges', 'Content-Range') };

const pdf = (description: string): Response => ({
  description,
  headers: { ...told, ...sent('Content-Disposition') },
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
    summary: 'The member’s documents',
    security: bearer,
    parameters: listParameters,
    responses: {
      200: relayed('DocumentList', 'The documents, from the document service.'),
      204: noContent,
      ...memberProblems(),
    },
  },
  getDocument: {
    operationId: 'getDocument',
    tags: ['documents'],
    summary: 'One document, as a PDF',
    description:
      'Streamed as it comes. A document of type `eob` says in words and figures what `ExplanationOfBenefit` holds of its claim.',
    security: bearer,
    parameters: [
      locator('document', 'DOC-EOB-1001-05'),
      condition('Range', 'One range of bytes (RFC 9110, section 14.2); any other is passed over.', {
        type: 'string',
        examples: ['bytes=0-1023'],
      }),
      condition('If-Range', 'The part only if the document is still this one (RFC 9110, section 13.1.5).'),
      condition('If-None-Match', 'Not again if it is one of these (RFC 9110, section 13.1.2).'),
      condition('If-Modified-Since', 'Not again if it is no newer (RFC 9110, section 13.1.3).'),
    ],
    responses: {
      200: pdf('The whole document.'),
      206: pdf('The part that was asked for.'),
      304: { description: 'The caller has it already.', headers: told },
      416: { description: 'There is no such part.', headers: told },
      ...memberProblems(),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;

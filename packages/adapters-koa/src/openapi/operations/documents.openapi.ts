import { documentList } from '../examples/documents.examples.ts';
import { bearer, noContent, relayed } from '../responses.ts';
import type { Operation } from '../format.ts';
import { listParameters, locator } from '../parameters.ts';
import { memberProblems } from '../problems.ts';
import { documentConditions, streamed } from '../streamed-responses.ts';

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
    parameters: [locator('document', 'DOC-EOB-1001-05'), ...documentConditions],
    responses: {
      ...streamed('application/pdf'),
      ...memberProblems(),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;

import { documentList } from '../examples/documents.examples.ts';
import { otherResponses, relayed } from '../responses.ts';
import { memberOperations } from '../operation-builders.ts';
import { listParameters, locator } from '../parameters.ts';
import { memberProblems } from '../problems.ts';
import { documentConditions, streamed } from '../streamed-responses.ts';

export const documentsOperations = memberOperations('documents', {
  listDocuments: {
    summary: 'List documents',
    description: 'Returns the metadata of the documents. The `locator` of a document leads to its PDF.',
    parameters: listParameters,
    responses: {
      200: relayed('DocumentList', 'The member’s documents, as returned by the document service.', {
        example: documentList,
      }),
      ...otherResponses(),
    },
  },
  getDocument: {
    summary: 'Download a document as a PDF',
    description:
      'Streams the document. A document of type `eob` contains the data of the claim’s `ExplanationOfBenefit` in readable form.',
    parameters: [locator('document', 'DOC-EOB-1001-05'), ...documentConditions],
    responses: {
      ...streamed('application/pdf'),
      ...memberProblems(),
    },
  },
});

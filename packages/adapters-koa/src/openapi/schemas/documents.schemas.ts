import type { Schema } from '../format.ts';
import { date, identifier, list, object, text } from './schema-words.ts';

export const documentsSchemas: Readonly<Record<string, Schema>> = {
  DocumentList: object('The member’s documents.', {
    documents: list({ $ref: '#/components/schemas/DocumentSummary' }, 'Of the page that was asked for.'),
  }),
  DocumentSummary: object(
    'What is known of a document before it is opened. Recommended: FHIR R4 DocumentReference. Only `locator` is relied on: it is what the document is opened by.',
    {
      locator: identifier('FHIR `DocumentReference.identifier`.', 'DOC-EOB-1001-05'),
      type: text('FHIR `DocumentReference.type`.', 'eob', 'policy', 'id-card'),
      title: text('FHIR `DocumentReference.content.attachment.title`.'),
      date: date('FHIR `DocumentReference.date`.'),
      claimLocator: identifier('Of an explanation of benefits: which claim it explains.', 'CLM-1001-05'),
      fileName: text('A name to save it under.', 'explanation-of-benefits-CLM-1001-05.pdf'),
    },
    'locator',
  ),
};

import type { Schema } from '../format.ts';
import { date, identifier, list, object, schemaOf, string } from './schema-builders.ts';

export const documentsSchemas: Readonly<Record<string, Schema>> = {
  DocumentList: object('The member’s documents.', {
    documents: list(schemaOf('DocumentSummary'), 'The documents of the requested page.'),
  }),
  DocumentSummary: object(
    'The metadata of a document. Recommended: FHIR R4 DocumentReference. Portico uses only `locator`, which identifies the document in `/me/documents/{locator}`.',
    {
      locator: identifier('Locator of the document. FHIR `DocumentReference.identifier`.', 'DOC-EOB-1001-05'),
      type: string('Type of the document. FHIR `DocumentReference.type`.', 'eob', 'policy', 'id-card'),
      title: string('Title of the document. FHIR `DocumentReference.content.attachment.title`.'),
      date: date('Date of the document. FHIR `DocumentReference.date`.'),
      claimLocator: identifier('For an explanation of benefits, the locator of its claim.', 'CLM-1001-05'),
      fileName: string('Suggested file name.', 'explanation-of-benefits-CLM-1001-05.pdf'),
    },
  ),
};

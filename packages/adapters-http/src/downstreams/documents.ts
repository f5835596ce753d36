import {
  type DocumentResponse,
  documentConditionFields,
  type DocumentConditions,
  documentOutcome,
  type Documents,
  documentStatus,
  readDocumentHeaders,
} from '@portico/core';
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
          { locator, headers: documentConditionFields(conditions) },
          'application/pdf',
          (status) => documentOutcome(status, conditions) !== undefined || isSuccess(status),
          signal,
        )
        .map((response) => toDocument(response, conditions)),
  };
};

/** Any other 2xx status counts as the whole document. */
const isSuccess = (status: number) => status >= 200 && status <= 299 && status !== documentStatus.part;

const toDocument = ({ status, header, content }: StreamResponse, conditions: DocumentConditions): DocumentResponse => {
  const outcome = documentOutcome(status, conditions) ?? 'whole';
  const headers = readDocumentHeaders(header);
  return outcome === 'whole' || outcome === 'part' ? { outcome, headers, content } : { outcome, headers };
};

import {
  type DocumentConditions,
  documentOutcome,
  type DocumentResponse,
  documentStatus,
  hasDocumentContent,
  readDocumentHeaders,
} from '@portico/core';
import type { StreamResponse } from '../http/response-readers.ts';

/** Whether a response with this status is a document, or one of its outcomes without content. */
export const isDocument = (status: number, conditions: DocumentConditions, isWrite: boolean): boolean =>
  documentOutcome(status, conditions, isWrite) !== undefined || isSuccess(status);

/** Any other 2xx status counts as the whole document. */
const isSuccess = (status: number) => status >= 200 && status <= 299 && status !== documentStatus.part;

export const toDocument = (
  { status, header, content }: StreamResponse,
  conditions: DocumentConditions,
  isWrite: boolean,
): DocumentResponse => {
  const outcome = documentOutcome(status, conditions, isWrite) ?? 'whole';
  const headers = readDocumentHeaders(header);
  return hasDocumentContent(outcome) ? { outcome, headers, content } : { outcome, headers };
};

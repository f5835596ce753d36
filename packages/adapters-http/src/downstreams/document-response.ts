import {
  type DocumentConditions,
  documentOutcome,
  type DocumentResponse,
  documentStatus,
  hasDocumentContent,
  readDocumentHeaders,
  relayedContentType,
} from '@portico/core';
import { is2xx, type StreamResponse } from '../http/response-readers.ts';

/** Whether a response with this status is a document, or one of its outcomes without content. */
export const isDocument = (status: number, conditions: DocumentConditions, keepsStatus: boolean): boolean =>
  documentOutcome(status, conditions, keepsStatus) !== undefined || isWhole(status);

/** Any other 2xx status counts as the whole document. */
const isWhole = (status: number) => is2xx(status) && status !== documentStatus.part;

export const toDocument = (
  { status, header, content }: StreamResponse,
  conditions: DocumentConditions,
  keepsStatus: boolean,
): DocumentResponse => {
  const outcome = documentOutcome(status, conditions, keepsStatus) ?? 'whole';
  const contentType = relayedContentType(header('content-type') ?? '');
  const headers = { ...readDocumentHeaders(header), ...(contentType !== undefined && { contentType }) };
  return hasDocumentContent(outcome) ? { outcome, headers, content } : { outcome, headers };
};

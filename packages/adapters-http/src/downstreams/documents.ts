import type { Documents } from '@portico/core';
import { downstream, type DownstreamSettings } from './downstream.ts';

/** The document service over HTTP. */
export const httpDocuments = (settings: DownstreamSettings<'documents'>): Documents => {
  const documents = downstream('documents', settings);
  return {
    list: (member, query) => documents.get('list', member, { query }),
    get: (member, locator, conditions, signal) =>
      documents.stream('GET', 'get', member, { parameters: { locator }, conditions, signal }, 'application/pdf'),
  };
};

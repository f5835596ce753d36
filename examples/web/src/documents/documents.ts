import { useResource } from '../api/context.ts';
import type { DocumentSummary } from '../api/resources.ts';

/** The documents of the member, in the order of the service. */
export const useDocuments = () =>
  useResource<{ readonly documents?: readonly DocumentSummary[] }>('documents', (portico, signal) =>
    portico.listDocuments([], signal),
  );

import { useResource } from '../api/context.ts';
import type { DocumentSummary } from '../api/resources.ts';
import { Card } from '../design/card.tsx';
import { PageHeading } from '../design/page-heading.tsx';
import { useTexts } from '../texts/texts.tsx';
import { DocumentList } from './document-list.tsx';

/** The documents of the member, as the service lists them. */
export const useDocuments = () =>
  useResource<{ readonly documents?: readonly DocumentSummary[] }>('documents', (portico, signal) =>
    portico.listDocuments([], signal),
  );

export const DocumentsPage = () => {
  const texts = useTexts().documents;
  return (
    <>
      <PageHeading title={texts.title} lead={texts.lead} />
      <Card title={texts.title} icon="documents" resource={useDocuments()} empty={texts.none}>
        {({ documents = [] }) => (documents.length === 0 ? undefined : <DocumentList documents={documents} />)}
      </Card>
    </>
  );
};

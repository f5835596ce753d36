import { PageLink } from '../frame/page-link.tsx';
import { Card } from '../design/card.tsx';
import { DocumentList } from '../documents/document-list.tsx';
import { useDocuments } from '../documents/documents.ts';
import { useTexts } from '../texts/texts.tsx';

const maxDocuments = 4;

/** The first documents, in the order of the service. */
export const DocumentsCard = () => {
  const { dashboard, documents: texts } = useTexts();
  return (
    <Card
      title={dashboard.documents.title}
      icon="documents"
      action={<PageLink page="/documents">{dashboard.documents.all}</PageLink>}
      resource={useDocuments()}
      empty={texts.none}
      className="documents"
    >
      {({ documents = [] }) =>
        documents.length === 0 ? undefined : <DocumentList documents={documents.slice(0, maxDocuments)} />
      }
    </Card>
  );
};

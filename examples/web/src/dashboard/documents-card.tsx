import { useState } from 'react';
import { useCaller, useResource } from '../api/context.ts';
import type { DocumentSummary } from '../api/resources.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { readableDate } from '../ui/format.ts';
import { ErrorText } from '../ui/error-text.tsx';
import { showPdf } from './open-pdfs.ts';

export const DocumentsCard = () => (
  <Card
    title="Documents"
    resource={useResource<{ readonly documents?: readonly DocumentSummary[] }>('documents', (portico, signal) =>
      portico.listDocuments([], signal),
    )}
    empty="You have no documents."
    className="wide"
  >
    {({ documents = [] }) =>
      documents.length === 0 ? undefined : (
        <ul className="rows two-columns">
          {documents.map((document) => (
            <Row key={document.locator} document={document} />
          ))}
        </ul>
      )
    }
  </Card>
);

const Row = ({ document }: { readonly document: DocumentSummary }) => {
  const { isOpening, failure, open } = useOpenPdf(document.locator);
  const title = document.title ?? document.locator;
  return (
    <li>
      <div>
        <strong>{title}</strong>
        <span className="fine">{readableDate(document.date)}</span>
        {failure === undefined ? null : (
          <span role="alert" className="error">
            <ErrorText error={failure} />
          </span>
        )}
      </div>
      <Button look="quiet" disabled={isOpening} onClick={open}>
        {isOpening ? 'Opening …' : 'Open PDF'}
        <span className="visually-hidden">: {title}</span>
      </Button>
    </li>
  );
};

/** Opens the PDF in a new tab. The click itself opens the tab: browsers block tabs that are opened later. */
const useOpenPdf = (locator: string) => {
  const call = useCaller();
  const [isOpening, setIsOpening] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const open = () => {
    const tab = window.open('', '_blank');
    setIsOpening(true);
    setFailure(undefined);
    // If the browser blocked the new tab, the PDF replaces the dashboard.
    void showPdf(tab ?? window, (signal) => call((portico) => portico.getDocumentBlob(locator, signal)))
      .catch((error: unknown) => {
        tab?.close();
        setFailure(error);
      })
      .finally(() => setIsOpening(false));
  };
  return { isOpening, failure, open };
};

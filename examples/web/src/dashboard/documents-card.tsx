import { useState } from 'react';
import { useCaller, useResource } from '../api/context.ts';
import type { DocumentSummary } from '../api/resources.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { readableDate } from '../ui/format.ts';
import { wordsFor } from '../ui/words-for.ts';
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
            {failure}
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

/** Opens the PDF in a tab of its own. The tab is opened by the click itself, or the browser would hold it back. */
const useOpenPdf = (locator: string) => {
  const call = useCaller();
  const [isOpening, setIsOpening] = useState(false);
  const [failure, setFailure] = useState<string>();
  const open = () => {
    const tab = window.open('', '_blank');
    setIsOpening(true);
    setFailure(undefined);
    void call((portico) => portico.getDocumentBlob(locator))
      .then(
        (pdf) => {
          // Where the browser refused a tab, the PDF takes the place of the dashboard.
          showPdf(tab ?? window, pdf);
        },
        (error: unknown) => {
          tab?.close();
          setFailure(wordsFor(error));
        },
      )
      .finally(() => setIsOpening(false));
  };
  return { isOpening, failure, open };
};

import { useState } from 'react';
import { useCaller } from '../api/context.ts';
import type { DocumentSummary } from '../api/resources.ts';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { ErrorText } from '../errors/error-text.tsx';
import { useFormat, useTexts } from '../texts/texts.tsx';
import { showPdf } from './open-pdfs.ts';

/** Documents, each with a button that opens its PDF. */
export const DocumentList = ({ documents }: { readonly documents: readonly DocumentSummary[] }) => (
  <ul className="rows">
    {documents.map((document) => (
      <Row key={document.locator} document={document} />
    ))}
  </ul>
);

const Row = ({ document }: { readonly document: DocumentSummary }) => {
  const format = useFormat();
  const title = document.title ?? document.locator;
  return (
    <li>
      <div>
        <strong>{title}</strong>
        <span className="fine">{format.date(document.date)}</span>
      </div>
      <OpenPdf locator={document.locator} title={title} />
    </li>
  );
};

interface OpenPdfProps {
  readonly locator: string;
  /** Which document, for screen readers. */
  readonly title: string;
}

/** A button that opens the PDF of a document in a new tab. */
export const OpenPdf = ({ locator, title }: OpenPdfProps) => {
  const texts = useTexts().documents;
  const { isOpening, failure, open } = useOpenPdf(locator);
  return (
    <div>
      {/* Not `disabled`, which would lose the focus. */}
      <Button look="quiet" aria-disabled={isOpening} onClick={isOpening ? undefined : open}>
        <Icon icon="pdf" />
        <span>
          {isOpening ? texts.opening : texts.open}
          <span className="visually-hidden">: {title}</span>
        </span>
      </Button>
      {failure === undefined ? null : (
        <p role="alert" className="error">
          <ErrorText error={failure} />
        </p>
      )}
    </div>
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
    // If the browser blocked the new tab, the PDF replaces the page.
    void showPdf(tab ?? window, (signal) => call((portico) => portico.getDocumentBlob(locator, signal)))
      .catch((error: unknown) => {
        tab?.close();
        setFailure(error);
      })
      .finally(() => setIsOpening(false));
  };
  return { isOpening, failure, open };
};

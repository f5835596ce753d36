import type { Coverage } from '@portico/client';
import { useCoverage } from '../api/eligibility.ts';
import { OfService } from '../api/services.ts';
import { Button } from '../design/button.tsx';
import { Card, ResourceContent } from '../design/card.tsx';
import { Copyable } from '../design/data/copyable.tsx';
import { pageIconPaths } from '../design/data/page-icon-paths.ts';
import { Icon } from '../design/icon.tsx';
import { Notice } from '../design/notice.tsx';
import { PageHeading } from '../design/page-heading.tsx';
import { OpenPdf } from '../documents/document-list.tsx';
import { useDocuments } from '../documents/documents.ts';
import { useTexts } from '../texts/texts.tsx';
import { numbersOf } from './card-facts.ts';
import { CardBack, CardFront } from './card-sides.tsx';
import './card-page.css';

/** The member's ID card, front and back. Printing the page prints only the card. */
export const CardPage = () => {
  const texts = useTexts().card;
  const resource = useCoverage();
  const action = (
    <Button disabled={!resource.data} onClick={() => window.print()}>
      <Icon icon={pageIconPaths.print} />
      {texts.print}
    </Button>
  );
  return (
    <>
      <PageHeading
        title={texts.title}
        lead={texts.lead}
        action={resource.isError && !resource.data ? undefined : action}
      />
      <div className="id-card-place place" aria-busy={resource.isPending}>
        <ResourceContent title={texts.title} resource={resource} empty={<p className="empty">{texts.none}</p>}>
          {(coverage) => (
            <>
              {coverage.status === undefined || coverage.status === 'active' ? null : (
                <Notice tone="warn">
                  <p>{texts.ended}</p>
                </Notice>
              )}
              <div className="id-card-sides">
                <CardFront coverage={coverage} />
                <CardBack coverage={coverage} />
              </div>
            </>
          )}
        </ResourceContent>
      </div>
      {resource.isPending ? null : (
        <div className="cards beside-id-card">
          {resource.data ? (
            <Card title={texts.numbers.title} icon={pageIconPaths.phone} resource={resource}>
              {(coverage) => <Numbers coverage={coverage} />}
            </Card>
          ) : null}
          <OfService name="documents">
            <CardPdf />
          </OfService>
        </div>
      )}
    </>
  );
};

const Numbers = ({ coverage }: { readonly coverage: Coverage }) => {
  const texts = useTexts().card;
  return (
    <>
      <p>{texts.numbers.lead}</p>
      <dl className="copyables">
        {numbersOf(coverage, texts).map(([label, value]) => (
          <Copyable key={label} label={label} value={value} />
        ))}
      </dl>
    </>
  );
};

/** The insurer's own card: the first one among the documents, in the order of the service. */
const CardPdf = () => {
  const texts = useTexts().card;
  return (
    <Card title={texts.pdf.title} icon="pdf" resource={useDocuments()} empty={texts.pdf.none}>
      {({ documents = [] }) => {
        const pdf = documents.find(({ type }) => type === 'id-card');
        return pdf ? (
          <>
            <p>{texts.pdf.lead}</p>
            <OpenPdf locator={pdf.locator} title={pdf.title ?? texts.title} />
          </>
        ) : undefined;
      }}
    </Card>
  );
};

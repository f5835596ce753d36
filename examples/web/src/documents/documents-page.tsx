import { useSearchParams } from 'react-router';
import type { DocumentSummary } from '../api/resources.ts';
import { claimPath } from '../frame/claim-path.ts';
import { PageLink } from '../frame/page-link.tsx';
import { LinkButton } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { FilterLinks } from '../design/data/filter-links.tsx';
import { focusHeading } from '../design/focus.ts';
import { Icon } from '../design/icon.tsx';
import { PageHeading } from '../design/page-heading.tsx';
import { nameOf, useFormat, useTexts } from '../texts/texts.tsx';
import { type DocumentFilter, filterDocuments, filterOf, queryOf, typesOf, yearsOf } from './document-filter.ts';
import { iconOf } from './document-icon.ts';
import { OpenPdf } from './document-list.tsx';
import { useDocuments } from './documents.ts';
import './documents-page.css';

/** All documents of the member, by type and year. The URL has the filter. */
export const DocumentsPage = () => {
  const { documents: texts, documentsPage } = useTexts();
  return (
    <>
      <PageHeading title={documentsPage.title} lead={documentsPage.lead} />
      <Card
        title={documentsPage.list}
        icon="documents"
        className="all-documents"
        resource={useDocuments()}
        empty={texts.none}
      >
        {({ documents = [] }) => (documents.length === 0 ? undefined : <FilteredDocuments documents={documents} />)}
      </Card>
    </>
  );
};

interface DocumentsProps {
  readonly documents: readonly DocumentSummary[];
}

const FilteredDocuments = ({ documents }: DocumentsProps) => {
  const texts = useTexts().documentsPage;
  const [query] = useSearchParams();
  const filter = filterOf(query, documents);
  const matching = filterDocuments(documents, filter);
  return (
    <>
      <Filters documents={documents} filter={filter} />
      {/* Screen readers announce how many there are after a filter was chosen. */}
      <output className="fine">{matching.length === 0 ? texts.noneMatch : texts.shown(matching.length)}</output>
      {matching.length === 0 ? (
        <div>
          {/* The link disappears. */}
          <LinkButton to="?" onClick={focusHeading}>
            {texts.showAll}
          </LinkButton>
        </div>
      ) : (
        <ul className="rows">
          {matching.map((document) => (
            <Row key={document.locator} document={document} />
          ))}
        </ul>
      )}
    </>
  );
};

const Filters = ({ documents, filter }: DocumentsProps & { readonly filter: DocumentFilter }) => {
  const texts = useTexts().documentsPage;
  const optionOf = (changed: Partial<DocumentFilter>, label: string, isCurrent: boolean) => ({
    to: queryOf({ ...filter, ...changed }),
    label,
    isCurrent,
  });
  const types = typesOf(documents);
  const years = yearsOf(documents);
  return (
    <div className="document-filters">
      {types.length < 2 ? null : (
        <FilterLinks
          label={texts.type}
          options={[
            optionOf({ type: undefined }, texts.all, filter.type === undefined),
            ...types.map((type) => optionOf({ type }, nameOf(texts.types, type), type === filter.type)),
          ]}
        />
      )}
      {years.length < 2 ? null : (
        <FilterLinks
          label={texts.year}
          options={[
            optionOf({ year: undefined }, texts.all, filter.year === undefined),
            ...years.map((year) => optionOf({ year }, year, year === filter.year)),
          ]}
        />
      )}
    </div>
  );
};

const Row = ({ document: { locator, type, title, date, claimLocator } }: { readonly document: DocumentSummary }) => {
  const texts = useTexts().documentsPage;
  const format = useFormat();
  const name = title ?? locator;
  return (
    <li>
      <div className="document">
        <Icon icon={iconOf(type)} />
        <div>
          <strong>{name}</strong>
          <span className="fine">
            {format.date(date)}
            {claimLocator === undefined ? null : (
              <PageLink page="/claims/:locator" to={claimPath(claimLocator)}>
                {texts.claim} {claimLocator}
              </PageLink>
            )}
          </span>
        </div>
      </div>
      <OpenPdf locator={locator} title={`${name}, ${format.date(date)}`} />
    </li>
  );
};

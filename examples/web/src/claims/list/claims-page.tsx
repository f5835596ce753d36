import { useEffect, useRef } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useResource } from '../../api/context.ts';
import { LinkButton } from '../../design/button.tsx';
import { Panel, ResourceContent } from '../../design/card.tsx';
import { FilterLinks } from '../../design/data/filter-links.tsx';
import { pageIconPaths } from '../../design/data/page-icon-paths.ts';
import { Pagination } from '../../design/data/pagination.tsx';
import { focusHeading } from '../../design/focus.ts';
import { Icon } from '../../design/icon.tsx';
import { PageHeading } from '../../design/page-heading.tsx';
import { useTexts } from '../../texts/texts.tsx';
import { type Claim, statuses } from '../claim.ts';
import { type ClaimsQuery, claimsOnPage, claimsPath, readClaims, readClaimsQuery } from './claims-query.ts';
import { ClaimsTable } from './claims-table.tsx';
import '../claims.css';

/** The claims of the member, by status and page. Both are in the URL. */
export const ClaimsPage = () => {
  const { claims: texts, claimNames } = useTexts();
  const [search] = useSearchParams();
  const query = readClaimsQuery(search);
  const filters = [undefined, ...statuses].map((status) => ({
    to: claimsPath({ status }),
    label: status === undefined ? texts.list.all : claimNames.statuses[status],
    isCurrent: status === query.status,
  }));
  return (
    <>
      <PageHeading
        title={texts.title}
        lead={texts.lead}
        action={
          <LinkButton to="/claims/new" look="primary">
            <Icon icon={pageIconPaths.add} />
            {texts.submit.title}
          </LinkButton>
        }
      />
      <FilterLinks label={texts.list.filter} options={filters} />
      <ClaimList query={query} />
    </>
  );
};

const ClaimList = ({ query }: { readonly query: ClaimsQuery }) => {
  const texts = useTexts().claims.list;
  const resource = useResource<{ readonly claims?: readonly Claim[] } | null>(
    `claims ${claimsPath(query)}`,
    (portico, signal) => readClaims(portico, query, signal),
  );
  const title = query.status === undefined ? texts.allTitle : texts.titles[query.status];
  const list = useFocusOnPage(query.page);
  return (
    // Another page takes the focus, so that screen readers announce it.
    <div ref={list} tabIndex={-1} className="claims-list" role="group" aria-label={`${title}, ${query.page}`}>
      <Panel title={title} isBusy={resource.isPending}>
        <ResourceContent resource={resource} empty={<NoClaims query={query} />} title={title}>
          {(received) => {
            const page = claimsOnPage(received?.claims ?? [], query);
            if (page.claims.length === 0) return undefined;
            const { status } = query;
            return (
              <>
                <ClaimsTable caption={title} claims={page.claims} />
                <Pagination
                  previous={query.page > 1 ? claimsPath({ status, page: query.page - 1 }) : undefined}
                  next={page.hasNext ? claimsPath({ status, page: query.page + 1 }) : undefined}
                  position={texts.position(page.from, page.from + page.claims.length - 1)}
                />
              </>
            );
          }}
        </ResourceContent>
      </Panel>
    </div>
  );
};

const useFocusOnPage = (page: number) => {
  const element = useRef<HTMLDivElement>(null);
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current !== page) element.current?.focus({ preventScroll: true });
    shown.current = page;
  }, [page]);
  return element;
};

const NoClaims = ({ query: { status, page } }: { readonly query: ClaimsQuery }) => {
  const texts = useTexts().claims.list;
  if (page > 1)
    return (
      <p className="empty">
        {texts.noMore} <Link to={claimsPath({ status })}>{texts.showAll}</Link>
      </p>
    );
  if (status === undefined) return <p className="empty">{texts.none}</p>;
  return (
    <p className="empty">
      {texts.noneWithStatus} {/* The link disappears. */}
      <Link to={claimsPath({})} onClick={focusHeading}>
        {texts.showAll}
      </Link>
    </p>
  );
};

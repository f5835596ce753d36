import { Link, useParams } from 'react-router';
import { CallFailed } from '../../api/client.ts';
import { useResource } from '../../api/context.ts';
import { useIsServed } from '../../api/services.ts';
import { Button } from '../../design/button.tsx';
import { Panel, ResourceContent } from '../../design/card.tsx';
import { pageIconPaths } from '../../design/data/page-icon-paths.ts';
import { Timeline } from '../../design/data/timeline.tsx';
import { Icon } from '../../design/icon.tsx';
import { Notice } from '../../design/notice.tsx';
import { PageHeading } from '../../design/page-heading.tsx';
import { Tag } from '../../design/tag.tsx';
import { OpenPdf } from '../../documents/document-list.tsx';
import { ErrorBoundary } from '../../errors/error-boundary.tsx';
import { nameOf, useFormat, useTexts } from '../../texts/texts.tsx';
import { type Claim, dateOf, nameOfClaim, toneOf } from '../claim.ts';
import { ClaimDetails } from './claim-details.tsx';
import { ClaimLines } from './claim-lines.tsx';
import { CostsPanel } from './costs-panel.tsx';
import { stepsOf } from './progress.ts';
import '../claims.css';

/** One claim: what the member pays, and how the claims system decided. */
export const ClaimPage = () => {
  const { locator = '' } = useParams();
  const texts = useTexts().claims.page;
  const resource = useResource<Claim | null>(`claim ${locator}`, (portico, signal) =>
    portico.getClaim(locator, signal),
  );
  // Without content, there is no claim either.
  if (isNotFound(resource.error) || (resource.isSuccess && !resource.data)) return <ClaimNotFound />;
  const hasFailed = resource.isError && resource.data === undefined;
  return (
    <>
      <BackToClaims />
      <PageHeading
        title={texts.title(locator)}
        {...(!hasFailed && { lead: <ClaimSummary claim={resource.data ?? undefined} />, action: <PrintButton /> })}
      />
      {resource.data === undefined ? (
        <Panel title={texts.costs.title} className="claim-loading" isBusy={resource.isPending}>
          <ResourceContent resource={resource} empty={null} title={texts.costs.title}>
            {() => undefined}
          </ResourceContent>
        </Panel>
      ) : (
        <ResourceContent resource={resource} empty={null} title={texts.title(locator)}>
          {(claim) => <ClaimContent claim={claim!} locator={locator} />}
        </ResourceContent>
      )}
    </>
  );
};

const ClaimSummary = ({ claim }: { readonly claim: Claim | undefined }) => (
  <ErrorBoundary value={claim} fallback={null}>
    <ClaimLead claim={claim} />
  </ErrorBoundary>
);

const PrintButton = () => {
  const texts = useTexts().claims.page;
  return (
    <Button look="quiet" onClick={() => window.print()}>
      <Icon icon={pageIconPaths.print} />
      {texts.print}
    </Button>
  );
};

/** An invalid locator counts as not found. */
const isNotFound = (error: unknown): boolean =>
  error instanceof CallFailed && (error.failure.kind === 'not-found' || error.failure.kind === 'invalid');

const BackToClaims = () => {
  const texts = useTexts().claims.page;
  return (
    <p className="back">
      <Link to="/claims">
        <Icon icon={pageIconPaths.previous} />
        {texts.back}
      </Link>
    </p>
  );
};

const ClaimNotFound = () => {
  const texts = useTexts().claims.page;
  return (
    <>
      <PageHeading title={texts.notFound.title} lead={texts.notFound.body} />
      <BackToClaims />
    </>
  );
};

/** A line that has its height also while the claim is read. */
const ClaimLead = ({ claim }: { readonly claim: Claim | undefined }) => {
  const texts = useTexts().claimNames;
  const format = useFormat();
  if (!claim) return <span className="claim-lead" />;
  const { status } = claim;
  const date = dateOf(claim);
  return (
    <span className="claim-lead">
      <strong>{nameOfClaim(claim, texts)}</strong>
      {date === undefined ? null : <span>{format.date(date)}</span>}
      {status === undefined ? null : <Tag tone={toneOf(status)}>{nameOf(texts.statuses, status)}</Tag>}
    </span>
  );
};

const ClaimContent = ({ claim, locator }: { readonly claim: Claim; readonly locator: string }) => {
  const texts = useTexts();
  const format = useFormat();
  const { denied, progress } = texts.claims.page;
  return (
    <>
      {claim.status === 'denied' ? (
        <Notice tone="bad">
          <strong>{denied.title}</strong>
          <p>{denied.appeal}</p>
        </Notice>
      ) : null}
      <div className="claim">
        <CostsPanel claim={claim} />
        <div className="stack">
          <Panel title={progress.title} icon="clock">
            <Timeline steps={stepsOf(claim, texts, format)} />
          </Panel>
          <Eob claim={claim} />
        </div>
        {claim.serviceLines?.length ? <ClaimLines lines={claim.serviceLines} currency={claim.currency} /> : null}
        <ClaimDetails claim={claim} locator={locator} />
      </div>
    </>
  );
};

/** The explanation of benefits, if there is one and Portico serves documents. */
const Eob = ({ claim: { eobDocumentLocator } }: { readonly claim: Claim }) => {
  const texts = useTexts().claims.page.eob;
  const isServed = useIsServed('documents');
  if (!isServed || !eobDocumentLocator) return null;
  return (
    <Panel title={texts.title} icon="pdf" className="eob">
      <p className="fine">{texts.body}</p>
      <OpenPdf locator={eobDocumentLocator} title={texts.title} />
    </Panel>
  );
};

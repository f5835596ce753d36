import { useCoverage } from '../../api/eligibility.ts';
import { useIsServed } from '../../api/services.ts';
import { PageHeading } from '../../design/page-heading.tsx';
import { Panel } from '../../design/card.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { UnsavedChangesGuard } from '../../form/unsaved-changes.tsx';
import { useSession } from '../../session/session-state.ts';
import { useTexts } from '../../texts/texts.tsx';
import { submittedPath } from '../claim.ts';
import { coverageOfMember } from './claim-draft.ts';
import { ClaimForm } from './claim-form.tsx';
import '../claims.css';

/** Submits a claim for care that the member paid. */
export const SubmitPage = () => {
  const texts = useTexts().claims.submit;
  const { name } = useSession();
  // The form names the patients and the currency, and works without them.
  const { data: coverage, isLoading } = useCoverage(useIsServed('eligibility'));
  return (
    <UnsavedChangesGuard except={submittedPath}>
      <PageHeading title={texts.title} lead={texts.lead} />
      {isLoading ? (
        <Panel title={texts.kind.legend} className="claim-form" isBusy>
          <Skeleton />
        </Panel>
      ) : (
        <ClaimForm coverage={coverage && coverageOfMember(coverage, name)} />
      )}
    </UnsavedChangesGuard>
  );
};

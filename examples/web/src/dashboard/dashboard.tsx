import { ReadTogether } from '../api/read-together.tsx';
import { OfService } from '../api/services.ts';
import { usePageHeading } from '../design/page-heading.tsx';
import { useTexts } from '../texts/texts.tsx';
import { ClaimsCard } from './claims-card.tsx';
import { DocumentsCard } from './documents-card.tsx';
import { LimitsCard } from './limits-card.tsx';
import { NewestNotification } from './newest-notification.tsx';
import { Plan, Welcome } from './welcome.tsx';
import './dashboard.css';

/** What a member needs first: the plan, what is left to pay, and what is new. */
export const Dashboard = () => {
  const { dashboard } = useTexts();
  const heading = usePageHeading(dashboard.title);
  return (
    <ReadTogether>
      <Welcome heading={heading}>
        <OfService name="eligibility">
          <Plan />
        </OfService>
      </Welcome>
      <OfService name="notifications">
        <NewestNotification focusAfter={heading} />
      </OfService>
      <div className="cards level">
        <OfService name="eligibility">
          <LimitsCard />
        </OfService>
        <OfService name="claims">
          <ClaimsCard />
        </OfService>
        <OfService name="documents">
          <DocumentsCard />
        </OfService>
      </div>
    </ReadTogether>
  );
};

import { usePageHeading } from '../ui/page-heading.ts';
import { OfService } from '../api/services.ts';
import { AccumulatorsCard } from './accumulators-card.tsx';
import { Banner } from './banner.tsx';
import { ClaimsCard } from './claims-card.tsx';
import { CoverageCard } from './coverage-card.tsx';
import { DocumentsCard } from './documents-card.tsx';

export const Dashboard = () => {
  const heading = usePageHeading('Dashboard');
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        Dashboard
      </h1>
      <OfService name="notifications">
        <Banner focusAfter={heading} />
      </OfService>
      <div className="cards">
        <OfService name="eligibility">
          <CoverageCard />
        </OfService>
        <OfService name="claims">
          <ClaimsCard />
        </OfService>
        <OfService name="eligibility">
          <AccumulatorsCard />
        </OfService>
        <OfService name="documents">
          <DocumentsCard />
        </OfService>
      </div>
    </>
  );
};

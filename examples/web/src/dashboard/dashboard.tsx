import { usePageHeading } from '../ui/page-heading.ts';
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
      <Banner focusAfter={heading} />
      <div className="cards">
        <CoverageCard />
        <ClaimsCard />
        <AccumulatorsCard />
        <DocumentsCard />
      </div>
    </>
  );
};

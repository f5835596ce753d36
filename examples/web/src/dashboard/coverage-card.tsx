import { useResource } from '../api/context.ts';
import type { Coverage } from '../api/resources.ts';
import { Card } from '../ui/card.tsx';
import { readableDate, words } from '../ui/format.ts';

export const CoverageCard = () => (
  <Card
    title="Coverage"
    resource={useResource<Coverage>('coverage', (portico, signal) => portico.getCoverage(signal))}
    empty="No active coverage."
    className="coverage"
  >
    {(coverage) => (
      <>
        <p className="lead">
          {coverage.plan?.name ?? 'Your plan'} <span className="chip">{words(coverage.status)}</span>
        </p>
        <dl className="facts">
          <dt>Member ID</dt>
          <dd>{coverage.memberId ?? '–'}</dd>
          <dt>Group</dt>
          <dd>{coverage.group?.name ?? '–'}</dd>
          <dt>Network</dt>
          <dd>{coverage.network?.name ?? '–'}</dd>
          <dt>Effective</dt>
          <dd>
            {coverage.terminationDate
              ? `${readableDate(coverage.effectiveDate)} to ${readableDate(coverage.terminationDate)}`
              : `since ${readableDate(coverage.effectiveDate)}`}
          </dd>
          {coverage.dependents?.length ? (
            <>
              <dt>Also covered</dt>
              <dd>{coverage.dependents.map(({ name }) => name).join(', ')}</dd>
            </>
          ) : null}
        </dl>
      </>
    )}
  </Card>
);

import type { Coverage } from '@portico/client';
import { useAccumulators, useCoverage } from '../api/eligibility.ts';
import { Card, Panel } from '../design/card.tsx';
import { Copyable } from '../design/data/copyable.tsx';
import { pageIconPaths } from '../design/data/page-icon-paths.ts';
import { PageHeading } from '../design/page-heading.tsx';
import { useTexts } from '../texts/texts.tsx';
import { BalancesCard } from './balances-card.tsx';
import { VisitsCard } from './visits-card.tsx';
import './costs.css';

/** What care costs the member: copays, coinsurance, limits with what is left, and the numbers for the pharmacy. */
export const CostsPage = () => {
  const texts = useTexts().costs;
  const coverage = useCoverage();
  const accumulators = useAccumulators();
  // The height of a card differs much by plan, so a card waits for those above it: nothing moves on the page.
  return (
    <>
      <PageHeading title={texts.title} lead={texts.lead} />
      <VisitsCard coverage={coverage} />
      {coverage.isPending ? null : <BalancesCard accumulators={accumulators} />}
      {coverage.isPending || accumulators.isPending ? null : (
        <div className="cards level">
          <Card title={texts.pharmacy.title} icon={pageIconPaths.pill} resource={coverage} empty={texts.pharmacy.none}>
            {({ pharmacy }) => (pharmacy ? <PharmacyNumbers pharmacy={pharmacy} /> : undefined)}
          </Card>
          <Words />
        </div>
      )}
    </>
  );
};

const PharmacyNumbers = ({ pharmacy }: { readonly pharmacy: NonNullable<Coverage['pharmacy']> }) => {
  const texts = useTexts().costs.pharmacy;
  return (
    <>
      <p>{texts.lead}</p>
      <dl className="copyables">
        {(['bin', 'pcn', 'group'] as const).map((name) => (
          <Copyable key={name} label={texts[name]} value={pharmacy[name]} />
        ))}
      </dl>
    </>
  );
};

const Words = () => {
  const { words, kinds } = useTexts().costs;
  const meanings: readonly (readonly [string, string])[] = [
    [kinds.deductible, words.deductible],
    [words.names.copay, words.copay],
    [words.names.coinsurance, words.coinsurance],
    [kinds.outOfPocketMaximum, words.outOfPocketMaximum],
    [words.names.network, words.network],
  ];
  return (
    <Panel title={words.title} icon="info">
      <dl className="meanings">
        {meanings.map(([term, meaning]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
};

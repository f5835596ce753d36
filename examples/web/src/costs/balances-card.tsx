import type { Accumulators } from '@portico/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { Card } from '../design/card.tsx';
import { FilterLinks } from '../design/data/filter-links.tsx';
import { Meter } from '../design/meter.tsx';
import { Tag } from '../design/tag.tsx';
import { useFormat, useTexts } from '../texts/texts.tsx';
import { type Limit, limitsOf, networks, type Tier, tiersOf } from './limits.ts';

/** The limits of the member or of the family, in network and out of network, with what is left. */
export const BalancesCard = ({ accumulators: resource }: { readonly accumulators: UseQueryResult<Accumulators> }) => {
  const texts = useTexts().costs.limits;
  const format = useFormat();
  return (
    <Card title={texts.title} icon="costs" className="cost-limits" resource={resource} empty={texts.none}>
      {(accumulators) => {
        const tiers = tiersOf(accumulators);
        const { start, end } = accumulators.benefitPeriod ?? {};
        return tiers.length === 0 ? undefined : (
          <>
            <Tiers accumulators={accumulators} tiers={tiers} />
            {start || end ? <p className="fine">{texts.period(format.date(start), format.date(end))}</p> : null}
          </>
        );
      }}
    </Card>
  );
};

interface TiersProps {
  readonly accumulators: Accumulators;
  readonly tiers: readonly Tier[];
}

const Tiers = ({ accumulators, tiers }: TiersProps) => {
  const { limits: texts, networks: names } = useTexts().costs;
  const [query] = useSearchParams();
  const shown = tiers.find((tier) => tier === query.get('for')) ?? tiers[0]!;
  const options = tiers.map((tier) => ({ to: `?for=${tier}`, label: texts[tier], isCurrent: tier === shown }));
  return (
    <>
      {tiers.length > 1 ? <FilterLinks label={texts.whose} options={options} /> : <p>{texts[shown]}</p>}
      <div className="network-columns">
        {networks.map((network) => {
          const limits = limitsOf(accumulators, shown, network);
          return limits.length === 0 ? null : (
            <div key={network} className="network-limits">
              <h3>{names[network]}</h3>
              {limits.map((limit) => (
                <LimitOf
                  key={limit.kind}
                  limit={limit}
                  currency={accumulators.currency}
                  where={`${texts[shown]}, ${names[network]}`}
                />
              ))}
            </div>
          );
        })}
      </div>
    </>
  );
};

interface LimitOfProps {
  readonly limit: Limit;
  readonly currency: string | undefined;
  /** Whose limit, and in which network, for screen readers. */
  readonly where: string;
}

const LimitOf = ({ limit: { kind, limit, used, left }, currency, where }: LimitOfProps) => {
  const { limits: texts, kinds } = useTexts().costs;
  const format = useFormat();
  const progress = texts.of(format.money(used, currency), format.money(limit, currency));
  return (
    <div className="cost-limit">
      <h4>{kinds[kind]}</h4>
      <p className="cost-figure">
        <span className="figure">{format.money(left, currency)}</span> {texts.left}
        {left > 0 ? null : <Tag tone="good">{texts.met}</Tag>}
      </p>
      <Meter label={`${kinds[kind]}, ${where}`} value={used} max={limit} text={progress} />
      <p className="fine">{progress}</p>
      {left > 0 ? null : <p className="fine">{texts.metNotes[kind]}</p>}
    </div>
  );
};

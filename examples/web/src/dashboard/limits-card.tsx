import type { Accumulators } from '@portico/client';
import { useAccumulators } from '../api/eligibility.ts';
import { PageLink } from '../frame/page-link.tsx';
import { Card } from '../design/card.tsx';
import { Meter } from '../design/meter.tsx';
import { useFormat, useTexts } from '../texts/texts.tsx';
import { type Balance, kinds, remainingOf, tiers } from './balance.ts';

/** What is left of the deductible and of the out-of-pocket maximum, in network. */
export const LimitsCard = () => {
  const texts = useTexts().dashboard.limits;
  return (
    <Card
      title={texts.title}
      icon="costs"
      action={<PageLink page="/costs">{texts.all}</PageLink>}
      resource={useAccumulators()}
      empty={texts.none}
      className="wide limits"
    >
      {(accumulators) => (hasLimits(accumulators) ? <Limits accumulators={accumulators} /> : undefined)}
    </Card>
  );
};

const hasLimits = (accumulators: Accumulators): boolean =>
  kinds.some((kind) => tiers.some((tier) => remainingOf(accumulators[kind]?.[tier]?.inNetwork)));

const Limits = ({ accumulators }: { readonly accumulators: Accumulators }) => {
  const texts = useTexts().dashboard.limits;
  const format = useFormat();
  return (
    <>
      <div className="limits-grid">
        {kinds.map((kind) => (
          <div key={kind} className="limit-kind">
            <h3>{texts[kind]}</h3>
            {tiers.map((tier) => (
              <Limit
                key={tier}
                tier={texts[tier]}
                kind={texts[kind]}
                balance={accumulators[kind]?.[tier]?.inNetwork}
                currency={accumulators.currency}
              />
            ))}
          </div>
        ))}
      </div>
      <p className="fine">
        {texts.period(format.date(accumulators.benefitPeriod?.start), format.date(accumulators.benefitPeriod?.end))}
      </p>
    </>
  );
};

interface LimitProps {
  readonly tier: string;
  readonly kind: string;
  readonly balance: Balance | undefined;
  readonly currency: string | undefined;
}

const Limit = ({ tier, kind, balance, currency }: LimitProps) => {
  const texts = useTexts().dashboard.limits;
  const format = useFormat();
  const remaining = remainingOf(balance);
  if (!remaining) return null;
  const { limit, used, left } = remaining;
  const progress = texts.of(format.money(used, currency), format.money(limit, currency));
  return (
    <div className="limit">
      <span className="limit-tier">{tier}</span>
      <span className="figure">
        {left > 0 ? (
          <>
            {format.money(left, currency)} <small>{texts.left}</small>
          </>
        ) : (
          texts.reached
        )}
      </span>
      <Meter label={`${kind}, ${tier}, ${texts.inNetwork}`} value={used} max={limit} text={progress} />
      <span className="fine">{progress}</span>
    </div>
  );
};

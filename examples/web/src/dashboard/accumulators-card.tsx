import { useResource } from '../api/context.ts';
import type { Accumulators, Balance } from '../api/resources.ts';
import { Card } from '../ui/card.tsx';
import { money, readableDate } from '../ui/format.ts';
import { barOf } from './balance.ts';

const kinds = [
  ['deductible', 'Deductible'],
  ['outOfPocketMaximum', 'Out-of-pocket maximum'],
] as const;
const tiers = [
  ['individual', 'Individual'],
  ['family', 'Family'],
] as const;
const networks = [
  ['inNetwork', 'in network'],
  ['outOfNetwork', 'out of network'],
] as const;

/** How much of each limit is used, as bars. */
export const AccumulatorsCard = () => (
  <Card
    title="Deductible and out-of-pocket progress"
    resource={useResource<Accumulators>('accumulators', (portico, signal) => portico.getAccumulators(signal))}
    empty="No limits apply."
    className="wide accumulators"
  >
    {(accumulators) => (
      <>
        <div className="limits">
          {kinds.map(([kind, title]) => (
            <div key={kind}>
              <h3>{title}</h3>
              {tiers.flatMap(([tier, tierName]) =>
                networks.map(([network, networkName]) => (
                  <Bar
                    key={tier + network}
                    label={`${tierName}, ${networkName}`}
                    of={title}
                    balance={accumulators[kind]?.[tier]?.[network]}
                    currency={accumulators.currency}
                  />
                )),
              )}
            </div>
          ))}
        </div>
        <p className="fine">
          Benefit period {readableDate(accumulators.benefitPeriod?.start)} to{' '}
          {readableDate(accumulators.benefitPeriod?.end)}
        </p>
      </>
    )}
  </Card>
);

interface BarProps {
  readonly label: string;
  readonly of: string;
  readonly balance: Balance | undefined;
  readonly currency: string | undefined;
}

const Bar = ({ label, of, balance, currency }: BarProps) => {
  const bar = barOf(balance);
  if (!bar) return null;
  const { limit, used, share } = bar;
  const text = `${money(used, currency)} of ${money(limit, currency)}`;
  return (
    <div className="bar">
      <span>{label}</span>
      <span className="amount">{text}</span>
      <svg
        role="meter"
        aria-label={`${of}, ${label}`}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(Math.max(used, 0), limit)}
        aria-valuetext={text}
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
      >
        <rect className="track" width="100" height="4" />
        <rect className={share === 1 ? 'full' : 'fill'} width={share * 100} height="4" />
      </svg>
    </div>
  );
};

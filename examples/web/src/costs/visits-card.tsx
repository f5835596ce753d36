import type { Coverage } from '@portico/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { Card } from '../design/card.tsx';
import { type Column, DataTable } from '../design/data/data-table.tsx';
import { pageIconPaths } from '../design/data/page-icon-paths.ts';
import { missing } from '../texts/format.ts';
import { useFormat, useTexts } from '../texts/texts.tsx';
import { networks } from './limits.ts';

type Copay = NonNullable<Coverage['copays']>[number];

/** What the member pays for a service: a copay, or a share. */
export const VisitsCard = ({ coverage }: { readonly coverage: UseQueryResult<Coverage> }) => {
  const texts = useTexts().costs.visits;
  return (
    <Card title={texts.title} icon={pageIconPaths.care} className="visits" resource={coverage} empty={texts.none}>
      {({ copays = [], coinsurance, currency }) =>
        copays.length === 0 && !coinsurance ? undefined : (
          <div className="visits-grid">
            <Copays copays={copays} currency={currency} />
            {coinsurance ? <Coinsurance coinsurance={coinsurance} /> : null}
          </div>
        )
      }
    </Card>
  );
};

const strong = (amount: string) => <strong className="amount">{amount}</strong>;

interface CopaysProps {
  readonly copays: readonly Copay[];
  readonly currency: string | undefined;
}

const Copays = ({ copays, currency }: CopaysProps) => {
  const texts = useTexts().costs.visits;
  const format = useFormat();
  const columns: readonly Column<Copay>[] = [
    { title: texts.service, cell: ({ service }) => service ?? missing },
    {
      title: texts.youPay,
      isNumeric: true,
      cell: ({ amount }) => strong(format.money(amount, currency)),
    },
  ];
  return (
    <div className="cost-kind">
      <h3>{texts.copays}</h3>
      {copays.length === 0 ? (
        <p>{texts.noCopays}</p>
      ) : (
        <DataTable caption={texts.copays} columns={columns} rows={copays} keyOf={({ service }) => service ?? missing} />
      )}
    </div>
  );
};

const Coinsurance = ({ coinsurance }: { readonly coinsurance: NonNullable<Coverage['coinsurance']> }) => {
  const texts = useTexts().costs;
  return (
    <div className="cost-kind">
      <h3>{texts.visits.coinsurance}</h3>
      <p className="fine">{texts.visits.coinsuranceHint}</p>
      <dl className="shares">
        {networks.map((network) => {
          const percent = coinsurance[network]?.memberPercent;
          return percent === undefined ? null : (
            <div key={network}>
              <dt>{texts.networks[network]}</dt>
              <dd>{texts.visits.share(percent)}</dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
};

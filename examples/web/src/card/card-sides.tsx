import type { Coverage } from '@portico/client';
import { type ReactNode, use } from 'react';
import { BrandContext, useBrandName } from '../brand/brand.ts';
import { Icon } from '../design/icon.tsx';
import { useSession } from '../session/session-state.ts';
import { missing } from '../texts/format.ts';
import { useFormat, useTexts } from '../texts/texts.tsx';
import { coinsuranceFactsOf, copayFactsOf, type Fact, holderOf, pharmacyFactsOf, planFactsOf } from './card-facts.ts';

interface SideProps {
  readonly coverage: Coverage;
}

/** The front: insurer, member, plan and the numbers for the pharmacy. */
export const CardFront = ({ coverage }: SideProps) => {
  const texts = useTexts().card;
  const format = useFormat();
  const { name } = useSession();
  const { logo } = use(BrandContext);
  const brand = useBrandName();
  return (
    <section className="id-card" aria-label={texts.front}>
      <div className="id-card-band">
        <span className="id-card-brand">
          {logo ? <img src={logo} alt="" /> : <Icon icon="shield" />}
          {brand}
        </span>
        <span>{coverage.plan?.type}</span>
      </div>
      <Facts className="id-card-holder" facts={holderOf(coverage, name, texts)}>
        <div className="id-card-id">
          <dt>{texts.memberId}</dt>
          <dd className="mono">{coverage.memberId ?? missing}</dd>
        </div>
      </Facts>
      <Facts facts={planFactsOf(coverage, texts, format)} />
      <Facts className="id-card-pharmacy" facts={pharmacyFactsOf(coverage, texts)} />
    </section>
  );
};

/** The back: what the member pays, and who else is covered. */
export const CardBack = ({ coverage }: SideProps) => {
  const texts = useTexts().card;
  const format = useFormat();
  const dependents = coverage.dependents?.flatMap(({ name }) => name ?? []) ?? [];
  return (
    <section className="id-card" aria-label={texts.back}>
      <div className="id-card-stripe" />
      <div className="id-card-costs">
        <Costs title={texts.copays} facts={copayFactsOf(coverage, format)} />
        <Costs title={texts.coinsurance} facts={coinsuranceFactsOf(coverage, texts)} />
      </div>
      {dependents.length === 0 ? null : <Facts facts={[[texts.alsoCovered, format.list(dependents)]]} isWide />}
      <p className="id-card-note">{texts.noGuarantee}</p>
    </section>
  );
};

interface FactsProps {
  readonly facts: readonly Fact[];
  readonly className?: string;
  /** Each fact takes a whole row. */
  readonly isWide?: boolean;
  /** After the facts. */
  readonly children?: ReactNode;
}

const Facts = ({ facts, className = '', isWide = false, children }: FactsProps) =>
  facts.length === 0 && !children ? null : (
    <dl className={`id-card-facts ${isWide ? 'one' : ''} ${className}`}>
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {children}
    </dl>
  );

const Costs = ({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }) =>
  facts.length === 0 ? null : (
    <div>
      <h2>{title}</h2>
      <dl>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );

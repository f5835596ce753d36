import type { Coverage } from '@portico/client';
import { type ReactNode, type RefObject, useId } from 'react';
import { useCoverage } from '../api/eligibility.ts';
import { PageLink } from '../frame/page-link.tsx';
import { ResourceContent } from '../design/card.tsx';
import { Icon } from '../design/icon.tsx';
import { useSession } from '../session/session-state.ts';
import { missing } from '../texts/format.ts';
import { nameOf, useFormat, useTexts } from '../texts/texts.tsx';

/** The heading of the dashboard, with the member's plan below it if Portico serves coverage. */
export const Welcome = ({
  heading,
  children,
}: {
  readonly heading: RefObject<HTMLHeadingElement | null>;
  readonly children: ReactNode;
}) => {
  const { name } = useSession();
  const { dashboard } = useTexts();
  return (
    <div className="welcome">
      <h1 ref={heading} tabIndex={-1}>
        {dashboard.welcome(name)}
      </h1>
      {children}
    </div>
  );
};

/** The plan, its status, and the numbers that a doctor's office needs. */
export const Plan = () => {
  const texts = useTexts().dashboard.coverage;
  const heading = useId();
  const resource = useCoverage();
  return (
    <section className="plan" aria-labelledby={heading} aria-busy={resource.isPending}>
      <h2 id={heading} className="visually-hidden">
        {texts.title}
      </h2>
      <ResourceContent title={texts.title} resource={resource} empty={<p>{texts.none}</p>}>
        {(coverage) => <PlanFacts coverage={coverage} />}
      </ResourceContent>
    </section>
  );
};

const PlanFacts = ({ coverage }: { readonly coverage: Coverage }) => {
  const texts = useTexts().dashboard.coverage;
  const format = useFormat();
  const { plan, status, memberId, group, network, effectiveDate, terminationDate, dependents } = coverage;
  const since = effectiveDate ? texts.since(format.date(effectiveDate)) : undefined;
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    [texts.memberId, memberId ?? missing],
    [texts.group, group?.name],
    [texts.network, network?.name],
    [texts.effective, terminationDate ? texts.until(format.date(effectiveDate), format.date(terminationDate)) : since],
  ];
  return (
    <>
      <p className="plan-name">
        {plan?.name ?? texts.yourPlan}{' '}
        {status ? <span className="plan-status">{nameOf(texts.statuses, status)}</span> : null}
      </p>
      <dl className="plan-facts">
        {facts.map(([term, value]) =>
          value ? (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
      {dependents?.length ? (
        <p>
          <Icon icon="family" /> {texts.alsoCovered}: {format.list(dependents.flatMap(({ name }) => name ?? []))}
        </p>
      ) : null}
      <PageLink page="/card" className="button quiet">
        <Icon icon="card" />
        {texts.card}
      </PageLink>
    </>
  );
};

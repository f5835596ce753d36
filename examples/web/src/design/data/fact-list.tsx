/** A label and its value. */
export type Fact = readonly [label: string, value: string];

interface FactListProps {
  readonly facts: readonly Fact[];
  readonly className?: string;
}

/** Labels with their values. */
export const FactList = ({ facts, className }: FactListProps) => (
  <dl className={className}>
    {facts.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** Leaves out what the service did not send. */
export const known = (facts: readonly (readonly [string, string | null | undefined])[]): readonly Fact[] =>
  facts.filter((fact): fact is Fact => Boolean(fact[1]));
